package import Contract

/// A call back into the app: the SDK's events but those that uploads bring (SDK §6).
package enum EngineEvent: Equatable, Sendable {
  /// Also samples of a request, and what a watch brings.
  indirect case location(LocationRecord)
  case locationError(LocationError)
  /// The record's `isMoving` is the new state.
  indirect case motionChange(LocationRecord)
  /// The record holds the trigger.
  indirect case geofence(LocationRecord, Geofence)
  case geofencesChange(on: [Geofence], off: [String])
  indirect case heartbeat(LocationRecord)
  case activityChange(Activity)
  case providerChange(ProviderState)
  case connectivityChange(isConnected: Bool)
  case enabledChange(isEnabled: Bool)
  case powerSaveChange(isPowerSaving: Bool)
  indirect case schedule(EngineState)
  indirect case locationFilter(FilteredLocation)
  /// Headless, on Android only.
  indirect case boot(EngineState)
  /// Headless, on Android only.
  indirect case terminate(EngineState)
}
