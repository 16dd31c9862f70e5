import Contract
import HTTP1
import JSON
import Store

/// An answer before serialization.
package struct Response: Sendable {
  private(set) var status: Int
  let contentType: StaticString
  var body: [UInt8]
  var fields: [(name: StaticString, value: String)] = []
  /// Extra header fields of a fault; `ServerFault.isField` holds for each.
  var askedFields: [NameValuePair] = []
  /// The device whose commands may be added; see `to`.
  var device: DeviceIdentity?
  /// The commands in the body.
  var carried: CarriedCommands?
  /// The error code in the body, for programs.
  private(set) var code: String?
  /// Whether the connection is reset instead of answering: a broken refresh can ask for it.
  var isCut = false
  /// The rest of the content when it is too long for memory; `body` is then only its beginning.
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

  /// Returns a JSON object whose members `write` writes.
  static func object(_ status: Int = 200, _ write: (inout JSONWriter) -> Void) -> Response {
    json(status) { writer in
      writer.beginObject()
      write(&writer)
      writer.endObject()
    }
  }

  static func error(_ status: Int, _ code: String, _ message: String, detail: JSONValue? = nil) -> Response {
    var response = json(status) { ErrorBody(code: code, message: message, detail: detail).json.write(to: &$0) }
    response.code = code
    return response
  }

  /// Returns an object with one number and an optional note.
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

/// Statuses recorded for requests that got no answer. No client ever receives them; the numbers are nginx's.
extension Response {
  /// The client has closed the connection before the answer.
  static let clientGone = Response(499, "text/plain", [])
  /// A fault closes the connection instead of answering.
  static let unsent = Response(444, "text/plain", [])

  /// Whether the answer was sent to a client.
  var isSent: Bool { status != Self.clientGone.status && status != Self.unsent.status }

  /// This answer, marked as not sent.
  var unsent: Response {
    var response = self
    response.status = Self.unsent.status
    return response
  }
}

/// Thrown to end a request early with an answer.
struct ResponseError: Error {
  let response: Response

  init(_ response: Response) { self.response = response }
}

extension Response {
  /// Refuses a message that is not a request of RFC 9112, or exceeds a limit.
  static func unreadable(_ error: HTTPError, bodyBytesMax: Int? = nil) -> Response {
    if error.code == .bodyTooLarge, let bodyBytesMax {
      return .error(413, "body_too_large", "the body is longer than \(bodyBytesMax) bytes, the limit of --max-body")
    }
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
    error(405, "method_not_allowed", "this path allows \(allowed)").with(HeaderName.allow, allowed)
  }

  static let notFound = Response.error(404, "not_found", "no route has this path; see /openapi.json")

  /// The store is overloaded. Sent before the record is taken, so that nothing is accepted and dropped.
  static let overloaded = Response.error(503, "overloaded", "the server is overloaded; try again")
    .with(HeaderName.retryAfter, "1")
}

extension Response {
  /// Returns the answer to a question to the store or the journal.
  static func found<Source>(
    by question: (Source) throws(StoreError) -> Response, in source: Source
  ) -> Response {
    do throws(StoreError) { return try question(source) } catch { return .unreadable(error) }
  }

  /// The readers are overloaded.
  static let tooManyQuestions = Response.error(503, "overloaded", "too many queries are waiting; try again")
    .with(HeaderName.retryAfter, "1")

  /// Returns the answer when the store cannot be read.
  static func unreadable(_ error: StoreError) -> Response {
    switch error.code {
    case .badCursor: .error(400, "bad_cursor", error.message)
    case .deviceDeleted: .error(404, "unknown_device", error.message)
    case .full: .error(503, "disk_full", error.message).with(HeaderName.retryAfter, "5")
    case .inputOutput: .error(503, "disk_failed", error.message).with(HeaderName.retryAfter, "5")
    case .unreachable: .error(503, "database_unreachable", error.message).with(HeaderName.retryAfter, "5")
    case .damaged: .error(503, "data_damaged", error.message)
    case .folderNotUsable, .folderInUse, .newerVersion, .foreignFile: .error(500, "store_unusable", error.message)
    }
  }

  /// Without the field iOS reports some 401s as failed connections, and the SDK then does not refresh (SDK §22, row 12). A
  /// missing token gets no error description (RFC 6750 §3.1). A `reason` contains no quotes and no backslashes (§3).
  static func unauthorized(_ code: String, _ message: String, _ reason: String? = nil) -> Response {
    var challenge = "Bearer realm=\"rollingroad\""
    if let reason { challenge += ", error=\"invalid_token\", error_description=\"\(reason)\"" }
    return error(401, code, message).with(HeaderName.wwwAuthenticate, challenge)
  }

  /// Nothing of the request was stored; the client keeps its records and retries.
  static func unavailable(_ outage: StoreOutage) -> Response {
    switch outage {
    case .full: .error(507, "disk_full", "there is no space left; nothing was stored").with(HeaderName.retryAfter, "5")
    case .inputOutput:
      .error(503, "disk_failed", "the disk failed; nothing was stored").with(HeaderName.retryAfter, "5")
    case .unreachable:
      .error(
        503, "database_unreachable", "the database cannot be reached or takes no writes; nothing was acknowledged"
      ).with(HeaderName.retryAfter, "5")
    case .damaged: .error(503, "data_damaged", "the data file is damaged; nothing was stored")
    case .stopping:
      .error(503, "stopping", "the server is stopping; nothing was stored").with(HeaderName.retryAfter, "1")
    }
  }
}

extension Response {
  /// How the content is delimited.
  enum Framing {
    /// By its length; it is complete in memory.
    case length
    /// In chunks (RFC 9112 §7.1).
    case chunked
    /// By the end of the connection, for HTTP/1.0 clients, which know no chunks.
    case connection
  }

  /// Returns whether an answer with this status can have content; others end after their head, whatever their fields say (RFC
  /// 9112 §6.3).
  static func hasContent(_ status: Int) -> Bool { status != 204 && status != 304 }

  /// Returns how the content is delimited for this client.
  func framing(for version: HTTPVersion) -> Framing {
    if rest == nil { return .length }
    return version == .http10 ? .connection : .chunked
  }

  /// Appends the answer; of a long one the part in memory. The content of an answer to HEAD is counted and omitted (RFC 9110
  /// §9.3.2). `length` overrides the declared length, to make it wrong.
  func append(
    to bytes: inout [UInt8], date: [UInt8], announcing announcement: ConnectionRules.Announcement, framing: Framing,
    withoutContent: Bool, claiming length: Int? = nil
  ) {
    ResponseWriter.statusLine(status, into: &bytes)
    appendDate(date, to: &bytes)
    HeadWriter.field(HeaderName.contentType, contentType, into: &bytes)
    switch framing {
    // An answer that can have no content gets no Content-Length (RFC 9110 §8.6).
    case .length where !Response.hasContent(status): break
    case .length: HeadWriter.contentLength(length ?? body.count, into: &bytes)
    case .chunked: HeadWriter.chunked(into: &bytes)
    case .connection: break
    }
    switch announcement {
    case .nothing: break
    case .keepAlive: HeadWriter.field(HeaderName.connection, "keep-alive", into: &bytes)
    case .close: HeadWriter.field(HeaderName.connection, "close", into: &bytes)
    }
    for field in fields { append(field.name, field.value, to: &bytes) }
    for field in askedFields {
      do throws(HTTPError) { try HeadWriter.field(field.name.utf8.span, field.value.utf8.span, into: &bytes) } catch {
        preconditionFailure("\(field.name) was checked before")
      }
    }
    HeadWriter.end(into: &bytes)
    if withoutContent || !Response.hasContent(status) { return }
    if case .chunked = framing { ChunkWriter.chunk(body.span, into: &bytes) } else { bytes += body }
  }

  private func appendDate(_ date: [UInt8], to bytes: inout [UInt8]) {
    do throws(HTTPError) { try HeadWriter.field(HeaderName.date, date.span, into: &bytes) } catch {
      preconditionFailure("a date has no control characters")
    }
  }

  /// Values come from this program; a line break in one is a programming error.
  private func append(_ name: StaticString, _ value: String, to bytes: inout [UInt8]) {
    do throws(HTTPError) { try HeadWriter.field(name, value.utf8.span, into: &bytes) } catch {
      preconditionFailure("\(name) has a control character")
    }
  }
}
