package import Base
package import JSON

/// The request for a new token of a device: always POST (SDK §11.2).
package struct RefreshRequest: Equatable, Sendable {
  package let url: String
  /// The content type first, then the configured refresh headers, then the upload headers that are not among them.
  package let headers: [NameValuePair]
  package let body: [UInt8]
  /// A configured content type that is neither JSON nor a form, and was replaced by that of a form.
  package let refusedContentType: String?

  /// Returns nil without a refresh url. `uploadHeaders` is `http.headers`.
  ///
  /// A header with a placeholder for the access token is left out when there is none; a missing refresh token is empty.
  package init?(_ settings: AuthorizationSettings, uploadHeaders: JSONValue) {
    guard let url = settings.refreshUrl else { return nil }
    self.url = url
    let configured = NameValuePair.list(settings.refreshHeaders).compactMap {
      $0.substituting(TokenPlaceholder.accessToken, with: settings.accessToken)
    }
    let contentType = configured.first { $0.hasName(HeaderName.contentType) }?.value
    let mediaType = contentType.map { $0.prefix { $0 != ";" && $0 != " " }.lowercased() }
    let isJSON = mediaType == ContentType.json
    refusedContentType = isJSON || mediaType == ContentType.form ? nil : contentType

    var headers = [NameValuePair(HeaderName.contentType, isJSON ? ContentType.json : ContentType.form)]
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

/// Reads the fields of a refresh request at a server; the app chooses their names. Forms, multipart and JSON bodies are all
/// passed as pairs.
package enum RefreshFields {
  /// Returns the refresh token: `refresh_token` in any spelling, or else `token`. Empty values do not count.
  package static func refreshToken(in pairs: [NameValuePair]) -> String? {
    for name in ["refreshtoken", "token"] {
      let found = pairs.first { FoundTokens.normalise($0.name) == name && !$0.value.isEmpty }
      if let found { return found.value }
    }
    return nil
  }
}

/// `application/x-www-form-urlencoded`, as defined in §5 of the WHATWG URL standard.
package enum FormEncoding {
  package static func encode(_ fields: [NameValuePair]) -> [UInt8] {
    var bytes: [UInt8] = []
    for field in fields {
      if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
      append(field.name, to: &bytes)
      bytes.append(UInt8(ascii: "="))
      append(field.value, to: &bytes)
    }
    return bytes
  }

  private static func append(_ text: String, to bytes: inout [UInt8]) {
    let digits = Array("0123456789ABCDEF".utf8)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "*"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"):
        bytes.append(byte)
      case UInt8(ascii: " "): bytes.append(UInt8(ascii: "+"))
      default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
  }
}

/// A header field or a form field.
package struct NameValuePair: Equatable, Sendable {
  package let name: String
  package let value: String

  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }

  /// Creates a header field.
  package init(_ header: StaticString, _ value: String) { self.init(header.description, value) }

  /// Whether the name says that the value may contain credentials.
  package var mayBeSecret: Bool {
    let name = name.lowercased()
    return ["auth", "cookie", "token", "key", "secret", "password"].contains { name.contains($0) }
  }

  /// Whether the name is this one, in the case in which it is sent.
  package func isNamed(_ header: StaticString) -> Bool { name == header.description }

  /// Returns the members of an object as texts, without nulls; empty for other values.
  package static func list(_ value: JSONValue) -> [NameValuePair] {
    guard case .object(let object) = value else { return [] }
    return object.members.compactMap { member in
      member.value.plainText.map { NameValuePair(member.key, $0) }
    }
  }

  /// Replaces the placeholder by the text. Returns nil when there is a placeholder but no text.
  func substituting(_ placeholder: String, with text: String?) -> NameValuePair? {
    guard value.contains(placeholder) else { return self }
    return text.map { NameValuePair(name, value.replacing(placeholder, with: $0)) }
  }
}

/// The tokens in the answer of any identity provider, found by their keys rather than their places (SDK §11.3).
package struct FoundTokens: Equatable, Sendable {
  /// The new access token; nil when the refresh has failed.
  package private(set) var accessToken: String?
  /// The new refresh token; nil when the old one stays in use.
  package private(set) var refreshToken: String?
  /// In a unit that `TokenExpiry` determines.
  package private(set) var expires: Double?
  /// The keys of expiries that are not numbers and were ignored.
  package private(set) var nonNumericExpiries: [String] = []

  private var accessPriority = Int.max

  /// Searches objects depth first in the order of the text, but not arrays. Of several names for an access token the best one
  /// counts, wherever it is; otherwise the first match.
  package init(searching answer: JSONValue) {
    if case .object(let object) = answer { search(object) }
  }

  /// Removes the case, `_` and `-` of a key, which do not matter.
  package static func normalise(_ key: String) -> String {
    key.lowercased().filter { $0 != "_" && $0 != "-" }
  }

  private mutating func search(_ object: JSONObject) {
    for member in object.members {
      let key = Self.normalise(member.key)
      switch member.value {
      case .string(let text) where !text.isEmpty: take(text, key)
      case .object(let inner): search(inner)
      case .null, .bool, .integer, .double, .string, .array: break
      }
      if Self.expiryKeys.contains(key) { takeExpiry(member.value, member.key) }
    }
  }

  private mutating func take(_ text: String, _ key: String) {
    if let priority = Self.accessKeys.firstIndex(of: key), priority < accessPriority {
      accessToken = text
      accessPriority = priority
    } else if key == Self.refreshKey && refreshToken == nil {
      refreshToken = text
    }
  }

  private mutating func takeExpiry(_ value: JSONValue, _ key: String) {
    if let number = value.coercedNumber {
      expires = expires ?? number
    } else {
      nonNumericExpiries.append(key)
    }
  }

  /// The best first. An identity token is second: Cognito sends it beside the access token, which it once replaced.
  private static let accessKeys = ["accesstoken", "idtoken", "token"]
  private static let refreshKey = "refreshtoken"
  /// Complete names, so that the lifetime of the refresh token (`refreshExpiresIn`, `refresh_expires_in`) does not match.
  private static let expiryKeys = ["expires", "expiresat", "expiresin", "expiry", "expiration", "exp"]
}

/// The meaning of the number `expires`. Sources disagree on its unit (SDK §11.5), so it is inferred from its size.
package enum TokenExpiry {
  /// The usual value for tokens without expiry; every number up to 0 has that meaning.
  package static let never = -1.0
  /// Numbers above are milliseconds since 1970.
  package static let greatestSeconds = 1e12
  /// Numbers above, up to `greatestSeconds`, are seconds since 1970; smaller ones count from the moment the token was set.
  package static let greatestRelativeSeconds = 1e9

  /// Returns the instant from which the token must be refreshed before use; nil when it never expires.
  package static func instant(of expires: Double, setAt: WallInstant) -> WallInstant? {
    guard expires > 0 else { return nil }
    let milliseconds =
      if expires > greatestSeconds {
        expires
      } else if expires > greatestRelativeSeconds {
        expires * 1_000
      } else {
        Double(setAt.millisecondsSince1970) + expires * 1_000
      }
    // An expiry beyond the last representable year is never reached.
    return Int64(exactly: milliseconds.rounded()).flatMap { WallInstant(exactly: $0) }
  }
}
