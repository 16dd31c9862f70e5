/// Something in a configuration document that did not take effect as it stands there. Keys are written with their
/// groups, `http.url`.
package enum ConfigurationWarning: Equatable, Sendable {
  /// The document is no object; nothing changed.
  case notAnObject(found: String)
  /// Ignored. `nearest` is the known key that was probably meant.
  case unknownKey(String, nearest: String?)
  /// The old value stays.
  case wrongType(String, expected: String, found: String)
  /// The default took the place of the value.
  case notAllowed(String, expected: String, default: String)
  /// The nearest limit took the place of the value.
  case clamped(String, to: Double)
  /// The object lacks keys it must have; the old value stays.
  case incomplete(String, missing: [String])
  /// The key counts only when the SDK is made ready.
  case readyOnly(String)
  /// Records stay in the queue: the url is not http or https, or has no host.
  case unusableURL(String)
  case spaceInURL(String)
  /// The key has no effect because of another one.
  case withoutEffect(String, because: String)
  /// No field of the refresh request would hold the refresh token.
  case refreshTokenNotSent
  /// The `transistorAuthorizationToken` of a ready document lacks something; it is ignored.
  case unusableToken(FieldError)
}

extension ConfigurationWarning: CustomStringConvertible {
  /// For a device's log: in the SDK's words where it has some.
  package var description: String {
    switch self {
    case .notAnObject(let found): "The configuration must be an object, not \(found)"
    case .unknownKey(let key, nearest: _): "Unknown configuration key: \(key)"
    case .wrongType(let key, let expected, let found): "\(key) must be \(expected), not \(found)"
    case .notAllowed(let key, let expected, let fallback): "\(key) must be \(expected); using \(fallback)"
    case .clamped(let key, let limit): "\(key) is out of range; using \(limit)"
    case .incomplete(let key, let missing): "\(key) lacks \(missing.joined(separator: ", "))"
    case .readyOnly(let key): "\(key) counts only in ready"
    case .unusableURL(let key): "\(key) must be an http or https url with a host"
    case .spaceInURL(let key): "\(key) contains a space"
    case .withoutEffect(let key, let other): "\(key) has no effect because of \(other)"
    case .unusableToken(let error): "\(ReadyKey.transistorAuthorizationToken): \(error)"
    case .refreshTokenNotSent:
      "authorization.refreshPayload must contain \(TokenPlaceholder.refreshToken) in one of its values"
    }
  }

  /// For whoever wrote the document.
  package var explanation: String {
    if case .unknownKey(_, let nearest?) = self { "\(description) (did you mean \(nearest)?)" } else { description }
  }
}
