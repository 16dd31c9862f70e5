/// Group `geolocation`: how positions are asked for and which of them become records (SDK §2.1).
package struct GeolocationSettings: Equatable, Sendable {
  /// A class of `DesiredAccuracy`, or any other number of metres.
  package var desiredAccuracy = -1.0
  /// 0 records every fix.
  package var distanceFilterMetres = 10.0
  /// As configured; no engine makes the region smaller than 150 m.
  package var stationaryRadiusMetres: Double
  package var stopTimeoutMinutes = 5.0
  /// 0 or less: never.
  package var stopAfterElapsedMinutes = -1.0
  package var disableElasticity = false
  /// 0 switches elasticity off.
  package var elasticityMultiplier = 1.0
  package var useSignificantChangesOnly = false
  package var locationTimeoutSeconds = 60.0
  package var locationAuthorizationRequest = LocationAuthorizationRequest.always
  package var disableLocationAuthorizationAlert = false
  package var locationAuthorizationAlert = LocationAuthorizationAlert()
  package var pausesLocationUpdatesAutomatically = true
  package var showsBackgroundLocationIndicator = true
  package var activityType = LocationPurpose.other
  package var geofenceProximityRadiusMetres = 2_000.0
  package var geofenceInitialTriggerEntry = true
  package var geofenceModeHighAccuracy = false
  /// -1: as many as the platform allows. The sources give no default; -1 is our choice.
  package var maxMonitoredGeofences = -1
  package var enableTimestampMeta = false
  /// Counts only while the distance filter is 0.
  package var locationUpdateIntervalMilliseconds = 1_000.0
  /// -1: no limit.
  package var fastestLocationUpdateIntervalMilliseconds = -1.0
  package var deferTimeMilliseconds = 0.0
  package var allowIdenticalLocations = false
  package var speedJumpFilterMetresPerSecond = 300.0
  package var filter = LocationFilterSettings()

  package init(platform: DevicePlatform) {
    stationaryRadiusMetres =
      switch platform {
      case .ios: 25
      case .android: 150
      }
  }
}
