/// The registered methods that servers here distinguish. Methods are case-sensitive (RFC 9110 §9.1), so `get` is `other`; its
/// bytes remain available in the head.
package enum HTTPMethod: UInt8, Sendable, CaseIterable {
  case get, head, post, put, delete, options, patch, trace, connect, other

  /// The method as written in a request line; empty for `other`.
  package var name: StaticString {
    switch self {
    case .get: "GET"
    case .head: "HEAD"
    case .post: "POST"
    case .put: "PUT"
    case .delete: "DELETE"
    case .options: "OPTIONS"
    case .patch: "PATCH"
    case .trace: "TRACE"
    case .connect: "CONNECT"
    case .other: ""
    }
  }

  init(_ bytes: Span<UInt8>) {
    switch bytes.count {
    case 3: self = bytes.equals("GET") ? .get : bytes.equals("PUT") ? .put : .other
    case 4: self = bytes.equals("POST") ? .post : bytes.equals("HEAD") ? .head : .other
    case 5: self = bytes.equals("PATCH") ? .patch : bytes.equals("TRACE") ? .trace : .other
    case 6: self = bytes.equals("DELETE") ? .delete : .other
    case 7: self = bytes.equals("OPTIONS") ? .options : bytes.equals("CONNECT") ? .connect : .other
    default: self = .other
    }
  }
}

/// The supported versions. A higher minor version of HTTP/1 is treated as 1.1 (RFC 9110 §2.5).
package enum HTTPVersion: UInt8, Sendable {
  case http10, http11

  /// The length of `HTTP/d.d`, the only form of a version on the wire (RFC 9112 §2.3).
  static let byteCount = 8

  /// Reads eight bytes that begin at `start` and end before `end`.
  init(_ bytes: Span<UInt8>, at start: Int, end: Int, malformed: HTTPError.Code) throws(HTTPError) {
    let prefix: StaticString = "HTTP/"
    for index in 0..<Self.byteCount {
      let place = start + index
      guard place < end else { throw HTTPError(malformed, at: end) }
      let byte = bytes[place]
      let expected =
        switch index {
        case 5, 7: byte.isDigit
        case 6: byte == .dot
        default: unsafe prefix.utf8Start[index] == byte
        }
      guard expected else { throw HTTPError(malformed, at: place) }
    }
    guard bytes[start + 5] == UInt8(ascii: "1") else { throw HTTPError(.versionNotSupported, at: start + 5) }
    self = bytes[start + 7] == UInt8(ascii: "0") ? .http10 : .http11
  }
}
