package import Base

/// The tokens that descend from one registration. The store sees hashes of refresh tokens only.
package struct TokenFamily: Sendable {
  package var device: DeviceIdentity
  /// A hash of the first refresh token, which nobody ever had before.
  package var refresh: UUID128
  package var expiresAt: WallInstant

  package init(device: DeviceIdentity, refresh: UUID128, expiresAt: WallInstant) {
    self.device = device
    self.refresh = refresh
    self.expiresAt = expiresAt
  }
}
