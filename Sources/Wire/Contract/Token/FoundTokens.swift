package import JSON

/// Tokens in the answer of any identity provider, searched by the names of the keys and not by their places
/// (SDK §11.3).
package struct FoundTokens: Equatable, Sendable {
  /// Nil: the refresh has failed.
  package private(set) var accessToken: String?
  /// Nil: the old one stays in use.
  package private(set) var refreshToken: String?
  /// In one of the units of `TokenExpiry`.
  package private(set) var expires: Double?
  /// Where an expiry stands that is no number. Such a one is passed over.
  package private(set) var nonNumericExpiries: [String] = []

  private var accessPriority = Int.max

  /// Walks objects depth first in the order of the text; arrays are not entered. Of the names for an access token the
  /// best one counts, wherever it is; otherwise what is found first.
  package init(searching answer: JSONValue) {
    if case .object(let object) = answer { search(object) }
  }

  /// Upper and lower case, `_` and `-` make no difference in a key.
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

  /// Best first. An identity token is second: Cognito sends it beside the access token, which it once replaced.
  private static let accessKeys = ["accesstoken", "idtoken", "token"]
  private static let refreshKey = "refreshtoken"
  /// Whole names, so that the lifetime of the refresh token (`refreshExpiresIn`, `refresh_expires_in`) is none of them.
  private static let expiryKeys = ["expires", "expiresat", "expiresin", "expiry", "expiration", "exp"]
}
