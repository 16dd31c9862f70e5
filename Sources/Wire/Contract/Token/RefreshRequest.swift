package import JSON

/// The request by which a device gets a new token: always POST (SDK §11.2).
package struct RefreshRequest: Equatable, Sendable {
  package let url: String
  /// The content type first, then the configured refresh headers, then those of uploads that are not among them.
  package let headers: [NameValuePair]
  package let body: [UInt8]
  /// A configured content type that is neither JSON nor a form, and was replaced by that of a form.
  package let refusedContentType: String?

  /// Nil when there is nowhere to ask. `uploadHeaders` is `http.headers`.
  ///
  /// A header that must hold an access token is left out when there is none; a missing refresh token is empty.
  package init?(_ settings: AuthorizationSettings, uploadHeaders: JSONValue) {
    guard let url = settings.refreshUrl else { return nil }
    self.url = url
    let configured = NameValuePair.list(settings.refreshHeaders).compactMap {
      $0.substituting(TokenPlaceholder.accessToken, with: settings.accessToken)
    }
    let contentType = configured.first { $0.hasName(HeaderName.contentType.description) }?.value
    let mediaType = contentType.map { $0.prefix { $0 != ";" && $0 != " " }.lowercased() }
    let isJSON = mediaType == MediaType.json
    refusedContentType = isJSON || mediaType == MediaType.form ? nil : contentType

    var headers = [NameValuePair(HeaderName.contentType.description, isJSON ? MediaType.json : MediaType.form)]
    for header in configured + NameValuePair.list(uploadHeaders) {
      if !headers.contains(where: { $0.hasName(header.name) }) { headers.append(header) }
    }
    self.headers = headers
    let fields = NameValuePair.list(settings.refreshPayload).compactMap {
      $0.substituting(TokenPlaceholder.refreshToken, with: settings.refreshToken ?? "")
    }
    body = isJSON ? Self.json(fields) : FormEncoding.encode(fields)
  }

  private static func json(_ fields: [NameValuePair]) -> [UInt8] {
    var writer = JSONWriter(capacity: 256)
    writer.beginObject()
    for field in fields {
      writer.key(field.name)
      writer.value(field.value)
    }
    writer.endObject()
    return writer.bytes
  }
}

extension NameValuePair {
  /// Names of header fields ignore case (RFC 9110 §5.1).
  fileprivate func hasName(_ other: String) -> Bool { name.lowercased() == other.lowercased() }
}
