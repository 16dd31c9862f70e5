/// The names of header fields, in the case in which they are sent. HTTP1, which imports nothing, writes the fields that frame a
/// message itself.
package enum HeaderName {
  package static let accept: StaticString = "Accept"
  package static let acceptEncoding: StaticString = "Accept-Encoding"
  package static let allow: StaticString = "Allow"
  package static let amazonTarget: StaticString = "X-Amz-Target"
  package static let authorization: StaticString = "Authorization"
  package static let cacheControl: StaticString = "Cache-Control"
  package static let connection: StaticString = "Connection"
  package static let contentDisposition: StaticString = "Content-Disposition"
  package static let contentEncoding: StaticString = "Content-Encoding"
  package static let contentLength: StaticString = "Content-Length"
  package static let contentSecurityPolicy: StaticString = "Content-Security-Policy"
  package static let contentType: StaticString = "Content-Type"
  package static let cookie: StaticString = "Cookie"
  package static let crossOriginOpenerPolicy: StaticString = "Cross-Origin-Opener-Policy"
  package static let crossOriginResourcePolicy: StaticString = "Cross-Origin-Resource-Policy"
  package static let date: StaticString = "Date"
  package static let eTag: StaticString = "ETag"
  package static let expect: StaticString = "Expect"
  package static let host: StaticString = "Host"
  package static let idempotencyKey: StaticString = "Idempotency-Key"
  package static let ifNoneMatch: StaticString = "If-None-Match"
  package static let lastEventID: StaticString = "Last-Event-ID"
  package static let link: StaticString = "Link"
  package static let location: StaticString = "Location"
  package static let maxForwards: StaticString = "Max-Forwards"
  package static let origin: StaticString = "Origin"
  package static let proxyAuthorization: StaticString = "Proxy-Authorization"
  package static let proxyStatus: StaticString = "Proxy-Status"
  package static let referrerPolicy: StaticString = "Referrer-Policy"
  package static let retryAfter: StaticString = "Retry-After"
  package static let secFetchSite: StaticString = "Sec-Fetch-Site"
  package static let setCookie: StaticString = "Set-Cookie"
  package static let te: StaticString = "TE"
  package static let trailer: StaticString = "Trailer"
  package static let transferEncoding: StaticString = "Transfer-Encoding"
  package static let upgrade: StaticString = "Upgrade"
  package static let userAgent: StaticString = "User-Agent"
  package static let via: StaticString = "Via"
  package static let wwwAuthenticate: StaticString = "WWW-Authenticate"
  package static let contentTypeOptions: StaticString = "X-Content-Type-Options"
  package static let deviceID: StaticString = "X-Device-Id"
  package static let rollingroadSignature: StaticString = "X-Rollingroad-Signature"
  package static let runID: StaticString = "X-Run-Id"
}

extension String {
  /// Compares names of fields, ignoring the case of ASCII letters (RFC 9110 §5.1).
  package func isSameName(_ other: String) -> Bool {
    let (bytes, others) = (utf8.span, other.utf8.span)
    guard bytes.count == others.count else { return false }
    for index in bytes.indices where bytes[index] != others[index] {
      let isLetter = (bytes[index] | 0x20) &- UInt8(ascii: "a") < 26
      guard isLetter, bytes[index] ^ others[index] == 0x20 else { return false }
    }
    return true
  }
}

extension NameValuePair {
  package func hasName(_ other: String) -> Bool { name.isSameName(other) }

  package func hasName(_ other: StaticString) -> Bool {
    name.utf8.count == other.utf8CodeUnitCount && name.isSameName(other.description)
  }
}

/// The values of `Content-Type` that devices send.
package enum ContentType {
  package static let json = "application/json"
  package static let form = "application/x-www-form-urlencoded"
}
