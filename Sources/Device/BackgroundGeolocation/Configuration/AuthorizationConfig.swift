import Contract
public import FoundationEssentials

/// The token of uploads, and how a new one is got when a server answers 401 or the token has expired.
public final class AuthorizationConfig: Sendable {
  private let box: ConfigurationBox

  init(_ box: ConfigurationBox) { self.box = box }

  /// Default `.jwt`.
  public var strategy: AuthorizationStrategy {
    get { AuthorizationStrategy(box.value.authorization.strategy) }
    set { box.edit { $0.authorization.strategy = newValue.contract } }
  }

  /// Nil: uploads carry no `Authorization`. Otherwise it replaces a configured header of that name.
  public var accessToken: String? {
    get { box.value.authorization.accessToken }
    set { box.edit { $0.authorization.accessToken = newValue } }
  }

  /// Takes the place of `{refreshToken}` in `refreshPayload`.
  public var refreshToken: String? {
    get { box.value.authorization.refreshToken }
    set { box.edit { $0.authorization.refreshToken = newValue } }
  }

  /// Where new tokens are asked for; nil: a 401 is a failure like any other.
  public var refreshUrl: String? {
    get { box.value.authorization.refreshUrl }
    set { box.edit { $0.authorization.refreshUrl = newValue } }
  }

  /// The fields of that request. One value must contain `{refreshToken}`, otherwise there is a warning in the log.
  public var refreshPayload: [String: Any] {
    get { box.value.authorization.refreshPayload.dictionary }
    set { box.set("authorization.refreshPayload", newValue) { $0.authorization.refreshPayload = $1 } }
  }

  /// The headers of that request; `{accessToken}` stands for the token.
  public var refreshHeaders: [String: Any] {
    get { box.value.authorization.refreshHeaders.dictionary }
    set { box.set("authorization.refreshHeaders", newValue) { $0.authorization.refreshHeaders = $1 } }
  }

  /// When the token ends: up to 10⁹ seconds from now, then seconds since 1970, beyond 10¹² milliseconds since 1970; 0
  /// or less for never.
  public var expires: TimeInterval {
    get { box.value.authorization.expires }
    set { box.edit { $0.authorization.expires = newValue } }
  }
}
