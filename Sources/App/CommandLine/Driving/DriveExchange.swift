import AnswerCheck
import Base
import Contract
import JSON
import Scenario
import Upload

/// Requests and answers, as a line or in full.
enum DriveExchange {
  /// `origin` is omitted from the URL.
  static func summary(of request: OutgoingRequest, besides origin: String) -> String {
    let what =
      switch request.purpose {
      case .records: request.recordCount.map { $0.of("record") + ", " } ?? ""
      case .refresh: "refresh, "
      case .log: "log, "
      }
    let whole = request.shown
    let place = "\(request.method) \(origin)"
    let isThere = !origin.isEmpty && whole.hasPrefix(place + "/")
    let shown = isThere ? "\(request.method) \(whole.dropFirst(place.count))" : whole
    return "\(shown)  \(what)\(request.body.count) bytes"
  }

  static func summary(of answer: ObservedAnswer) -> String {
    let time = "\(answer.duration.wholeMilliseconds) ms"
    switch answer.outcome {
    case .answered(let status, let reason, let body):
      let what = answer.outcome.wantedConnection ?? beginning(of: body, answer.request)
      return "\(status)\(reason.isEmpty ? "" : " \(reason)")  \(time)  \(what)"
    case .failed(let failure, let message): return "no answer (\(failure.rawValue))  \(time)  \(message)"
    }
  }

  private static func beginning(of body: [UInt8], _ request: OutgoingRequest) -> String {
    let text = withoutTokens(String(decoding: body.prefix(100), as: UTF8.self), request)
    return body.count > 100 ? text + "… (\(body.count) bytes)" : text
  }

  /// The answer as on the wire, as far as it is readable.
  static func lines(of answer: ObservedAnswer) -> [String] {
    let request = answer.request
    var lines = ["> \(request.shown)"]
    lines += request.headers.map { "> \($0.name): \($0.mayBeSecret ? "…" : $0.value)" }
    lines += ["> "] + text(request.body, request).map { "> \($0)" }
    switch answer.outcome {
    case .failed(let failure, let message): lines.append("< no answer: \(failure.rawValue), \(message)")
    case .answered(let status, let reason, let body):
      lines.append("< \(status) \(reason)")
      lines += (answer.head?.fields ?? []).map { "< \($0.name): \($0.value)" }
      lines += ["< "] + text(body, request).map { "< \($0)" }
    }
    return lines.map(DriveScreen.printable)
  }

  private static let shownBytes = 8_192

  private static func text(_ body: [UInt8], _ request: OutgoingRequest) -> [Substring] {
    if request.purpose != .refresh, body.count <= shownBytes, let lines = DriveExchange.indented(body) { return lines }
    let text = withoutTokens(String(decoding: body.prefix(shownBytes), as: UTF8.self), request)
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    return body.count > shownBytes ? lines + ["… \(body.count - shownBytes) bytes more"] : lines
  }

  /// Returns JSON that is too long for a line with one member per line; nil for anything else.
  private static func indented(_ body: [UInt8]) -> [Substring]? {
    guard body.count > 80, !body.contains(UInt8(ascii: "\n")) else { return nil }
    do throws(JSONError) { return try JSONValue(parsing: body.span).pretty.split(separator: "\n") } catch { return nil }
  }

  /// Hides the values in a refresh request and its answer, in JSON or in a form.
  private static func withoutTokens(_ text: String, _ request: OutgoingRequest) -> String {
    guard request.purpose == .refresh else { return text }
    var (shown, rest) = ("", text[...])
    while let mark = rest.firstIndex(where: { ":=".contains($0) }) {
      let value = rest[mark...].dropFirst().drop { $0 == " " }
      shown += rest[..<value.startIndex]
      let hidden = secret(at: value)
      if value.first == "\"" { shown += "\"" }
      if !hidden.isEmpty { shown += "…" }
      rest = text[hidden.endIndex...]
    }
    return shown + rest
  }

  /// Returns the value that begins here; for a text, the part inside its quotes.
  private static func secret(at value: Substring) -> Substring {
    guard value.first == "\"" else { return value.prefix { !"&,{}[]\n".contains($0) } }
    var isEscaped = false
    return value.dropFirst().prefix { letter in
      if isEscaped {
        isEscaped = false
        return true
      }
      isEscaped = letter == "\\"
      return letter != "\""
    }
  }
}
