import Base
import Contract
import Vocabulary

extension Engine {
  /// Applies a change at once, without a restart (SDK §1).
  mutating func configure(
    _ configuration: Configuration, _ keys: [String], at now: Moment, into effects: inout [Effect]
  ) {
    let stopTimeout = settings.stopTimeout
    adopt(configuration)
    measureStop(insteadOf: stopTimeout, at: now, into: &effects)
    for key in keys {
      note(.configurationChanged(key: key), .debug, into: &effects)
      react(to: key, at: now, into: &effects)
    }
    if demands.locationUpdates != nil { demandLocationUpdates(true, into: &effects) }
    demandFenceUpdates(into: &effects)
    // Timers that the change has made due.
    fireTimers(ofEngineAt: now, into: &effects)
  }

  /// Applies a new stop timeout to a pending stop, measured from its beginning.
  private mutating func measureStop(
    insteadOf span: Nanoseconds, at now: Moment, into effects: inout [Effect]
  ) {
    guard settings.stopTimeout != span else { return }
    for name in [Timers.Name.stopTimeout, .stationaryCheck] {
      guard let deadline = timers.deadline(of: name) else { continue }
      stop(name, into: &effects)
      let due = deadline - span + settings.stopTimeout
      start(name, for: max(.zero, due - now.monotonic), at: now, into: &effects)
    }
  }

  mutating func adopt(_ configuration: Configuration) {
    self.configuration = configuration
    settings = EngineSettings(configuration, profile: profile, quirks: quirks)
    let fresh = DistanceFilter(configuration)
    let isSame =
      fresh.configuredMetres == distanceFilter.configuredMetres
      && fresh.elasticityMultiplier == distanceFilter.elasticityMultiplier
    guard !isSame else { return }
    distanceFilter = fresh
    if let lastFix, state.isMoving { _ = distanceFilter.rescale(speed: lastFix.coords.speed) }
  }

  private mutating func react(to key: String, at now: Moment, into effects: inout [Effect]) {
    switch key {
    case "app.heartbeatInterval": restartHeartbeat(at: now, into: &effects)
    case "app.preventSuspend", "geolocation.pausesLocationUpdatesAutomatically":
      if !configuration.preventsSuspend { stop(.preventSuspend, into: &effects) }
    case "app.schedule": replaceSchedule(at: now, into: &effects)
    case "app.scheduleUseAlarmManager": renewAlarm(at: now)
    case "activity.disableStopDetection":
      if settings.isStopDetectionDisabled { cancelStopping(into: &effects) }
    case "activity.disableMotionActivityUpdates":
      if state.isEnabled { demandActivity(true, into: &effects) }
    case "geolocation.stopAfterElapsedMinutes": limitTracking(at: now, into: &effects)
    case "geolocation.stationaryRadius": resizeStationaryRegion(into: &effects)
    case "geolocation.useSignificantChangesOnly":
      switchSignificantChanges(at: now, into: &effects)
    case "geolocation.geofenceProximityRadius", "geolocation.maxMonitoredGeofences":
      lookAround(from: lastFix, .fencesChanged, at: now, into: &effects)
    case "http.url", "http.autoSync": effects.append(.flush(.configuration))
    default: break
    }
  }

  private mutating func resizeStationaryRegion(into effects: inout [Effect]) {
    guard let region = demands.stationaryRegion else { return }
    demandStationaryRegion(
      Circle(center: region.center, radiusMetres: settings.regionRadiusMetres), into: &effects)
  }
}
