import Base

/// The rules for accepting tokens, shared by both stores: they read the rows examined here and write the consequences.
package enum TokenRules {
  /// How long a used refresh token and an expired family are kept: until then each can be told from a forged one.
  package static let keptMilliseconds = 30 * Day.milliseconds

  /// RFC 9700 §4.14.2: a used refresh token that is presented again revokes its family. But a client that did not get the
  /// answer must repeat its request, so during the grace period the last used token gets the same answer again.
  package static func verdict(
    on rotation: TokenRotation, of token: FoundRefreshToken, now: Int64
  ) -> RefreshVerdict {
    if token.state == FamilyState.deleted { return .refused(.deviceDeleted) }
    guard token.state == FamilyState.good else { return .refused(.revoked) }
    guard token.expires > now else { return .refused(.expired) }
    let isRepeated = token.isPrevious && now - token.rotated <= rotation.graceMilliseconds
    // Without rotation; a token that was used up under rotation stays used up.
    if rotation.successor == rotation.presented, token.isCurrent || isRepeated { return .prolonged }
    if token.isCurrent { return .rotated }
    return isRepeated ? .repeated : .replayed
  }

  /// Returns nil when an access token of this family may write as this device. A nil family is not in the store.
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

/// The treatment of a refresh token that the store has found.
package enum RefreshVerdict: Sendable {
  /// Write nothing.
  case refused(TokenRefusal)
  /// Keep the token and extend its lifetime.
  case prolonged
  /// Mark the token as used and store its successor.
  case rotated
  /// Repeat the answer to its first use.
  case repeated
  /// Refuse the token and revoke its family.
  case replayed
}

/// The stored state of a presented refresh token.
package struct FoundRefreshToken: Sendable {
  /// The state of its family, a `FamilyState`.
  let state: Int64
  let expires: Int64
  /// Whether it is not used up yet.
  let isCurrent: Bool
  /// Whether it is the last one that was used up.
  let isPrevious: Bool
  /// When the last one was used up; 0 when none was.
  let rotated: Int64

  package init(state: Int64, expires: Int64, isCurrent: Bool, isPrevious: Bool, rotated: Int64) {
    self.state = state
    self.expires = expires
    self.isCurrent = isCurrent
    self.isPrevious = isPrevious
    self.rotated = rotated
  }
}

/// The stored state of the family of an access token.
package struct FoundFamily: Sendable {
  let device: DeviceIdentity
  /// Tokens issued before this time are refused.
  let accessFrom: Int64
  /// A `FamilyState`.
  let state: Int64

  package init(device: DeviceIdentity, accessFrom: Int64, state: Int64) {
    self.device = device
    self.accessFrom = accessFrom
    self.state = state
  }
}
