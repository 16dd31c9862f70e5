package import Contract

/// A crossing that the system reported and that changes nothing: the `geofence` of `locationfilter` (SDK §6).
package struct GeofenceSuppression: Equatable, Sendable {
  /// As on the wire.
  package enum Reason: String, CaseIterable, Sendable {
    case duplicateEnter = "geofence-duplicate-enter"
    case spuriousExit = "geofence-spurious-exit"
  }

  package let identifier: String
  package let action: GeofenceTrigger.Action
  package let reason: Reason
  /// From the centre.
  package let distanceMetres: Double
  package let radiusMetres: Double

  /// Negative inside.
  package var outsideByMetres: Double { distanceMetres - radiusMetres }
}
