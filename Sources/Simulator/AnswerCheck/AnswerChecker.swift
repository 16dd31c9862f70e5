import Base
import Contract
import JSON
import Upload

/// Checks each answer to a device, in order, for problems with the SDK (SDK §8 to §11).
///
/// The state per device is bounded and only serves to recognize repetitions. Log uploads are ignored.
package struct AnswerChecker: Sendable {
  package private(set) var scorecard = Scorecard()
  /// Requests without an answer, which the server may have received.
  var unanswered: Set<RequestPrint> = []
  /// The last rejection and its number in a row.
  var refusal: (print: RequestPrint, status: Int, count: Int)?
  /// The last commands and their number in a row.
  var repeated: (commands: JSONValue, count: Int)?
  /// Whether the last answer was a refresh with tokens.
  var hasFreshToken = false

  /// Beyond this number, requests without an answer are not recognized when repeated.
  static let unansweredMax = 1_024

  package init() {}

  package mutating func check(_ answer: ObservedAnswer) -> Judgement {
    var judgement = Judgement()
    // A cancelled request says nothing about the server.
    if case .failed(.cancelled, message: _) = answer.outcome { return judgement }
    // The request did not reach the server's application.
    if let problem = answer.outcome.wantedConnection {
      judgement.judge(.reachable, "\(URLParts(answer.request.url).withoutUser): \(problem)")
      scorecard.count(judgement)
      return judgement
    }
    judgeDelivery(answer, into: &judgement)
    switch answer.request.purpose {
    case .records:
      judgeStatus(answer, into: &judgement)
      // Two equal commands may have others between them.
      if answer.isContentKnown { judgeBody(answer, into: &judgement) } else { repeated = nil }
      hasFreshToken = false
    case .refresh:
      judgeRefresh(answer, into: &judgement)
    case .log: break
    }
    scorecard.count(judgement)
    return judgement
  }
}

extension ObservedAnswer {
  var body: [UInt8] { outcome.body }

  /// Nil when it is not JSON. A device takes the last of several equal keys.
  var document: JSONValue? {
    do throws(JSONError) {
      return try JSONValue(parsing: body.span, limits: ObservedAnswer.limits, reading: .lenient)
    } catch { return nil }
  }

  private static let limits = JSONLimits(maxDepth: JSONLimits.greatestDepth)

  /// Whether it begins like an HTML page.
  package var isPage: Bool {
    ObservedAnswer.isPage(body, type: head?.mediaType)
  }

  /// Reports whether a body is a page. With an HTML type it must begin with a tag: some frameworks send a text such as
  /// `OK` under that type.
  package static func isPage(_ body: [UInt8], type: String?) -> Bool {
    let isTagged = body.first { $0 > 0x20 } == UInt8(ascii: "<")
    let name = type?.lowercased() ?? ""
    let isHTML = name.hasPrefix("text/html") || name.hasPrefix("application/xhtml+xml")
    return isHTML && isTagged || beginsLikeAPage(body)
  }

  /// Reports whether it begins with a doctype, a comment or an HTML element. Other XML of a backend has other elements.
  package static func beginsLikeAPage(_ body: [UInt8]) -> Bool {
    let start = body.drop { $0 <= 0x20 }.prefix(14)
    let text = String(decoding: start, as: UTF8.self).lowercased()
    if text.hasPrefix("<!doctype html") || text.hasPrefix("<!--") { return true }
    guard text.first == "<" else { return false }
    return elements.contains(String(text.dropFirst().prefix { $0.isLetter || $0.isNumber }))
  }

  private static let elements: Set<String> = [
    "html", "head", "title", "meta", "link", "base", "script", "style", "body", "h1", "h2", "p", "div", "center",
    "table", "form", "iframe", "a", "br", "b", "font", "pre",
  ]
}

/// The judgement of one answer.
package struct Judgement: Equatable, Sendable {
  /// The clauses that it tested.
  package private(set) var judged: [Clause] = []
  package private(set) var findings: [Finding] = []
  /// Whether a command in it stops the device.
  package internal(set) var stopsTheDevice = false

  package init() {}

  /// Adds a judgement; `problem` is nil when the clause was kept. A clause may have several problems in one answer.
  mutating func judge(_ clause: Clause, _ problem: String?, remedy: String? = nil) {
    if judged.last != clause && !judged.contains(clause) { judged.append(clause) }
    if let problem { findings.append(Finding(clause, problem, remedy: remedy)) }
  }

  mutating func judge(_ clause: Clause, isBroken: Bool, _ detail: @autoclosure () -> String) {
    judge(clause, isBroken ? detail() : nil)
  }
}

