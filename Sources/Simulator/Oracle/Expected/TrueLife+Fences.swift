import Base
import Contract

/// Which of its fences the SDK of a device monitors, and when: of more than the system can, the nearest ones, selected again and
/// again on the way (Geofence "Infinite geofencing"; SDK §15.2).
extension TrueLife {
  /// Reports whether it must monitor so many fences: its task has begun, a limit of the configuration does not exclude any, and
  /// the user has permitted "Always" (SDK §2.1, §15.3.7, §15.6).
  func mustMonitor(_ count: Int, at now: MonotonicInstant) -> Bool {
    let limit = configuration?.geolocation.maxMonitoredGeofences ?? -1
    let hasBegun = expectation.map { $0.goal != .off && $0.since <= now } ?? false
    return hasBegun && (limit < 0 || limit >= count) && !isWhenInUse
  }

  /// Reports whether it has certainly had a position since then, or since its task began. In geofences-only mode it looks for one
  /// (SDK §15.4).
  func hasHadPlace(since instant: MonotonicInstant) -> Bool {
    let isTold = toldPlaceAt != nil || expectation?.goal == .geofences
    return isTold && sees(since: min(instant, expectation?.since ?? instant))
  }

  /// The number of fences that the system monitors at once.
  var monitoredFencesMax: Int { configuration?.platform == .ios ? 18 : 97 }

  /// Whether it has more fences than that.
  var hasChosenFences: Bool { fences.count > monitoredFencesMax }

  /// The time until it selects the nearest fences again, where it selects them.
  var choiceDelay: Nanoseconds { hasChosenFences ? OwedReport.choice : .zero }

  /// Reports whether it has selected the nearest fences in time since then. On a trip it does so with each position, at the
  /// distance of `distanceFilter`, which grows with the speed. Where that is beyond `geofenceProximityRadius`, no document says
  /// that fences in between are monitored, nor where it rejects positions or need not notice that it moves (Geofence "Infinite
  /// geofencing"; SDK §12.4, §14.1, §14.2, §15.2.4). In geofences-only mode it looks for positions itself (SDK §15.6.3).
  func choosesFencesInTime(since instant: MonotonicInstant) -> Bool {
    guard let configuration, !watchesFencesOnly(since: instant) else { return true }
    return configuration.geolocation.filter.trackingAccuracyThresholdMetres >= 50
      && configuration.activity.triggerActivities.isEmpty
      && TrueLife.positionStep(configuration.geolocation) <= TrueLife.proximity(configuration.geolocation)
  }

  /// Returns the distance that it may have covered since it last selected the nearest fences: that between two positions, or
  /// in geofences-only mode half of `geofenceProximityRadius`, and more until it has a position there. Without an initial
  /// trigger it reports only entries into fences that it has selected before (SDK §14.1, §15.2.4, §15.4, §15.6.3).
  func metresBetweenChoices(since instant: MonotonicInstant) -> Double {
    guard let geolocation = configuration?.geolocation else { return 0 }
    let step = min(TrueLife.positionStep(geolocation), TrueLife.proximity(geolocation))
    let half = TrueLife.proximity(geolocation) / 2
    let metres = watchesFencesOnly(since: instant) ? half : expectation?.goal == .geofences ? max(half, step) : step
    return metres + (geolocation.geofenceInitialTriggerEntry ? 0 : TrueLife.searchMetres)
  }

  /// Reports whether it has been in geofences-only mode all the time since then.
  private func watchesFencesOnly(since instant: MonotonicInstant) -> Bool {
    expectation.map { $0.goal == .geofences && $0.since <= instant } ?? false
  }

  /// The radius in which fences are selected, at least 1000 m (Geofence 80).
  private static func proximity(_ geolocation: GeolocationSettings) -> Double {
    max(1_000, geolocation.geofenceProximityRadiusMetres)
  }

  /// Returns the largest distance between two positions of the stream.
  private static func positionStep(_ geolocation: GeolocationSettings) -> Double {
    let steps = geolocation.disableElasticity ? 0 : max(0, geolocation.elasticityMultiplier) * (topSpeed / 5).rounded()
    return geolocation.distanceFilterMetres * (1 + steps)
  }

  /// The highest speed of cars, in metres per second.
  static let topSpeed = 40.0
  /// The way of a car while a position is searched for.
  private static let searchMetres = 60 * topSpeed
}
