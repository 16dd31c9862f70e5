package import JSON

/// The request by which a device gets a new token: always POST (behaviour §11.2).
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
    let configured = Self.headers(settings.refreshHeaders, accessToken: settings.accessToken)
    let contentType = configured.first { Self.isContentType($0.name) }?.value
    let mediaType = contentType.map { $0.prefix { $0 != ";" && $0 != " " }.lowercased() }
    let isJSON = mediaType == ContentTypeHeader.json
    refusedContentType = isJSON || mediaType == ContentTypeHeader.form ? nil : contentType

    var headers = [NameValuePair(ContentTypeHeader.name, isJSON ? ContentTypeHeader.json : ContentTypeHeader.form)]
    for header in configured + Self.headers(uploadHeaders, accessToken: nil) {
      let name = header.name.lowercased()
      if !headers.contains(where: { $0.name.lowercased() == name }) { headers.append(header) }
    }
    self.headers = headers
    let fields = Self.fields(settings.refreshPayload, refreshToken: settings.refreshToken ?? "")
    body = isJSON ? Self.json(fields) : FormEncoding.encode(fields)
  }

  private static func isContentType(_ name: String) -> Bool {
    name.lowercased() == ContentTypeHeader.name.lowercased()
  }

  private static func headers(_ value: JSONValue, accessToken: String?) -> [NameValuePair] {
    guard case .object(let object) = value else { return [] }
    return object.members.compactMap { member in
      guard let text = member.value.plainText else { return nil }
      let parts = text.split(on: TokenPlaceholder.accessToken)
      guard parts.count > 1 else { return NameValuePair(member.key, text) }
      return accessToken.map { NameValuePair(member.key, parts.joined(separator: $0)) }
    }
  }

  private static func fields(_ payload: JSONValue, refreshToken: String) -> [NameValuePair] {
    guard case .object(let object) = payload else { return [] }
    return object.members.compactMap { member in
      guard let text = member.value.plainText else { return nil }
      let parts = text.split(on: TokenPlaceholder.refreshToken)
      return NameValuePair(member.key, parts.joined(separator: refreshToken))
    }
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
