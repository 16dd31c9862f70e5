package import Base

/// What an access token says about itself, its signature and its expiry already checked by the caller.
package struct TokenCredential: Sendable {
  package var family: Int64
  package var issuedAt: WallInstant
  /// False where no token is asked for: then only a token of a deleted device is refused.
  package var isBinding: Bool

  package init(family: Int64, issuedAt: WallInstant, isBinding: Bool = true) {
    self.family = family
    self.issuedAt = issuedAt
    self.isBinding = isBinding
  }
}
