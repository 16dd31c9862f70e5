/// What an app without a schedule starts.
package enum FleetMode: String, CaseIterable, Sendable {
  /// Tracking.
  case location
  /// The monitoring of its geofences, and nothing else.
  case geofences
}
