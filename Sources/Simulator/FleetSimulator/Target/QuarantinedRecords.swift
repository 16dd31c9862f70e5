package import Base
import JSON

/// Records that a store has put aside, and what they are known by again.
package struct QuarantinedRecords {
  /// Of their bytes, where the store keeps them as they came.
  private var marks: Set<UInt64> = []
  private var uuids: Set<UUID128>

  package init(uuids: Set<UUID128> = []) { self.uuids = uuids }

  /// As the store keeps it: a record that is a body by itself has the members of the upload's `params` among its own.
  mutating func add(_ record: Span<UInt8>) {
    marks.insert(RecordMark.of(record))
    do throws(JSONError) {
      let value = try JSONValue(parsing: record, reading: .lenient)
      if let uuid = UUID128(member: "uuid", of: value) { return _ = uuids.insert(uuid) }
      // The store may have taken the whole body for the record, as it knew nothing of its root.
      guard case .object(let body) = value else { return }
      uuids.formUnion(body.members.compactMap { UUID128(member: "uuid", of: $0.value) })
    } catch {
      // What is no JSON is known by its bytes.
      return
    }
  }

  func holds(_ uuid: UUID128, mark: UInt64? = nil) -> Bool {
    uuids.contains(uuid) || mark.map { marks.contains($0) } ?? false
  }
}
