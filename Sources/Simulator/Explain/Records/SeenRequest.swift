import BackendStore
package import Base

/// A request as recorded between phone and store: by the journal of a server or of a proxy.
package struct SeenRequest: Sendable {
  /// An injected fault.
  package struct Fault: Sendable {
    package var kind: String
    /// Whether it kept records, or some of them, from the backend: a 2xx answer is then the fault's own.
    package var withholdsRecords: Bool
    /// Whether the phone received another status than the recorded one.
    package var replacesStatus: Bool

    package init(kind: String, withholdsRecords: Bool, replacesStatus: Bool = false) {
      (self.kind, self.withholdsRecords, self.replacesStatus) = (kind, withholdsRecords, replacesStatus)
    }
  }

  /// Its location in a source: `journal #812`.
  package var place: String
  package var time: WallInstant
  package var device: String?
  package var method: String
  package var path: String
  package var status: Int
  /// The injected fault.
  package var fault: Fault?
  package var body: [UInt8]
  /// Whether the recorded body is truncated.
  package var isCut: Bool
  package var answer: [UInt8]

  package init(
    place: String, time: WallInstant, device: String?, method: String, path: String, status: Int, fault: Fault?,
    body: [UInt8], isCut: Bool, answer: [UInt8]
  ) {
    (self.place, self.time, self.device, self.method, self.path) = (place, time, device, method, path)
    (self.status, self.fault, self.body, self.isCut, self.answer) = (status, fault, body, isCut, answer)
  }

  /// Returns the records in a body, or in a part of one.
  package static func uuids(in body: [UInt8]) -> [UUID128] { BodyRecords.find(in: body).map(\.uuid) }

  package var isSuccess: Bool { (200...299).contains(status) }

  /// How many of its records a Rolling Road server has put into quarantine; its answer begins with such counts (docs/server.md).
  var quarantinedCount: Int {
    let text = String(decoding: answer.prefix(SeenRequest.answerBytesKept), as: UTF8.self)
    guard isSuccess, text.hasPrefix("{\"accepted\":"), let key = text.firstRange(of: "\"quarantined\":") else {
      return 0
    }
    return Int(text[key.upperBound...].prefix { $0.isNumber }) ?? 0
  }

  /// The client was gone before there was an answer (docs/proxy.md).
  var isUnanswered: Bool { status == 499 }

  /// Whether the answer did not come from the backend.
  var isOfFault: Bool { fault?.withholdsRecords ?? false }

  /// Why a proxy answered in the backend's place (docs/proxy.md); nil where it did not.
  var silenceOfBackend: String? {
    guard fault == nil, [502, 504].contains(status) else { return nil }
    let text = String(decoding: answer.prefix(SeenRequest.answerBytesKept), as: UTF8.self)
    return SeenRequest.silences.first { text.contains("\"code\":\"\($0.code)\"") }?.reason
  }

  private static let silences = [
    (code: "upstream_unreachable", reason: "the backend could not be reached"),
    (code: "upstream_timeout", reason: "the backend did not answer in time"),
    (code: "upstream_closed", reason: "the backend ended the connection without an answer"),
    (code: "upstream_malformed", reason: "what the backend answered was no HTTP"),
  ]
  static let answerBytesKept = 200

  var evidence: Evidence {
    var words = "\(method) \(path) of '\(device ?? "?")' was answered \(status)"
    if let silenceOfBackend { words += " by the proxy, as \(silenceOfBackend)" }
    if let fault {
      words += fault.withholdsRecords ? " by an injected fault" : "; it met an injected fault"
      words += " (\(fault.kind))"
    }
    return Evidence(
      words, place: place, time: time,
      quote: EntryQuote.cut(String(decoding: answer.prefix(SeenRequest.answerBytesKept), as: UTF8.self)[...]))
  }
}
