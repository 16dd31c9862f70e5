import Base
import Contract

/// The parts of the configuration that the engine reads at every step, as plain values: reading a group of the
/// configuration copies all of it.
struct EngineSettings: Sendable {
  var filterRules: FilterRules
  var odometerRules: OdometerRules
  var geofenceRules: GeofenceRules
  var isGeofenceModeHighAccuracy: Bool
  var extras: RenderedObject
  var persistMode: PersistMode
  var persistsNothing: Bool
  var logLevel: Contract.LogLevel
  var addsTimestampMeta: Bool
  var minimumConfidence: Int
  var isStopDetectionDisabled: Bool
  var usesSignificantChangesOnly: Bool
  /// Whether Android's separate mode for significant changes is on (SDK §12.7).
  var followsSignificantChanges: Bool
  var stopTimeout: Nanoseconds
  var stopDetectionDelay: Nanoseconds
  var motionTriggerDelay: Nanoseconds
  var regionRadiusMetres: Double
  var allowedTriggers: TriggerActivities

  init(_ configuration: Configuration, profile: PlatformProfile, quirks: EngineQuirks) {
    let geolocation = configuration.geolocation
    let activity = configuration.activity
    let persistence = configuration.persistence
    filterRules = FilterRules(configuration)
    odometerRules = OdometerRules(geolocation.filter, isAsObserved: quirks.odometerIsAsObserved)
    geofenceRules = GeofenceRules(configuration, isGeofenceMode: false)
    isGeofenceModeHighAccuracy = geolocation.geofenceModeHighAccuracy
    extras = RenderedObject(persistence.extras) ?? .empty
    persistMode = persistence.persistMode
    persistsNothing = persistence.maxRecordsToPersist == 0
    logLevel = configuration.logger.logLevel
    addsTimestampMeta = geolocation.enableTimestampMeta
    minimumConfidence = activity.minimumActivityRecognitionConfidence
    isStopDetectionDisabled = configuration.isStopDetectionDisabled
    usesSignificantChangesOnly = geolocation.useSignificantChangesOnly
    followsSignificantChanges = usesSignificantChangesOnly && profile.platform == .android
    stopTimeout = Nanoseconds(seconds: configuration.effectiveStopTimeoutMinutes * 60)
    stopDetectionDelay = Nanoseconds(seconds: configuration.stopDetectionDelaySeconds)
    regionRadiusMetres = max(profile.leastRegionRadiusMetres, geolocation.stationaryRadiusMetres)
    allowedTriggers = TriggerActivities(configuration.allowedTriggerActivities)
    motionTriggerDelay =
      switch profile.motionTrigger {
      case .query:
        Nanoseconds(seconds: activity.activityRecognitionIntervalMilliseconds / 1_000) + profile.motionTriggerExtra
      case .delay: Nanoseconds(seconds: configuration.effectiveMotionTriggerDelayMilliseconds / 1_000)
      }
  }
}

extension Nanoseconds {
  /// Clamps a configured span, which may be any number, to 0 ... a century.
  init(seconds: Double) {
    self.init(Int64((min(max(seconds, 0), Nanoseconds.centurySeconds) * 1e9).rounded()))
  }
}
