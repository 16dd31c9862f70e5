package import Base
import Contract
import JSON

/// Records that a store has quarantined, with the marks that identify them.
package struct QuarantinedRecords {
  /// Hashes of their bytes, where the store keeps them unmodified.
  private var marks: Set<UInt64> = []
  private var uuids: Set<UUID128>

  package init(uuids: Set<UUID128> = []) { self.uuids = uuids }

  /// Adds a record as stored: a record that is a whole body also holds the upload's `params`.
  package mutating func add(_ record: Span<UInt8>) {
    marks.insert(RecordMark.of(record))
    do throws(JSONError) {
      let value = try JSONValue(parsing: record, reading: .lenient)
      if let uuid = UUID128(member: "uuid", of: value) { return _ = uuids.insert(uuid) }
      // A store that did not know the root property may have stored the whole body as one record.
      guard case .object(let body) = value else { return }
      uuids.formUnion(body.members.compactMap { UUID128(member: "uuid", of: $0.value) })
    } catch {
      // Bytes that are not JSON are identified by their hash.
      return
    }
  }

  package func holds(_ uuid: UUID128, mark: UInt64? = nil) -> Bool {
    uuids.contains(uuid) || mark.map { marks.contains($0) } ?? false
  }
}

/// A request of a device whose answer reports quarantined records.
struct QuarantiningRequest: Hashable {
  let device: UInt32
  let request: UInt64
}
