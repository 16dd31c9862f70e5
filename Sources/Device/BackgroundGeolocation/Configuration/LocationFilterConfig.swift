import Contract
public import FoundationEssentials

/// Which positions are implausible, and how far the odometer trusts them. Numbers beyond their limits become the
/// nearest limit, with a warning in the log.
public final class LocationFilterConfig: Sendable {
  private let box: ConfigurationBox

  init(_ box: ConfigurationBox) { self.box = box }

  /// Default `.conservative`.
  public var policy: FilterPolicy {
    get { FilterPolicy(box.value.geolocation.filter.policy) }
    set { box.edit { $0.geolocation.filter.policy = newValue.contract } }
  }

  /// Whether the lengths of steps are smoothed, `true` by default. Coordinates never are.
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

  /// How many steps the cap adapts to: 3 to 20, 5 by default.
  public var rollingWindow: Int {
    get { box.value.geolocation.filter.rollingWindow }
    set { box.edit { $0.geolocation.filter.rollingWindow = newValue } }
  }

  /// Seconds in which `maxBurstDistance` counts: 0.2 to 120, 10 by default.
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

  /// Metres: positions that are coarser are rejected under every policy. 0 to 500, 100 by default.
  public var trackingAccuracyThreshold: CLLocationAccuracy {
    get { box.value.geolocation.filter.trackingAccuracyThresholdMetres }
    set { box.edit { $0.geolocation.filter.trackingAccuracyThresholdMetres = newValue } }
  }

  /// Metres: positions that are coarser do not count for the odometer. 0 to 500, 20 by default.
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
