import AnswerCheck
import BackendStore
import Base
import Contract
import JSON
import Oracle
import Scenario
import Store
import Upload

/// Proof by the administration interface of a Rolling Road server.
final class AdministrationProof: StoreProof {
  private let administration: TargetAdministration
  private let devices: [String]
  private(set) var refusal: String?
  private var sent = SentMarks()
  let isShared = true
  let showsQuarantine = true
  /// A record is identified by its uuid and time; its position is not queried.
  let (comparesContents, readsContents) = (false, false)
  let (repetitions, lateRecords, rowsElsewhere) = (0, 0, 0)

  /// The maximum number of missing records that an answer names.
  private static let recordsPerQuestion = 1_000
  /// The time limit for all devices together, and the addition for each.
  private static let (span, spanEach) = (Nanoseconds.seconds(20), Nanoseconds.milliseconds(20))

  init(_ administration: TargetAdministration, devices: [String]) {
    self.administration = administration
    self.devices = devices
  }

  func missing(_ keys: [PointKey], of device: String, notOwed: Set<UUID128>) -> [PointKey]? {
    // A server that once failed to answer is not queried for each device.
    guard refusal == nil else { return nil }
    for key in keys { sent.add(key.uuid) }
    administration.limit(to: AdministrationProof.span + AdministrationProof.spanEach * Int64(devices.count))
    var lost: [PointKey] = []
    var rest = keys[...]
    while !rest.isEmpty {
      let part = rest.prefix(AdministrationProof.recordsPerQuestion)
      rest = rest.dropFirst(part.count)
      guard let uuids = lostUUIDs(part, of: device) else { return nil }
      lost += part.filter { uuids.contains($0.uuid) }
    }
    return lost
  }

  private func lostUUIDs(_ keys: ArraySlice<PointKey>, of device: String) -> Set<UUID128>? {
    var writer = JSONWriter(capacity: 100 * keys.count)
    writer.beginObject()
    writer.key("device")
    writer.value(device)
    writer.key("records")
    writer.beginArray()
    for key in keys {
      writer.beginObject()
      writer.key("uuid")
      writer.value(key.uuid.text)
      writer.key("timestamp")
      writer.value(key.recordedAt)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    let answer = administration.ask("/admin/v1/verify", by: "POST", body: writer.bytes)
    guard let records = list("missingRecords", in: answer, of: "verify") else { return nil }
    return Set(records.elements.compactMap { record in UUID128(member: "uuid", of: record) })
  }

  func wasSent(_ uuid: UUID128) -> Bool { sent.contains(uuid) }
  func place(of uuid: UUID128, of device: String) -> Int? { nil }
  func content(of uuid: UUID128, of device: String) -> RecordContent? { nil }
  func holder(of uuid: UUID128) -> String? { nil }
  func forEachOfTwoDevices(_ body: (_ uuid: UUID128, _ device: String, _ other: String) -> Void) {}

  func quarantined(of device: String) -> QuarantinedRecords {
    var quarantined = QuarantinedRecords()
    var cursor = ""
    while true {
      let path = "/admin/v1/quarantine?limit=1000&device=" + device.percentEncoded + cursor
      guard let records = list("records", in: administration.ask(path), of: "quarantine") else { return quarantined }
      for case .string(let text)? in records.elements.map({ $0["record"] }) { quarantined.add(text.utf8.span) }
      guard case .integer(let next)? = records.document["next"] else { return quarantined }
      cursor = "&cursor=\(next)"
    }
  }

  func forEachRecord(of device: String?, _ body: (_ device: String, _ uuid: UUID128) -> Void) {
    guard refusal == nil else { return }
    for device in device.map({ [$0] }) ?? devices {
      let answer = administration.ask("/admin/v1/uuids?device=" + device.percentEncoded)
      if let reason = answer.refusal {
        return refusal = "/admin/v1/uuids: \(reason)\(administration.remedy(of: answer))"
      }
      let bytes = answer.body
      var reader = JSONReader(bytes.span)
      do throws(JSONError) {
        while !reader.isAtEnd() {
          let line = try JSONValue(from: &reader, reading: .lenient)
          if let uuid = UUID128(member: "uuid", of: line) { body(device, uuid) }
        }
      } catch { return refusal = "/admin/v1/uuids: \(error.description)" }
    }
  }

  /// Returns the list of that name in an answer; without one the store is not verified.
  private func list(
    _ name: String, in answer: RequestOutcome, of path: String
  ) -> (elements: [JSONValue], document: JSONValue)? {
    if let reason = answer.refusal {
      refusal = "/admin/v1/\(path): \(reason)\(administration.remedy(of: answer))"
      return nil
    }
    do throws(JSONError) {
      let bytes = answer.body
      let document = try JSONValue(parsing: bytes.span, reading: .lenient)
      if case .array(let elements)? = document[name] { return (elements, document) }
      refusal = "/admin/v1/\(path): the answer has no list '\(name)', as one of Rolling Road has"
    } catch {
      refusal = "/admin/v1/\(path): \(error.description)"
    }
    return nil
  }
}

/// The administration interface of an external Rolling Road server.
final class TargetAdministration {
  private let client: BlockingHTTPClient
  private let base: String
  private let headers: [NameValuePair]
  private let hasToken: Bool

  init(_ client: BlockingHTTPClient, of target: OutsideSetup) {
    self.client = client
    base = target.root
    headers = target.administrationHeaders
    hasToken = target.adminToken != nil
  }

  /// Returns advice about a rejection, to be appended to it.
  func remedy(of answer: RequestOutcome) -> String {
    guard answer.wantsToken else { return "" }
    return hasToken ? "; --admin-token is not the token of this server" : "; give --admin-token"
  }

  func limit(to span: Nanoseconds) { client.limit(to: span) }

  func ask(_ path: String, by method: String = "GET", body: [UInt8] = []) -> RequestOutcome {
    let json = body.isEmpty ? [] : [NameValuePair(HeaderName.contentType, ContentType.json)]
    return client.ask(base + path, by: method, headers: headers + json, body: body)
  }
}

extension OutsideSetup {
  /// The credentials and the run of a query.
  fileprivate var administrationHeaders: [NameValuePair] {
    var fields = headers.filter { $0.name.isSameName(HeaderName.runID.description) }
      .map { NameValuePair($0.name, $0.value) }
    if let token = adminToken { fields.append(NameValuePair(HeaderName.authorization, "Bearer \(token)")) }
    return fields
  }
}
