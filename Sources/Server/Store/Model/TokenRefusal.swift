/// Why a token is not taken.
package enum TokenRefusal: String, Equatable, Sendable {
  /// No family has or had this token, or its run was reset.
  case unknown
  case expired
  case revoked
  /// A used refresh token came back after the grace time; its family is revoked now.
  case replayed
  /// The family belongs to another device.
  case wrongDevice
  /// An administrator has deleted the device, and it has not registered again since.
  case deviceDeleted
}
