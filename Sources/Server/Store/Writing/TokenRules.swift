import Base

/// Which tokens are good, told once for both stores: they read the rows that are looked at here, and write what follows.
package enum TokenRules {
  /// How long a refresh token that was used stays known, and a family that has expired: until then each can be told from a forged one.
  package static let keptMilliseconds = 30 * Day.milliseconds

  /// RFC 9700 §4.14.2: a used refresh token that comes again ends its family. A client that did not see the answer has to
  /// repeat itself, though, so for the grace time the last used token gets the same answer again.
  package static func verdict(
    on rotation: TokenRotation, of token: FoundRefreshToken, now: Int64
  ) -> RefreshVerdict {
    if token.state == FamilyState.deleted { return .refused(.deviceDeleted) }
    guard token.state == FamilyState.good else { return .refused(.revoked) }
    guard token.expires > now else { return .refused(.expired) }
    let isRepeated = token.isPrevious && now - token.rotated <= rotation.graceMilliseconds
    // Without rotation; a token that was used up while there was some stays used up.
    if rotation.successor == rotation.presented, token.isCurrent || isRepeated { return .prolonged }
    if token.isCurrent { return .rotated }
    return isRepeated ? .repeated : .replayed
  }

  /// Nil when an access token of this family may write as this device. No family: it is not in the store.
  package static func refusal(
    of credential: TokenCredential, for device: DeviceIdentity, family: FoundFamily?
  ) -> TokenRefusal? {
    guard let family else { return credential.isBinding ? .unknown : nil }
    if family.state == FamilyState.deleted, family.device == device { return .deviceDeleted }
    guard credential.isBinding else { return nil }
    guard family.state == FamilyState.good else { return .revoked }
    guard family.device == device else { return .wrongDevice }
    return credential.issuedAt.millisecondsSince1970 < family.accessFrom ? .expired : nil
  }
}

/// What is done with a refresh token that a store has found.
package enum RefreshVerdict: Sendable {
  /// Nothing is written.
  case refused(TokenRefusal)
  /// It stays, and lives longer.
  case prolonged
  /// It is used up, and its successor takes its place.
  case rotated
  /// The answer to its first use is given again.
  case repeated
  /// It is refused, and its family is revoked.
  case replayed
}

/// What a store knows of a refresh token that was presented.
package struct FoundRefreshToken: Sendable {
  /// That of its family, as `FamilyState` counts.
  let state: Int64
  let expires: Int64
  /// Not used up yet.
  let isCurrent: Bool
  /// The last one that was used up.
  let isPrevious: Bool
  /// When that was; 0 when none was.
  let rotated: Int64

  package init(state: Int64, expires: Int64, isCurrent: Bool, isPrevious: Bool, rotated: Int64) {
    self.state = state
    self.expires = expires
    self.isCurrent = isCurrent
    self.isPrevious = isPrevious
    self.rotated = rotated
  }
}

/// What a store knows of the family of an access token.
package struct FoundFamily: Sendable {
  let device: DeviceIdentity
  /// What was issued before is not taken any more.
  let accessFrom: Int64
  /// As `FamilyState` counts.
  let state: Int64

  package init(device: DeviceIdentity, accessFrom: Int64, state: Int64) {
    self.device = device
    self.accessFrom = accessFrom
    self.state = state
  }
}
