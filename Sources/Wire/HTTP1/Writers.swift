/// Appends the lines of a head. Text that does not come from our own source code is checked, so that no value can end its line
/// and begin a field or a message of its own; on an error nothing is appended.
///
/// One framing field must be written for a message with content: `contentLength` or `chunked`.
package enum HeadWriter {
  /// Appends a field whose name and value are constants of the program.
  package static func field(_ name: StaticString, _ value: StaticString, into out: inout [UInt8]) {
    out.append(name)
    out.append(": ")
    out.append(value)
    out.append("\r\n")
  }

  package static func field(_ name: StaticString, _ number: Int, into out: inout [UInt8]) {
    out.append(name)
    out.append(": ")
    out.append(decimal: number)
    out.append("\r\n")
  }

  /// Appends a field whose value is not a constant; throws `invalidFieldValue` if it has a control character.
  package static func field(
    _ name: StaticString, _ value: Span<UInt8>, into out: inout [UInt8]
  ) throws(HTTPError) {
    try checkValue(value)
    out.append(name)
    out.append(": ")
    out.append(copying: value)
    out.append("\r\n")
  }

  /// Appends a field whose name and value are not constants; throws `invalidFieldName` if the name is not a token.
  package static func field(
    _ name: Span<UInt8>, _ value: Span<UInt8>, into out: inout [UInt8]
  ) throws(HTTPError) {
    guard !name.isEmpty else { throw HTTPError(.invalidFieldName, at: 0) }
    for index in name.indices where !ByteSet.token.contains(name[index]) {
      throw HTTPError(.invalidFieldName, at: index)
    }
    try checkValue(value)
    out.append(copying: name)
    out.append(": ")
    out.append(copying: value)
    out.append("\r\n")
  }

  package static func contentLength(_ length: Int, into out: inout [UInt8]) {
    precondition(length >= 0, "a length is not negative")
    field("Content-Length", length, into: &out)
  }

  package static func chunked(into out: inout [UInt8]) { field("Transfer-Encoding", "chunked", into: &out) }

  /// Appends the empty line.
  package static func end(into out: inout [UInt8]) { out.append("\r\n") }

  private static func checkValue(_ value: Span<UInt8>) throws(HTTPError) {
    for index in value.indices where value[index].isForbiddenControl { throw HTTPError(.invalidFieldValue, at: index) }
  }
}

/// Appends the start of a request; the fields follow with `HeadWriter`. The caller writes Host.
package enum RequestWriter {
  /// Appends `POST /locations HTTP/1.1`. `target` is written unchanged: its builder must escape it; otherwise this throws
  /// `invalidTargetCharacter`.
  package static func requestLine(
    _ method: HTTPMethod, _ target: Span<UInt8>, into out: inout [UInt8]
  ) throws(HTTPError) {
    precondition(method != .other, "a method needs a name")
    try requestLine(
      unsafe UnsafeBufferPointer(start: method.name.utf8Start, count: method.name.utf8CodeUnitCount).span,
      target, .http11, into: &out)
  }

  /// Returns the first character that a target cannot contain; nil when there is none.
  package static func characterOutsideTargets(in text: Substring) -> Character? {
    text.first { character in !character.utf8.allSatisfy(ByteSet.query.contains) }
  }

  /// Like the above, for any method and either version.
  package static func requestLine(
    _ method: Span<UInt8>, _ target: Span<UInt8>, _ version: HTTPVersion, into out: inout [UInt8]
  ) throws(HTTPError) {
    guard !method.isEmpty, !target.isEmpty else { throw HTTPError(.malformedRequestLine, at: 0) }
    for index in method.indices where !ByteSet.token.contains(method[index]) {
      throw HTTPError(.malformedRequestLine, at: index)
    }
    for index in target.indices where !(ByteSet.query.contains(target[index])) {
      throw HTTPError(.invalidTargetCharacter, at: index)
    }
    out.append(copying: method)
    out.append(" ")
    out.append(copying: target)
    out.append(version == .http11 ? " HTTP/1.1\r\n" : " HTTP/1.0\r\n")
  }
}

/// Appends the start of a response; the fields follow with `HeadWriter`.
package enum ResponseWriter {
  /// `HTTP/1.1 200 OK`. The version is the server's, not the request's (RFC 9110 §2.5).
  package static func statusLine(_ status: Int, into out: inout [UInt8]) {
    precondition((100...599).contains(status), "no status code")
    out.append("HTTP/1.1 ")
    out.append(decimal: status)
    out.append(" ")
    out.append(StatusReason.phrase(for: status))
    out.append("\r\n")
  }

  /// The complete interim answer to a client that waits before it sends its body.
  package static func interimContinue(into out: inout [UInt8]) { out.append("HTTP/1.1 100 Continue\r\n\r\n") }
}

/// Reason phrases (RFC 9110 §15, RFC 6585). They have no meaning; an unknown status has an empty one.
package enum StatusReason {
  package static func phrase(for status: Int) -> StaticString {
    switch status {
    case 100: "Continue"
    case 200: "OK"
    case 201: "Created"
    case 202: "Accepted"
    case 204: "No Content"
    case 206: "Partial Content"
    case 301: "Moved Permanently"
    case 302: "Found"
    case 303: "See Other"
    case 304: "Not Modified"
    case 307: "Temporary Redirect"
    case 308: "Permanent Redirect"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 406: "Not Acceptable"
    case 408: "Request Timeout"
    case 409: "Conflict"
    case 410: "Gone"
    case 411: "Length Required"
    case 412: "Precondition Failed"
    case 413: "Content Too Large"
    case 414: "URI Too Long"
    case 415: "Unsupported Media Type"
    case 417: "Expectation Failed"
    case 422: "Unprocessable Content"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 502: "Bad Gateway"
    case 503: "Service Unavailable"
    case 504: "Gateway Timeout"
    case 505: "HTTP Version Not Supported"
    case 507: "Insufficient Storage"
    default: ""
    }
  }
}

/// Appends the chunks of a body (RFC 9112 §7.1) for a message whose head declares `chunked`.
package enum ChunkWriter {
  /// Appends nothing for an empty run: a chunk of size 0 would end the body.
  package static func chunk(_ bytes: Span<UInt8>, into out: inout [UInt8]) {
    if bytes.isEmpty { return }
    out.append(hexadecimal: bytes.count)
    out.append("\r\n")
    out.append(copying: bytes)
    out.append("\r\n")
  }

  /// Ends the body; there are no trailers.
  package static func end(into out: inout [UInt8]) { out.append("0\r\n\r\n") }
}
