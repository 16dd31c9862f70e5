import Contract
public import FoundationEssentials

/// Settings of how positions are requested and which of them become records. Numbers outside their limits are clamped,
/// with a warning in the log.
public final class GeolocationConfig: Sendable {
  private let box: ConfigurationBox

  init(_ box: ConfigurationBox) { self.box = box }

  /// The plausibility of positions.
  public var filter: LocationFilterConfig { LocationFilterConfig(box) }

  /// An accuracy class such as `kCLLocationAccuracyBest`, the default, or metres. Satellites are used for the two best
  /// classes only.
  public var desiredAccuracy: CLLocationAccuracy {
    get { box.value.geolocation.desiredAccuracy }
    set { box.edit { $0.geolocation.desiredAccuracy = newValue } }
  }

  /// Metres between two records while moving, 10 by default, more at speed unless `disableElasticity`; 0 records
  /// every position.
  public var distanceFilter: CLLocationDistance {
    get { box.value.geolocation.distanceFilterMetres }
    set { box.edit { $0.geolocation.distanceFilterMetres = newValue } }
  }

  /// Metres around the place of rest; every device uses at least 150.
  public var stationaryRadius: CLLocationDistance {
    get { box.value.geolocation.stationaryRadiusMetres }
    set { box.edit { $0.geolocation.stationaryRadiusMetres = newValue } }
  }

  /// Minutes of stillness that end a trip; 5 by default.
  public var stopTimeout: TimeInterval {
    get { box.value.geolocation.stopTimeoutMinutes }
    set { box.edit { $0.geolocation.stopTimeoutMinutes = newValue } }
  }

  /// Minutes after which tracking stops by itself; 0 or less for never, -1 by default.
  public var stopAfterElapsedMinutes: TimeInterval {
    get { box.value.geolocation.stopAfterElapsedMinutes }
    set { box.edit { $0.geolocation.stopAfterElapsedMinutes = newValue } }
  }

  /// Whether the distance filter is independent of the speed; `false` by default.
  public var disableElasticity: Bool {
    get { box.value.geolocation.disableElasticity }
    set { box.edit { $0.geolocation.disableElasticity = newValue } }
  }

  /// The growth of the distance filter with speed; 1 by default, 0 for none.
  public var elasticityMultiplier: Double {
    get { box.value.geolocation.elasticityMultiplier }
    set { box.edit { $0.geolocation.elasticityMultiplier = newValue } }
  }

  /// Whether only moves of half a kilometre and more are recorded; `false` by default.
  public var useSignificantChangesOnly: Bool {
    get { box.value.geolocation.useSignificantChangesOnly }
    set { box.edit { $0.geolocation.useSignificantChangesOnly = newValue } }
  }

  /// The timeout in seconds of the SDK's own position requests; 60 by default.
  public var locationTimeout: TimeInterval {
    get { box.value.geolocation.locationTimeoutSeconds }
    set { box.edit { $0.geolocation.locationTimeoutSeconds = newValue } }
  }

  /// The permission to request; `.always` by default. Geofences need it.
  public var locationAuthorizationRequest: LocationAuthorizationRequest {
    get { LocationAuthorizationRequest(box.value.geolocation.locationAuthorizationRequest) }
    set { box.edit { $0.geolocation.locationAuthorizationRequest = newValue.contract } }
  }

  /// iOS only: whether no alert asks for more permission; `false` by default.
  public var disableLocationAuthorizationAlert: Bool {
    get { box.value.geolocation.disableLocationAuthorizationAlert }
    set { box.edit { $0.geolocation.disableLocationAuthorizationAlert = newValue } }
  }

  /// iOS only: the texts of that alert: `titleWhenOff`, `titleWhenNotEnabled`, `instructions`, `cancelButton`,
  /// `settingsButton`. All five are needed; otherwise the old ones remain and a warning is logged.
  public var locationAuthorizationAlert: [String: Any] {
    get { box.alert }
    set { box.setAlert(newValue) }
  }

  /// iOS only: whether the system may pause updates; `true` by default. False disables stop detection and `preventSuspend`.
  public var pausesLocationUpdatesAutomatically: Bool {
    get { box.value.geolocation.pausesLocationUpdatesAutomatically }
    set { box.edit { $0.geolocation.pausesLocationUpdatesAutomatically = newValue } }
  }

  /// iOS only: stored, but not shown.
  public var showsBackgroundLocationIndicator: Bool {
    get { box.value.geolocation.showsBackgroundLocationIndicator }
    set { box.edit { $0.geolocation.showsBackgroundLocationIndicator = newValue } }
  }

  /// iOS only: the purpose of positions; `.other` by default.
  public var activityType: CLActivityType {
    get { CLActivityType(box.value.geolocation.activityType) }
    set { box.edit { $0.geolocation.activityType = newValue.contract } }
  }

  /// Metres around the device within which geofences are watched when there are many; 2 000 by default, at least 1 000.
  public var geofenceProximityRadius: CLLocationDistance {
    get { box.value.geolocation.geofenceProximityRadiusMetres }
    set { box.edit { $0.geolocation.geofenceProximityRadiusMetres = newValue } }
  }

  /// Whether a geofence reports an entry when the device is already inside at the start of watching; `true` by default.
  public var geofenceInitialTriggerEntry: Bool {
    get { box.value.geolocation.geofenceInitialTriggerEntry }
    set { box.edit { $0.geolocation.geofenceInitialTriggerEntry = newValue } }
  }

  /// Whether crossings are detected sooner in geofences-only mode, at the cost of power; `false` by default.
  public var geofenceModeHighAccuracy: Bool {
    get { box.value.geolocation.geofenceModeHighAccuracy }
    set { box.edit { $0.geolocation.geofenceModeHighAccuracy = newValue } }
  }

