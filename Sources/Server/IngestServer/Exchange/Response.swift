import Contract
import HTTP1
import JSON
import Store

/// One answer, before it is put into bytes.
package struct Response: Sendable {
  let status: Int
  let contentType: StaticString
  var body: [UInt8]
  var fields: [(name: StaticString, value: String)] = []
  /// Those that somebody asked for; `ServerFault.isField` holds for each.
  var askedFields: [NameValuePair] = []
  /// Whose commands may be added; see `to`.
  var device: DeviceIdentity?
  /// The commands in the body.
  var carried: CarriedCommands?
  /// Of an error, what its body says for programs.
  private(set) var code: String?
  /// The connection is reset instead: a broken refresh can be asked for.
  var isCut = false
  /// The rest of the content when it is too long for memory: `body` is then its beginning only.
  var rest: ContentPage.Source?

  init(_ status: Int, _ contentType: StaticString, _ body: [UInt8]) {
    self.status = status
    self.contentType = contentType
    self.body = body
  }

  static func json(_ status: Int = 200, _ write: (inout JSONWriter) -> Void) -> Response {
    var writer = JSONWriter(capacity: 128)
    write(&writer)
    return Response(status, "application/json", writer.bytes)
  }

  static func error(_ status: Int, _ code: String, _ message: String, detail: JSONValue? = nil) -> Response {
    var response = json(status) { ErrorBody(code: code, message: message, detail: detail).json.write(to: &$0) }
    response.code = code
    return response
  }

  /// An object with one number, and what has to be known of it.
  static func count(_ key: StaticString, _ count: Int, note: String? = nil) -> Response {
    json { writer in
      writer.beginObject()
      writer.member(key, count)
      if let note { writer.member("note", note) }
      writer.endObject()
    }
  }

  func with(_ name: StaticString, _ value: String) -> Response {
    var response = self
    response.fields.append((name, value))
    return response
  }
}

extension Response {
  /// No request as RFC 9112 has it, or one beyond the limits.
  static func unreadable(_ error: HTTPError) -> Response {
    let code =
      switch error.status {
      case 413: "body_too_large"
      case 414: "target_too_long"
      case 417: "unknown_expectation"
      case 431: "head_too_large"
      case 501: "not_implemented"
      case 505: "version_not_supported"
      default: "bad_request"
      }
    return .error(error.status, code, error.reason)
  }

  /// RFC 9110 §15.5.6.
  static func methodNotAllowed(_ allowed: String) -> Response {
    error(405, "method_not_allowed", "this path takes \(allowed)").with("Allow", allowed)
  }

  static let notFound = Response.error(404, "not_found", "nothing is served under this path; see /openapi.json")

  /// The store cannot keep up. Said before the record is taken, so that nothing is accepted and dropped.
  static let overloaded = Response.error(503, "overloaded", "more is arriving than the disk takes; try again")
    .with("Retry-After", "1")
}
