import AnswerCheck
package import BackendStore
package import Base
import Contract
package import IngestServer
import JSON
package import Store
import Vocabulary

/// Something that can say what a server keeps, for the proof that it kept what it acknowledged.
package protocol StoreProof: AnyObject {
  /// Those of one device's records that are not in the store, in their order; nil when that is unknown.
  func missing(_ keys: [PointKey], of device: String) -> [PointKey]?
  /// Of the records of one device.
  func putAside(of device: String) -> QuarantinedRecords
  /// Goes through the whole store, or what it has of one device.
  func forEachRecord(of device: String?, _ body: (_ device: String, _ uuid: UUID128) -> Void)
  /// Why that is unknown; nil as long as it is known.
  var refusal: String? { get }
  /// Records of earlier runs and of strangers may be there too.
  var isShared: Bool { get }
  /// It may show positions and times of records.
  var readsContents: Bool { get }
  /// Positions and times of records are there to be compared.
  var comparesContents: Bool { get }
  /// Messages with records that were there once more, with an id that was there already.
  var repetitions: Int { get }
  /// Acknowledged records that were not there at once, and came while they were looked for.
  var lateRecords: Int { get }
  /// Rows of the devices of other shards that hold what this one has sent; known after `forEachOfTwoDevices`.
  var rowsElsewhere: Int { get }
  /// Where a record stands among those of its device, in the order in which they were stored; nil where nothing shows that.
  func place(of uuid: UUID128, of device: String) -> Int?
  /// What the store shows of a record that it has; nil when it shows nothing of any.
  func content(of uuid: UUID128, of device: String) -> RecordContent?
  /// The device under which a record is listed that its own device misses.
  func holder(of uuid: UUID128) -> String?
  /// A record of this run: a shared store may have what an earlier run has left there.
  func wasSent(_ uuid: UUID128) -> Bool
  /// Records that are listed for one device of the run and for another device too.
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

/// What an administrator of the server does because of a fault: a request, the same for every server of ours.
struct Administration {
  let path: String
  let body: String

  /// Access tokens that the device got until now are out of date.
  static func expireTokens(of device: String) -> Administration {
    Administration(path: "/admin/v1/tokens/expire", body: JSONValue.object(["device": .string(device)]).string)
  }

  /// None of its tokens is worth anything.
  static func revokeTokens(of device: String) -> Administration {
    Administration(path: "/admin/v1/tokens/revoke", body: JSONValue.object(["device": .string(device)]).string)
  }

  /// A new key signs the tokens.
  static let rotateKeys = Administration(path: "/admin/v1/tokens/rotate-keys", body: "")

  /// The next answers to the device carry these. A request queues at most a hundred.
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
