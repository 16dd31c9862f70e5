import AnswerCheck
package import BackendStore
package import Base
import Contract
package import IngestServer
import JSON
package import Store
import Vocabulary

/// Reads what a server has stored, to prove that it stored what it acknowledged.
package protocol StoreProof: AnyObject {
  /// Returns the records of the device that are not in the store, in order; nil when that is unknown.
  func missing(_ keys: [PointKey], of device: String) -> [PointKey]?
  /// The quarantined records of one device.
  func putAside(of device: String) -> QuarantinedRecords
  /// Iterates over the whole store, or over the records of one device.
  func forEachRecord(of device: String?, _ body: (_ device: String, _ uuid: UUID128) -> Void)
  /// Why the store cannot be read; nil while it can.
  var refusal: String? { get }
  /// The store may also hold records of earlier runs and of other clients.
  var isShared: Bool { get }
  /// Whether the store may show positions and times of records.
  var readsContents: Bool { get }
  /// Whether positions and times of records are available for comparison.
  var comparesContents: Bool { get }
  /// The number of duplicate messages, with an id that was there already.
  var repetitions: Int { get }
  /// The number of acknowledged records that were absent at first and appeared during the search.
  var lateRecords: Int { get }
  /// The number of rows under devices of other shards that hold records of this one; known after `forEachOfTwoDevices`.
  var rowsElsewhere: Int { get }
  /// Returns the position of a record among those of its device, in the order of storage; nil where nothing shows it.
  func place(of uuid: UUID128, of device: String) -> Int?
  /// Returns the stored content of a record; nil when the store shows none.
  func content(of uuid: UUID128, of device: String) -> RecordContent?
  /// Returns the device under which a record is listed that its own device misses.
  func holder(of uuid: UUID128) -> String?
  /// Reports whether the record belongs to this run; a shared store may hold those of earlier runs.
  func wasSent(_ uuid: UUID128) -> Bool
  /// Calls `body` with each record that is listed for a device of the run and for another device.
  func forEachOfTwoDevices(_ body: (_ uuid: UUID128, _ device: String, _ other: String) -> Void)
}

extension StoreProof {
  package var readsContents: Bool { false }
  package var repetitions: Int { 0 }
  package var lateRecords: Int { 0 }
  package var rowsElsewhere: Int { 0 }
  package func place(of uuid: UUID128, of device: String) -> Int? { nil }
  package func content(of uuid: UUID128, of device: String) -> RecordContent? { nil }
  package func holder(of uuid: UUID128) -> String? { nil }
  package func wasSent(_ uuid: UUID128) -> Bool { true }
  package func forEachOfTwoDevices(_ body: (_ uuid: UUID128, _ device: String, _ other: String) -> Void) {}
}

extension InProcessServer: StoreProof {
  package var refusal: String? { nil }
  package var isShared: Bool { false }
  /// True, as the stored bytes are those that came.
  package var comparesContents: Bool { true }

  package func missing(_ keys: [PointKey], of device: String) -> [PointKey]? {
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

  package func putAside(of device: String) -> QuarantinedRecords {
    var putAside = QuarantinedRecords()
    var last: Int64?
    repeat {
      let before = last
      let page = read { (reader) throws(StoreError) in
        try reader.quarantine(QuarantineSelection(device: device), before: before, limit: 1_000)
      }
      for record in page.elements { putAside.add(record.record.span) }
      last = page.next
    } while last != nil
    return putAside
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

/// An administrative request that a fault makes, the same for every Rolling Road server.
struct Administration {
  let path: String
  let body: String

  /// Expires the access tokens that the device has.
  static func expireTokens(of device: String) -> Administration {
    Administration(path: "/admin/v1/tokens/expire", body: JSONValue.object(["device": .string(device)]).string)
  }

  /// Revokes all tokens of the device.
  static func revokeTokens(of device: String) -> Administration {
    Administration(path: "/admin/v1/tokens/revoke", body: JSONValue.object(["device": .string(device)]).string)
  }

  /// Replaces the key that signs tokens.
  static let rotateKeys = Administration(path: "/admin/v1/tokens/rotate-keys", body: "")

  /// Queues commands for the next answers to the device, at most a hundred per request.
  static func orders(_ commands: [Command], to device: String) -> [Administration] {
    stride(from: 0, to: commands.count, by: 100).map { start in
      let list = JSONValue.object(["commands": .array(commands[start...].prefix(100).map(\.json))])
      return Administration(path: "/admin/v1/devices/\(device.percentEncoded)/commands", body: list.string)
    }
  }
}

extension JSONValue {
  var serialized: [UInt8] {
    var writer = JSONWriter()
    write(to: &writer)
    return writer.bytes
  }

  fileprivate var string: String { String(decoding: serialized, as: UTF8.self) }
}
