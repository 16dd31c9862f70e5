import Base
import Contract
import JSON
import Upload

/// The rules of a protocol for the end of a request.
enum SendingRules: Sendable {
  /// https://opentelemetry.io/docs/specs/otlp/#otlphttp-response
  case openTelemetry
  /// https://prometheus.io/docs/specs/remote_write_spec/#retries--backoff
  case remoteWrite

  enum Verdict: Equatable {
    /// The receiver accepted all points or spans but `rejected`, with an optional message.
    case taken(rejected: Int64, message: String)
    /// Retry, not before that time has passed; nil: the sender chooses.
    case again(after: Nanoseconds?, reason: String)
    case refused(String)
  }

  /// Returns the verdict on an answer. `head` holds its unmodified header lines; `now` is the date and time for
  /// interpreting a date in it.
  func verdict(on outcome: RequestOutcome, head: [UInt8], at now: WallInstant) -> Verdict {
    switch outcome {
    case .failed(_, let message): return .again(after: nil, reason: message)
    case .answered(let status, _, let body):
      let message = SendingRules.message(in: body)
      let reason = "status \(status)" + (message.isEmpty ? "" : ": \(message)")
      switch status {
      case 200..<300: return self == .openTelemetry ? SendingRules.taken(body) : .taken(rejected: 0, message: "")
      case _ where isRetryable(status): return .again(after: RetryAfter.span(in: head, at: now), reason: reason)
      default: return .refused(reason)
      }
    }
  }

  private func isRetryable(_ status: Int) -> Bool {
    switch self {
    case .openTelemetry: [429, 502, 503, 504].contains(status)
    case .remoteWrite: status == 429 || (500..<600).contains(status)
    }
  }

  /// Reads `partial_success` (1) of an answer: the number of rejected items (1), and the reason (2).
  private static func taken(_ body: [UInt8]) -> Verdict {
    if body.first == UInt8(ascii: "{") {
      let partial = json(body)?["partialSuccess"]
      let count = partial?["rejectedDataPoints"] ?? partial?["rejectedSpans"]
      return .taken(rejected: max(0, count?.wholeNumber ?? 0), message: partial?["errorMessage"]?.words ?? "")
    }
    var answer = ProtobufReader(body[...])
    while let field = answer.next() {
      guard case .delimited(1, let content) = field else { continue }
      var partial = ProtobufReader(content)
      var (rejected, message): (Int64, String) = (0, "")
      while let field = partial.next() {
        switch field {
        case .varint(1, let count): rejected = Int64(bitPattern: count)
        case .delimited(2, let text): message = printable(text)
        default: break
        }
      }
      return .taken(rejected: max(0, rejected), message: message)
    }
    return .taken(rejected: 0, message: "")
  }

  /// Returns the message of an error: `message` of a `google.rpc.Status`, in either encoding, or the first line of text.
  private static func message(in body: [UInt8]) -> String {
    if let text = json(body)?["message"]?.words { return text }
    var status = ProtobufReader(body[...])
    if body.first == 0x08 || body.first == 0x12 {
      while let field = status.next() { if case .delimited(2, let text) = field { return printable(text) } }
    }
    return printable(body.prefix { $0 != UInt8(ascii: "\n") })
  }

  /// Returns at most 200 characters, without control characters.
  private static func printable(_ text: ArraySlice<UInt8>) -> String {
    let letters = String(decoding: text.prefix(800), as: UTF8.self).unicodeScalars.prefix(200)
    return String(String.UnicodeScalarView(letters.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }))
  }

  private static func json(_ body: [UInt8]) -> JSONValue? {
    do throws(JSONError) { return try JSONValue(parsing: body.span, reading: .lenient) } catch { return nil }
  }
}

extension JSONValue {
  /// 64-bit integers are strings in the JSON of protocol buffers; some receivers send numbers.
  fileprivate var wholeNumber: Int64? {
    switch self {
    case .integer(let number): number
    case .string(let digits): Int64(digits)
    default: nil
    }
  }

  fileprivate var words: String? { if case .string(let text) = self { text } else { nil } }
}
