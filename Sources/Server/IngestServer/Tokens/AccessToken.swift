import Base

/// What an access token says. `scope` tells a device's token from an administrator's, so that neither passes for the other.
struct AccessToken: Equatable {
  enum Scope: String {
    case device, admin
  }

  let scope: Scope
  /// The device that the token speaks for; of an admin token, a name for the log.
  let subject: String
  /// The refresh tokens that descend from one registration; revoking the family ends all its access tokens.
  let family: Int64
  let issuedAt: WallInstant
  let expiresAt: WallInstant
  /// Another holder of the key may say that a token begins later than it was made (RFC 7519 §4.1.5); this server does not.
  var notBefore: WallInstant?
}

/// Why a token is not accepted. All but the times and the type mean that it was never ours.
enum AccessTokenError: Error, Equatable {
  case malformed, wrongAlgorithm, unknownKey, wrongSignature, wrongType, expired, notYetValid
}
