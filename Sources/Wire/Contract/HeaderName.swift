/// The names of the header fields that carry meaning between device and server, in the case in which they are sent.
/// The HTTP module has those that frame a message.
package enum HeaderName {
  package static let authorization: StaticString = "Authorization"
  package static let contentEncoding: StaticString = "Content-Encoding"
  package static let contentType: StaticString = "Content-Type"
  package static let deviceID: StaticString = "X-Device-Id"
  package static let runID: StaticString = "X-Run-Id"
  package static let retryAfter: StaticString = "Retry-After"
  package static let userAgent: StaticString = "User-Agent"
  package static let wwwAuthenticate: StaticString = "WWW-Authenticate"
}

/// The values of `Content-Type` that devices send.
package enum ContentType {
  package static let json = "application/json"
  package static let form = "application/x-www-form-urlencoded"
}
