package import BackendStore
package import Base
package import IngestServer
package import Oracle
package import Store
import Vocabulary

extension InProcessServer: StoreProof {
  package var refusal: String? { nil }
  package var isShared: Bool { false }
  package var showsQuarantine: Bool { true }
  /// True, as the stored bytes are those that came.
  package var comparesContents: Bool { true }
  /// False: the bytes need not be compared again.
  package var readsContents: Bool { false }
  package var repetitions: Int { 0 }
  package var lateRecords: Int { 0 }
  package var rowsElsewhere: Int { 0 }

  package func place(of uuid: UUID128, of device: String) -> Int? { nil }
  package func content(of uuid: UUID128, of device: String) -> RecordContent? { nil }
  package func holder(of uuid: UUID128) -> String? { nil }
  package func wasSent(_ uuid: UUID128) -> Bool { true }
  package func forEachOfTwoDevices(_ body: (_ uuid: UUID128, _ device: String, _ other: String) -> Void) {}

  package func missing(_ keys: [PointKey], of device: String, notOwed: Set<UUID128>) -> [PointKey]? {
    let identity = DeviceIdentity(name: device)
    return read { (reader) throws(StoreError) in
      // The server stores a record with an unreadable time under time 0.
      let missing = try reader.missing(keys, of: identity)
      if missing.isEmpty { return [] }
      let timeless = missing.map { PointKey(recordedAt: 0, uuid: $0.uuid) }
      let absent = Set(try reader.missing(timeless, of: identity).map(\.uuid))
      return missing.filter { absent.contains($0.uuid) }
    }
  }

  package func quarantined(of device: String) -> QuarantinedRecords {
    var quarantined = QuarantinedRecords()
    var last: Int64?
    repeat {
      let before = last
      let page = read { (reader) throws(StoreError) in
        try reader.quarantine(QuarantineSelection(device: device), before: before, limit: 1_000)
      }
      for record in page.elements { quarantined.add(record.record.span) }
      last = page.next
    } while last != nil
    return quarantined
  }

  package func forEachRecord(of device: String?, _ body: (_ device: String, _ uuid: UUID128) -> Void) {
    let identity = device.map { DeviceIdentity(name: $0) }
    var cursor: ArrivalCursor?
    repeat {
      let start = cursor
      let page = read { (reader) throws(StoreError) in try reader.keys(run: "", device: identity, after: start) }
      for key in page.elements { body(key.device.name, key.key.uuid) }
      cursor = page.next
    } while cursor != nil
  }

  private func read<Answer: Sendable>(
    _ question: @escaping @Sendable (any StoreReader) throws(StoreError) -> Answer
  ) -> Answer {
    let answer = ask { reader in Result { () throws(StoreError) in try question(reader) } }
    guard case .success(let answer)? = answer else { preconditionFailure("a store in memory can be read") }
    return answer
  }
}
