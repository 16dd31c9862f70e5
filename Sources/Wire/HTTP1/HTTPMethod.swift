/// The registered methods that a server here may want to tell apart. Methods are case-sensitive (RFC 9110 §9.1), so
/// `get` is `other`; its bytes stay readable in the head.
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