/// The effect of an upload's status on the queue (SDK §9.1).
extension AnswerChecker {
  mutating func judgeStatus(_ answer: ObservedAnswer, into judgement: inout Judgement) {
    let print = RequestPrint(answer.request)
    let status = answer.outcome.status
    guard status != 0 else {
      if unanswered.count < AnswerChecker.unansweredMax { unanswered.insert(print) }
      return
    }
    let isSuccess = 200..<300 ~= status
    judgement.judge(.noRedirect, isBroken: 300..<400 ~= status, redirect(answer, status))
    if isSuccess {
      judgement.judge(.usualSuccess, isBroken: ![200, 201, 204].contains(status), "status \(status)")
    }
    let isRefusal = AnswerChecker.isRefusal(status)
    judgement.judge(.refusesNoRecord, isBroken: isRefusal, "status \(status)\(AnswerChecker.reason(answer))")
    if unanswered.contains(print) || status == 409 {
      judgement.judge(
        .takesRepetitions, isBroken: isRefusal, "status \(status) to records that were sent before")
    }
    judgement.judge(
      .takesTheSize, isBroken: status == 413, "status 413 to a body of \(answer.request.body.count) bytes")
    judgement.judge(.noServerError, isBroken: status >= 500, "status \(status)\(AnswerChecker.reason(answer))")
    if let head = answer.head, !isSuccess {
      judgement.judge(
        .noRetryAfter, head[HeaderName.retryAfter].map { Clause.delayDetail(status: status) + $0 })
    }
    judgeQueue(print, status, isSuccess: isSuccess, into: &judgement)
    judgePermission(answer, status, into: &judgement)
    if isSuccess { unanswered.remove(print) }
  }

  /// A permanent client error of the record: neither a transient error nor one of the client itself.
  private static func isRefusal(_ status: Int) -> Bool {
    400..<500 ~= status && ![401, 403, 406, 408, 410, 413, 425, 429].contains(status)
  }

  private func redirect(_ answer: ObservedAnswer, _ status: Int) -> String {
    "status \(status)" + (answer.head?[HeaderName.location].map { " to \($0)" } ?? "")
  }

  private mutating func judgeQueue(
    _ print: RequestPrint, _ status: Int, isSuccess: Bool, into judgement: inout Judgement
  ) {
    if isSuccess {
      refusal = nil
    } else if let last = refusal, last.print == print, last.status == status {
      refusal?.count += 1
    } else {
      refusal = (print, status, 1)
    }
    let count = refusal?.count ?? 0
    judgement.judge(
      .queueMoves, count >= 3 ? "status \(status) to the same records \(count) times in a row" : nil,
      remedy: BlockedQueue(status).remedy)
  }

  /// Returns the beginning of the server's error message.
  static func reason(_ answer: ObservedAnswer) -> String {
    guard !answer.body.isEmpty, !answer.isPage else { return "" }
    let text = String(decoding: answer.body.prefix(120), as: UTF8.self).map { $0.isNewline ? " " : $0 }
    return ": " + String(text) + (answer.body.count > 120 ? "…" : "")
  }
}

/// Authorization of uploads (SDK §11).
extension AnswerChecker {
  private func judgePermission(_ answer: ObservedAnswer, _ status: Int, into judgement: inout Judgement) {
    if hasFreshToken {
      judgement.judge(
        .freshTokenIsTaken, isBroken: status == 401, "status 401 to a token that has just been handed out")
    }
    if status == 401 {
      judgement.judge(.refreshIsPossible, isBroken: !answer.canRefresh, "status 401, and no refreshUrl is configured")
      if let head = answer.head {
        judgement.judge(
          .challenge, isBroken: head[HeaderName.wwwAuthenticate] == nil,
          "status 401 without WWW-Authenticate")
      }
    }
    if answer.isContentKnown, [403, 406, 410].contains(status) {
      let hasCommands = !ReceivedCommands(inBody: answer.body.span).commands.isEmpty
      judgement.judge(
        .dismissalIsAnOrder, isBroken: !hasCommands, "status \(status) without a command; the device takes no action")
    }
  }
}

