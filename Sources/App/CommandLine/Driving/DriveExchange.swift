import AnswerCheck
import Base
import Contract
import Upload

/// Requests and answers, in a line and whole.
enum DriveExchange {
  static func summary(of request: OutgoingRequest) -> String {
    let what =
      switch request.purpose {
      case .records: request.recordCount.map { $0.of("record") + ", " } ?? ""
      case .refresh: "refresh, "
      case .log: "log, "
      }
    return "\(request.method) \(request.url)  \(what)\(request.body.count) bytes"
  }

  static func summary(of answer: ObservedAnswer) -> String {
    let time = "\(answer.duration.wholeMilliseconds) ms"
    switch answer.outcome {
    case .answered(let status, let reason, let body):
      return "\(status)\(reason.isEmpty ? "" : " \(reason)")  \(time)  \(beginning(of: body))"
    case .failed(let failure, let message): return "no answer (\(failure.rawValue))  \(time)  \(message)"
    }
  }

  private static func beginning(of body: [UInt8]) -> String {
    let text = String(decoding: body.prefix(100), as: UTF8.self)
    return body.count > 100 ? text + "… (\(body.count) bytes)" : text
  }

  /// As on the wire, as far as somebody can read it.
  static func lines(of answer: ObservedAnswer) -> [String] {
    let request = answer.request
    var lines = ["> \(request.method) \(request.url)"]
    lines += request.headers.map { "> \($0.name): \(isSecret($0) ? "…" : $0.value)" }
    lines += ["> "] + text(request.body).map { "> \($0)" }
    switch answer.outcome {
    case .failed(let failure, let message): lines.append("< no answer: \(failure.rawValue), \(message)")
    case .answered(let status, let reason, let body):
      lines.append("< \(status) \(reason)")
      lines += (answer.head?.fields ?? []).map { "< \($0.name): \($0.value)" }
      lines += ["< "] + text(body).map { "< \($0)" }
    }
    return lines.map(DriveScreen.printable)
  }

  private static func isSecret(_ field: NameValuePair) -> Bool { field.name.lowercased() == "authorization" }

  private static let shownBytes = 8_192

  private static func text(_ body: [UInt8]) -> [Substring] {
    let text = String(decoding: body.prefix(shownBytes), as: UTF8.self)
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    return body.count > shownBytes ? lines + ["… \(body.count - shownBytes) bytes more"] : lines
  }
}
