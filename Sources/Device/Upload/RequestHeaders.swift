import Contract
import JSON

/// The header fields of a device's requests (SDK §8.1, §20.5).
enum RequestHeaders {
  /// A configured field replaces one of the SDK's, except that a token overrides a configured authorization.
  static func upload(_ configuration: Configuration, userAgent: String) -> [NameValuePair] {
    var own = [NameValuePair(HeaderName.contentType.description, MediaType.json)]
    own.append(NameValuePair(HeaderName.userAgent.description, userAgent))
    return merged(own, token: configuration.authorization.headerValue, configured: configuration.http.headers)
  }

  static func refresh(_ request: RefreshRequest, userAgent: String) -> [NameValuePair] {
    let own = NameValuePair(HeaderName.userAgent.description, userAgent)
    let isConfigured = request.headers.contains { $0.hasName(own.name) }
    return (request.headers + (isConfigured ? [] : [own])).filter(\.isSendable)
  }

  /// iOS sends a log without what is configured, and without a token.
  static func log(_ configuration: Configuration, contentType: String, userAgent: String) -> [NameValuePair] {
    let type = NameValuePair(HeaderName.contentType.description, contentType)
    let agent = NameValuePair(HeaderName.userAgent.description, userAgent)
    guard configuration.platform == .android else { return [type, agent] }
    let configured = merged(
      [agent], token: configuration.authorization.headerValue, configured: configuration.http.headers)
    return [type] + configured.filter { !$0.hasName(type.name) }
  }

  private static func merged(
    _ own: [NameValuePair], token: String?, configured: JSONValue
  ) -> [NameValuePair] {
    let configured = NameValuePair.list(configured)
    var headers = own.filter { field in !configured.contains { $0.hasName(field.name) } }
    if let token { headers.append(NameValuePair(HeaderName.authorization.description, token)) }
    for field in configured where !headers.contains(where: { $0.hasName(field.name) }) { headers.append(field) }
    return headers.filter(\.isSendable)
  }
}

extension NameValuePair {
  /// Names of header fields ignore case (RFC 9110 §5.1).
  fileprivate func hasName(_ other: String) -> Bool { name.lowercased() == other.lowercased() }

  /// A name that is a token, and a value that stays on its line (RFC 9110 §5.6.2, §5.5): a configuration comes from a
  /// server and must not write lines of its own into a request.
  fileprivate var isSendable: Bool {
    let isName = !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
    return isName && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\t") }
  }
}
