import Contract
import JSON
import Upload

/// What the body of an answer to an upload says.
extension AnswerChecker {
  mutating func judgeBody(_ answer: ObservedAnswer, into judgement: inout Judgement) {
    guard case .answered(let status, reason: _, let body) = answer.outcome else { return }
    let document = answer.document
    if 200..<300 ~= status {
      judgement.judge(.noForeignPage, isBroken: answer.isPage, "status \(status) with a page: \(start(of: body))")
      judgement.judge(.noErrorInSuccess, document.flatMap(AnswerChecker.error).map { "status \(status) with \($0)" })
      judgement.judge(.isSmall, isBroken: body.count > AnswerChecker.smallBytes, "\(body.count) bytes")
      judgeCounts(answer, document, into: &judgement)
    }
    guard !body.isEmpty else { return }
    if let type = answer.head?.mediaType, type == "application/json" || type.hasSuffix("+json") {
      judgement.judge(.isJSON, isBroken: document == nil, "\(type) that begins with \(start(of: body))")
    }
    if let document { judgeCommands(document, into: &judgement) }
  }

  private static let smallBytes = 65_536

  private func start(of body: [UInt8]) -> String {
    String(String(decoding: body.prefix(40), as: UTF8.self).map { $0.isNewline ? " " : $0 })
  }

  /// What in a document says that something failed, if anything does.
  private static func error(in document: JSONValue) -> String? {
    for key in ["error", "errors", "exception"] {
      switch document[key] {
      case .string(let text)? where !text.isEmpty: return "\"\(key)\": \"\(text.prefix(80))\""
      case .array(let elements)? where !elements.isEmpty: return "a list of \"\(key)\""
      case .object?: return "an object \"\(key)\""
      case .bool(true)?: return "\"\(key)\": true"
      default: continue
      }
    }
    for key in ["success", "ok"] where document[key] == .bool(false) { return "\"\(key)\": false" }
    if case .string(let status)? = document["status"], ["error", "fail", "failed"].contains(status.lowercased()) {
      return "\"status\": \"\(status)\""
    }
    return nil
  }

  /// A server that counts what it did with the records has to come to as many as there were.
  private func judgeCounts(_ answer: ObservedAnswer, _ document: JSONValue?, into judgement: inout Judgement) {
    guard let document, case .integer(let accepted)? = document["accepted"] else { return }
    var sum = accepted
    for key in ["duplicate", "quarantined"] {
      if case .integer(let count)? = document[key] { sum += count }
    }
    guard let sent = AnswerChecker.recordCount(answer.request) else { return }
    judgement.judge(.takesAll, isBroken: sum < sent, "\(sum) of \(sent) records are accounted for")
  }

  /// Nil when the shape of the body does not tell: an array of values may be one record of a template.
  private static func recordCount(_ request: OutgoingRequest) -> Int? {
    let document: JSONValue
    do throws(JSONError) {
      document = try JSONValue(parsing: request.body.span, duplicateKeys: .lastWins)
    } catch { return nil }
    switch document {
    case .array(let elements): return elements.allSatisfy(\.isObject) ? elements.count : nil
    case .object(let object):
      let lists = object.members.compactMap { member -> [JSONValue]? in
        if case .array(let elements) = member.value, !elements.isEmpty, elements.allSatisfy(\.isObject) {
          return elements
        }
        return nil
      }
      return lists.count == 1 ? lists[0].count : lists.isEmpty ? 1 : nil
    default: return nil
    }
  }
}

extension JSONValue {
  var isObject: Bool {
    if case .object = self { true } else { false }
  }
}
