package import Base
package import Store

extension VirtualServer: StoreProof {
  package var refusal: String? { nil }
  package var isShared: Bool { false }
  /// What is stored is the bytes that came.
  package var comparesContents: Bool { true }

  package func missing(_ keys: [PointKey], of device: String) -> [PointKey]? {
    let identity = DeviceIdentity(name: device)
    return read { (reader) throws(StoreError) in
      // The server keeps a record whose time it cannot read under none.
      let missing = try reader.missing(keys, of: identity)
      if missing.isEmpty { return [] }
      let timeless = missing.map { PointKey(recordedAt: 0, uuid: $0.uuid) }
      let absent = Set(try reader.missing(timeless, of: identity).map(\.uuid))
      return missing.filter { absent.contains($0.uuid) }
    }
  }

  package func quarantined(of device: String) -> Set<UInt64> {
    var marks: Set<UInt64> = []
    var last: Int64?
    repeat {
      let before = last
      let page = read { (reader) throws(StoreError) in
        try reader.quarantine(QuarantineSelection(device: device), before: before, limit: 1_000)
      }
      for record in page.elements { marks.insert(RecordMark.of(record.record.span)) }
      last = page.next
    } while last != nil
    return marks
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
    _ question: @escaping @Sendable (StoreReader) throws(StoreError) -> Answer
  ) -> Answer {
    let answer = ask { reader in Result { () throws(StoreError) in try question(reader) } }
    guard case .success(let answer)? = answer else { preconditionFailure("a store in memory can be read") }
    return answer
  }
}
