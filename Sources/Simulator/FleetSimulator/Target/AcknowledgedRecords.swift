import BackendStore
import Base
package import Contract
import CurlTransport
import Oracle
import Scenario
import Store
package import Upload

/// The records of one phone that a server has acknowledged with a 2xx, to be looked up where the server stores them.
package struct AcknowledgedRecords {
  /// The properties of a record in its request, where the format shows them.
  private struct Sent {
    var timestamp: WallInstant?
    var content: RecordContent?
  }

  private var known: [UUID128: Sent] = [:]
  /// The counts of quarantined records in answers, which do not say which records these are.
  private var quarantinedByAnswers: [(uuids: [UUID128], count: Int)] = []
  private var headers: [NameValuePair] = []

  private let reader = EnvelopeReader(maxRecords: .max)
  private let decoder = RecordDecoder()
  private var envelope = Envelope()

  package init() {}

  /// Notes the end of any request.
  package mutating func note(_ request: OutgoingRequest, _ outcome: RequestOutcome) {
    guard let payload = request.payload, (200..<300).contains(outcome.status) else { return }
    headers = request.headers
    if outcome.quarantinedCount > 0 { quarantinedByAnswers.append((payload.uuids, outcome.quarantinedCount)) }
    for uuid in payload.uuids where known[uuid] == nil { known[uuid] = Sent() }
    read(request.body, isAll: false)
  }

  /// Notes an upload that no SDK has made: every record that its body shows counts as acknowledged.
  package mutating func note(body: [UInt8], headers: [NameValuePair]) {
    self.headers = headers
    read(body, isAll: true)
  }

  package var isEmpty: Bool { known.isEmpty }

  private mutating func read(_ body: [UInt8], isAll: Bool) {
    do throws(EnvelopeError) { try reader.read(body.span, into: &envelope) } catch { return }
    for range in envelope.records {
      do throws(RecordProblem) {
        let record = try decoder.decode(body.span.extracting(range))
        guard let uuid = record.uuid, isAll || known[uuid] != nil else { continue }
        known[uuid] = Sent(timestamp: record.timestamp, content: RecordContent(sent: Array(body[range])))
      } catch { continue }
    }
  }

  /// Asks the server, and waits for its answers: some twenty seconds at most for each, unless an interruption ends them.
  package func look(
    at server: OutsideSetup, of device: String, unless interruption: Interruption? = nil
  ) -> StorageCheck {
    guard !known.isEmpty else { return .impossible("no record was acknowledged") }
    var server = server
    let origin = server.origin
    // The run id that the app sends and, for the server that it uploads to, its credentials.
    let wanted = [HeaderName.runID] + (server.asksOnly(origin) ? [HeaderName.authorization] : [])
    server.headers = headers.filter { wanted.contains(where: $0.hasName) }
      .map { Named(name: $0.name, value: $0.value) }.overlaid(server.headers)
    if server.verification.effectiveMethod != .query, known.values.contains(where: { $0.timestamp == nil }) {
      return .impossible("the uploads do not show the time of each record")
    }
    do throws(TransportError) {
      guard let proof = try server.proof(devices: [device], seed: 0, start: "", interruption: interruption) else {
        return .notAsked
      }
      return look(by: proof, of: device, keeping: server.verification.kept)
    } catch { return .impossible("\(error)") }
  }

  private func look(by proof: any StoreProof, of device: String, keeping kept: [KeptField]) -> StorageCheck {
    let keys = known.map { PointKey(recordedAt: $1.timestamp?.millisecondsSince1970 ?? 0, uuid: $0) }
      .sorted { $0.uuid < $1.uuid }
    guard let absent = proof.missing(keys, of: device) else { return .impossible(proof.refusal ?? "no reason") }
    let quarantined = absent.isEmpty ? QuarantinedRecords() : proof.quarantined(of: device)
    var unexplained = absent.map(\.uuid).filter { !quarantined.holds($0) }
    for answer in quarantinedByAnswers {
      // The count of an answer includes the quarantined records that the store lists.
      let unlisted = answer.count - answer.uuids.count { quarantined.holds($0) }
      let explained = Set(unexplained.filter { answer.uuids.contains($0) }.prefix(max(0, unlisted)))
      unexplained.removeAll { explained.contains($0) }
    }
    var result = StorageCheck.Result(device: device, acknowledged: keys.count)
    result.missing = unexplained.map(\.text)
    result.quarantined = absent.count - unexplained.count
    let gone = Set(absent)
    var contents = ContentComparisons<UUID128>(promised: kept)
    for key in keys where !gone.contains(key) {
      guard let sent = known[key.uuid]?.content, let stored = proof.content(of: key.uuid, of: device) else { continue }
      let comparison = sent.comparison(with: stored)
      contents.note(comparison, of: key.uuid)
      if let difference = comparison.difference { result.changes.append("\(key.uuid.text): \(difference)") }
    }
    for (fields, count, first) in contents.lacking {
      let others = count > 1 ? " (and \((count - 1).of("other")))" : ""
      result.changes.append(
        "\(first.text)\(others): without \(fields.text) as sent, \(contents.reason(for: fields))")
    }
    result.unreadTimes = contents.unreadTimes
    var rows: [UUID128: Int] = [:]
    proof.forEachRecord(of: device) { rows[$1, default: 0] += 1 }
    result.repeated = keys.filter { rows[$0.uuid, default: 0] > 1 }.map(\.uuid.text)
    return proof.refusal.map { .impossible($0) } ?? .looked(result)
  }
}

