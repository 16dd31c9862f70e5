package import Contract

/// A call back into the app: the SDK's events but those that uploads bring (behaviour §6).
package enum EngineEvent: Equatable, Sendable {
  /// Also samples of a request, and what a watch brings.
  case location(LocationRecord)
  case locationError(LocationError)
  /// The record's `isMoving` is the new state.
  case motionChange(LocationRecord)
  /// The record holds the trigger.
  case geofence(LocationRecord, Geofence)
  case geofencesChange(on: [Geofence], off: [String])
  case heartbeat(LocationRecord)
  case activityChange(Activity)
  case providerChange(ProviderState)
  case connectivityChange(isConnected: Bool)
  case enabledChange(isEnabled: Bool)
  case powerSaveChange(isPowerSaving: Bool)
  case schedule(EngineState)
  case locationFilter(FilteredLocation)
  /// Headless, on Android only.
  case boot(EngineState)
  /// Headless, on Android only.
  case terminate(EngineState)
}
