import Base
import Contract

/// The authorization of a device and the time from which a relative expiry of its access token counts (SDK §11.5).
struct HeldToken {
  let authorization: AuthorizationSettings
  var setAt: WallInstant

  /// Begins with a configuration. The time stays that of the last one where token and expiry are the same.
  init(_ authorization: AuthorizationSettings, after last: HeldToken?, at now: WallInstant) {
    let isSame =
      last?.authorization.accessToken == authorization.accessToken
      && last?.authorization.expires == authorization.expires
    self.authorization = authorization
    setAt = isSame ? last?.setAt ?? now : now
  }

  /// Nil for a token without an end.
  var end: WallInstant? { TokenExpiry.instant(of: authorization.expires, setAt: setAt) }
}
