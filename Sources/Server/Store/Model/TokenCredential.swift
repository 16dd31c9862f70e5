package import Base

/// What an access token says about itself, its signature and its expiry already checked by the caller.
package struct TokenCredential: Sendable {
  package var family: Int64
  package var issuedAt: WallInstant

  package init(family: Int64, issuedAt: WallInstant) {
    self.family = family
    self.issuedAt = issuedAt
  }
}