/// The body of an answer to an upload.
extension AnswerChecker {
  mutating func judgeBody(_ answer: ObservedAnswer, into judgement: inout Judgement) {
    guard case .answered(let status, reason: _, let body) = answer.outcome else { return }
    let document = answer.document
    if 200..<300 ~= status {
      judgement.judge(
        .noForeignPage, isBroken: answer.isPage, "status \(status) with a page: \(AnswerChecker.start(of: body))")
      judgement.judge(.noErrorInSuccess, document.flatMap(AnswerChecker.error).map { "status \(status) with \($0)" })
      judgement.judge(.isSmall, isBroken: body.count > AnswerChecker.smallBytes, "\(body.count) bytes")
      judgeCounts(answer, document, into: &judgement)
    }
    guard !body.isEmpty else { return }
    if let type = answer.head?.mediaType, type == "application/json" || type.hasSuffix("+json") {
      judgement.judge(.isJSON, isBroken: document == nil, "\(type) that begins with \(AnswerChecker.start(of: body))")
    }
    if let document { judgeCommands(document, into: &judgement) }
  }

  private static let smallBytes = 65_536

  static func start(of body: [UInt8]) -> String {
    String(String(decoding: body.prefix(40), as: UTF8.self).map { $0.isNewline ? " " : $0 })
  }

  /// What stands where an error would, and says that there is none.
  private static let namesOfNone: Set<String> = ["", "0", "none", "no", "null", "false", "ok", "success"]

  /// Returns the error that a document reports; nil without one.
  private static func error(in document: JSONValue) -> String? {
    for key in ["error", "errors", "exception"] {
      switch document[key] {
      case .string(let text)? where !namesOfNone.contains(text.lowercased()):
        return "\"\(key)\": \"\(text.prefix(80))\""
      case .array(let elements)? where !elements.isEmpty: return "a list of \"\(key)\""
      case .object(let object)? where !object.members.isEmpty && object["code"] != .integer(0):
        return "an object \"\(key)\""
      case .bool(true)?: return "\"\(key)\": true"
      default: continue
      }
    }
    for key in ["success", "ok"] where document[key] == .bool(false) { return "\"\(key)\": false" }
    for key in ["code", "status", "statusCode", "status_code"] {
      if case .integer(let code)? = document[key], 400..<600 ~= code { return "\"\(key)\": \(code)" }
    }
    if case .string(let status)? = document["status"], ["error", "fail", "failed"].contains(status.lowercased()) {
      return "\"status\": \"\(status)\""
    }
    return nil
  }

  /// Checks that the counts that a server reports add up to the number of records. Without one of the repeated records, the rest
  /// may be such: rows go out again after a lost answer (SDK §9.4), and some servers count as accepted only what is new.
  private func judgeCounts(_ answer: ObservedAnswer, _ document: JSONValue?, into judgement: inout Judgement) {
    // No request has more records, and a server may write any number.
    func count(_ key: String) -> Int? {
      if case .integer(let count)? = document?[key] { Int(Int32(clamping: count)) } else { nil }
    }
    let repeated = ["duplicate", "duplicates"].compactMap(count)
    guard let accepted = count("accepted"), !repeated.isEmpty else { return }
    let sum = accepted + repeated.reduce(0, +) + (count("quarantined") ?? 0)
    guard let sent = answer.request.recordCount else { return }
    judgement.judge(.takesAll, isBroken: sum < sent, "\(sum) of \(sent) records are accounted for")
  }
}

extension JSONValue {
  var isObject: Bool {
    if case .object = self { true } else { false }
  }
}

/// Whether an answer arrived, and when.
extension AnswerChecker {
  func judgeDelivery(_ answer: ObservedAnswer, into judgement: inout Judgement) {
    guard case .failed(let failure, let message) = answer.outcome else {
      for clause in [Clause.reachable, .speaksHTTP, .wholeAnswer, .inTime] { judgement.judge(clause, nil) }
      judgeTime(answer, into: &judgement)
      return
    }
    let detail = "\(URLParts(answer.request.url).withoutUser): \(message)"
    switch failure {
    case .unresolvable, .refused, .unreachable, .tls, .invalidURL: judgement.judge(.reachable, detail)
    case .protocolError: judgement.judge(.speaksHTTP, detail)
    case .reset, .incomplete: judgement.judge(.wholeAnswer, detail)
    case .timeout: judgement.judge(.inTime, "no answer within \(answer.request.timeout.shown)")
    case .cancelled: break
    }
  }

  private func judgeTime(_ answer: ObservedAnswer, into judgement: inout Judgement) {
    let limit = answer.request.timeout
    judgement.judge(
      .quick, isBroken: answer.duration.count > limit.count / 2,
      "it took \(answer.duration.shown) of \(limit.shown)")
  }
}

extension Nanoseconds {
  /// The text for messages.
  var shown: String {
    count < 1_000_000_000 ? "\(wholeMilliseconds) ms" : "\(Double(wholeMilliseconds / 100) / 10) s"
  }
}