extension OutsideSetup {
  /// Reports whether all queries go to this origin.
  fileprivate func asksOnly(_ origin: String) -> Bool {
    [verification.url, verification.quarantinedURL].compactMap(\.self)
      .allSatisfy { $0.hasPrefix("/") || URLParts($0).origin == origin }
  }
}

/// The result of a look at the store.
package enum StorageCheck: Equatable, Sendable {
  case notAsked
  /// The reason, as half a sentence.
  case impossible(String)
  case looked(Result)

  /// The acknowledged records that the store holds.
  package struct Result: Equatable, Sendable {
    package var device: String
    package var acknowledged: Int
    package var missing: [String] = []
    package var quarantined = 0
    package var repeated: [String] = []
    package var changes: [String] = []
    package var unreadTimes = 0

    fileprivate static let elsewhere = "lists of other devices were not searched for them"

    /// Advice where no record was found: the store may list the device under another name.
    fileprivate var remedy: String {
      "the store has none of them for device '\(device)': if the server finds the device in the body, give the app "
        + "http.params { device_id: \"${device.id}\" } with --config, or name the device with --device"
    }
  }

  /// Whether some record was missing, repeated or changed.
  package var isRefuted: Bool { if case .looked = self { !isProven } else { false } }

  /// Whether each record was found, once and as it was sent, or was quarantined.
  package var isProven: Bool {
    guard case .looked(let result) = self else { return false }
    return result.missing.isEmpty && result.repeated.isEmpty && result.changes.isEmpty
  }

  package var text: String {
    switch self {
    case .notAsked: return "stored records were not checked"
    case .impossible(let reason): return "stored records could not be checked: \(reason)"
    case .looked(let result):
      var parts: [String] = []
      func tell(_ list: [String], _ words: String) {
        if let first = list.first { parts.append("\(list.count) \(words), the first \(first)") }
      }
      tell(result.missing, "not stored for device '\(result.device)'")
      tell(result.repeated, "stored more than once")
      tell(result.changes, "stored differently from what was sent")
      if !result.missing.isEmpty {
        parts.append(result.missing.count == result.acknowledged ? result.remedy : StorageCheck.Result.elsewhere)
      }
      if result.unreadTimes > 0 {
        parts.append("\(result.unreadTimes.of("time")) not compared: times without a time zone")
      }
      let whole = parts.isEmpty ? "all stored" : parts.joined(separator: "; ")
      let quarantined = result.quarantined > 0 ? ", \(result.quarantined) quarantined" : ""
      return "\(result.acknowledged.of("record")) acknowledged\(quarantined): \(whole)"
    }
  }
}
