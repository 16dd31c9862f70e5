import Contract
package import HTTP1

/// A complete request, as passed to the handlers of a service.
package struct ServiceRequest: Sendable {
  package let method: HTTPMethod
  /// The decoded segments of the path.
  package let path: [String]
  package let query: [FormItem]
  package internal(set) var body: [UInt8] = []
  /// The text after `Bearer ` in the Authorization field.
  package let bearer: String?
  /// Without parameters; nil when there is none, or it cannot be parsed.
  package let mediaType: String?
  /// The entity tag that a browser has cached.
  package let ifNoneMatch: String?
  package let caller: BrowserCaller
  /// Whether the client is on this machine.
  package let isLocal: Bool

  init(_ head: borrowing RequestHead, limits: HTTPLimits, isLocal: Bool) throws(HTTPError) {
    func text(_ name: StaticString) -> String? { head.fields.value(name).flatMap { head.fields.text($0) } }
    method = head.method
    path = head.segments.compactMap { head.fields.text($0) }
    query = try head.queryItems(limits: limits)
    bearer = head.fields.value(.authorization).flatMap { head.fields.text($0) }.flatMap(ServiceRequest.bearer)
    mediaType = head.fields.value(.contentType).flatMap { ServiceRequest.essence(head[$0]) }
    ifNoneMatch = text(HeaderName.ifNoneMatch)
    caller = BrowserCaller(
      host: text(HeaderName.host), origin: text(HeaderName.origin), site: text(HeaderName.secFetchSite))
    self.isLocal = isLocal
  }

  package func parameter(_ name: String) -> String? { query.first { $0.name == name }?.value }

  /// The scheme is case-insensitive (RFC 9110 §11.1).
  private static func bearer(_ authorization: String) -> String? {
    let words = authorization.split(separator: " ", maxSplits: 1)
    guard words.count == 2, words[0].lowercased() == "bearer" else { return nil }
    return String(words[1].drop { $0 == " " })
  }

  private static func essence(_ bytes: Span<UInt8>) -> String? {
    do throws(HTTPError) { return try MediaType(parsing: bytes).essence } catch { return nil }
  }
}
