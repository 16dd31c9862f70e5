package import Base

/// A request that a scenario sends unmodified: from a finding of `conform`, or from a recorded session.
package struct WrittenRequest: Equatable, Sendable {
  /// The time since the start of the run.
  package var start = Nanoseconds.zero
  /// Requests of one device share a connection, one after the other.
  package var device = ""
  package var method = "POST"
  package var path = "/"
  package var headers: [Named<String>] = []
  package var body = ""
  package var base64: String?
  /// The expected status of the answer, if recorded.
  package var status: Int?

  package init() {}

  package var bytes: [UInt8] { base64.flatMap(Base64.bytes) ?? Array(body.utf8) }
}

extension WrittenRequest: ScenarioSection {
  static let table = Table<WrittenRequest>(
    "request", "A request that is sent unchanged to the server of `target.url`.",
    [
      .key("at", \.start, .duration, "When it is sent, since the run began."),
      .key(
        "device", \.device, .text,
        "Device of the request. Requests of one device share a connection, one after the other."),
      .key("method", \.method, .text, "The method."),
      .key("path", \.path, .text, "Path and query."),
      .key(
        "headers", \.headers, .map(of: .text),
        "Header fields, under those of `target.headers`. `Host` and `Content-Length` are added."),
      .key("body", \.body, .text, "The body as text."),
      .optional(
        "bodyBase64", \.base64,
        .text(pattern: "^[A-Za-z0-9+/]*={0,2}$", words: "base64", where: { Base64.bytes($0) != nil }),
        "The body as base64, instead of `body`."),
      .optional("status", \.status, .integer(100...599), "Expected status of the answer."),
    ])
}

extension ValueCodec where Value == WrittenRequest {
  static var request: ValueCodec {
    let section = ValueCodec.section()
    return ValueCodec(section.schema) { value, context in
      if value["body"] != nil, let other = value["bodyBase64"] {
        context.inside("bodyBase64") {
          $0.refuse(.contradiction, other.position, "both body and bodyBase64", remedy: "keep one of them")
        }
      }
      return section.read(value, &context)
    }
  }
}