  /// The maximum number of geofences watched at once; -1, the default, for the limit of the platform.
  public var maxMonitoredGeofences: Int {
    get { box.value.geolocation.maxMonitoredGeofences }
    set { box.edit { $0.geolocation.maxMonitoredGeofences = newValue } }
  }

  /// Whether records name the clocks of their times; `false` by default.
  public var enableTimestampMeta: Bool {
    get { box.value.geolocation.enableTimestampMeta }
    set { box.edit { $0.geolocation.enableTimestampMeta = newValue } }
  }

  /// Android only: milliseconds between positions while `distanceFilter` is 0; 1 000 by default.
  public var locationUpdateInterval: TimeInterval {
    get { box.value.geolocation.locationUpdateIntervalMilliseconds }
    set { box.edit { $0.geolocation.locationUpdateIntervalMilliseconds = newValue } }
  }

  /// Android only: milliseconds; -1, the default, for no limit.
  public var fastestLocationUpdateInterval: TimeInterval {
    get { box.value.geolocation.fastestLocationUpdateIntervalMilliseconds }
    set { box.edit { $0.geolocation.fastestLocationUpdateIntervalMilliseconds = newValue } }
  }

  /// Android only: milliseconds by which positions may be delayed; 0 by default.
  public var deferTime: TimeInterval {
    get { box.value.geolocation.deferTimeMilliseconds }
    set { box.edit { $0.geolocation.deferTimeMilliseconds = newValue } }
  }

  /// Android only: whether a position equal to the last one is recorded; `false` by default.
  public var allowIdenticalLocations: Bool {
    get { box.value.geolocation.allowIdenticalLocations }
    set { box.edit { $0.geolocation.allowIdenticalLocations = newValue } }
  }
}

/// Settings of the plausibility of positions, and of the odometer. Numbers outside their limits are clamped, with a
/// warning in the log.
public final class LocationFilterConfig: Sendable {
  private let box: ConfigurationBox

  init(_ box: ConfigurationBox) { self.box = box }

  /// Default `.conservative`. While `desiredAccuracy` is coarser than high, a filter of default values alone lets all pass.
  public var policy: FilterPolicy {
    get { FilterPolicy(box.value.geolocation.filter.policy) }
    set { box.edit { $0.geolocation.filter.policy = newValue.contract } }
  }

  /// Whether step lengths are smoothed; `true` by default. Coordinates never are.
  public var useKalman: Bool {
    get { box.value.geolocation.filter.useKalman }
    set { box.edit { $0.geolocation.filter.useKalman = newValue } }
  }

  /// Default `.balanced`.
  public var kalmanProfile: KalmanProfile {
    get { KalmanProfile(box.value.geolocation.filter.kalmanProfile) }
    set { box.edit { $0.geolocation.filter.kalmanProfile = newValue.contract } }
  }

  /// More lines in the log.
  public var kalmanDebug: Bool {
    get { box.value.geolocation.filter.kalmanDebug }
    set { box.edit { $0.geolocation.filter.kalmanDebug = newValue } }
  }

  /// More lines in the log.
  public var filterDebug: Bool {
    get { box.value.geolocation.filter.filterDebug }
    set { box.edit { $0.geolocation.filter.filterDebug = newValue } }
  }

  /// The number of steps to which the cap adapts: 3 to 20, 5 by default.
  public var rollingWindow: Int {
    get { box.value.geolocation.filter.rollingWindow }
    set { box.edit { $0.geolocation.filter.rollingWindow = newValue } }
  }

  /// Seconds over which `maxBurstDistance` applies: 0.2 to 120, 10 by default.
  public var burstWindow: TimeInterval {
    get { box.value.geolocation.filter.burstWindowSeconds }
    set { box.edit { $0.geolocation.filter.burstWindowSeconds = newValue } }
  }

  /// Metres: 5 to 2 000, 300 by default.
  public var maxBurstDistance: CLLocationDistance {
    get { box.value.geolocation.filter.maxBurstDistanceMetres }
    set { box.edit { $0.geolocation.filter.maxBurstDistanceMetres = newValue } }
  }

  /// Metres per second between two positions: 1 to 200, 60 by default.
  public var maxImpliedSpeed: CLLocationSpeed {
    get { box.value.geolocation.filter.maxImpliedSpeedMetresPerSecond }
    set { box.edit { $0.geolocation.filter.maxImpliedSpeedMetresPerSecond = newValue } }
  }

  /// Metres: less accurate positions are rejected under every policy. 0 to 500, 100 by default.
  public var trackingAccuracyThreshold: CLLocationAccuracy {
    get { box.value.geolocation.filter.trackingAccuracyThresholdMetres }
    set { box.edit { $0.geolocation.filter.trackingAccuracyThresholdMetres = newValue } }
  }

  /// Metres: less accurate positions do not count for the odometer. 0 to 500, 20 by default.
  public var odometerAccuracyThreshold: CLLocationAccuracy {
    get { box.value.geolocation.filter.odometerAccuracyThresholdMetres }
    set { box.edit { $0.geolocation.filter.odometerAccuracyThresholdMetres = newValue } }
  }

  /// Whether the steps of the odometer are smoothed; `true` by default.
  public var odometerUseKalmanFilter: Bool {
    get { box.value.geolocation.filter.odometerUseKalmanFilter }
    set { box.edit { $0.geolocation.filter.odometerUseKalmanFilter = newValue } }
  }

  /// The policy for the odometer; `.adjust` by default.
  public var odometerPolicy: FilterPolicy {
    get { FilterPolicy(box.value.geolocation.filter.odometerPolicy) }
    set { box.edit { $0.geolocation.filter.odometerPolicy = newValue.contract } }
  }
}
