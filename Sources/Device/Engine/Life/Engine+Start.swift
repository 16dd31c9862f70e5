import Base
import Contract
import Vocabulary

extension Engine {
  mutating func start(at now: Moment, into effects: inout [Effect]) {
    guard !(state.isEnabled && state.trackingMode == .location) else {
      note(.warning("start is ignored: tracking is started already", from: .tracking), .warning, into: &effects)
      return
    }
    let wasEnabled = state.isEnabled
    state.trackingMode = .location
    enable(into: &effects)
    if wasEnabled { leaveGeofenceMode(into: &effects) }
    engage(isMoving: configuration.isMoving, at: now, into: &effects)
    finishStart(at: now, into: &effects)
  }

  /// The untracked distance since the last crossing does not count (SDK §17).
  private mutating func leaveGeofenceMode(into effects: inout [Effect]) {
    odometer.clearReference()
    stop(.heartbeat, into: &effects)
    demandLocationUpdates(false, into: &effects)
    demandProximityRegion(nil, into: &effects)
  }

  /// SDK §15.6. Switching between the modes needs no stop.
  mutating func startGeofences(at now: Moment, into effects: inout [Effect]) {
    guard !(state.isEnabled && state.trackingMode == .geofence) else {
      note(.warning("startGeofences is ignored: it is started already", from: .tracking), .warning, into: &effects)
      return
    }
    let wasEnabled = state.isEnabled
    if wasEnabled { disengage(into: &effects) }
    state.trackingMode = .geofence
    odometer.clearReference()
    enable(into: &effects)
    engageGeofences(at: now, into: &effects)
    finishStart(at: now, into: &effects)
  }

  private mutating func enable(into effects: inout [Effect]) {
    let wasEnabled = state.isEnabled
    state.isEnabled = true
    effects.append(.saveState)
    note(.started(isGeofenceMode: state.trackingMode == .geofence), .info, into: &effects)
    guard !wasEnabled else { return }
    effects.append(.event(.enabledChange(isEnabled: true)))
    tellConnectivity(into: &effects)
  }

  /// Reported with each start of tracking, and each launch that resumes it (BGGeo 141).
  mutating func tellConnectivity(into effects: inout [Effect]) {
    effects.append(.event(.connectivityChange(isConnected: phone.connectivity.isConnected)))
  }

  private mutating func finishStart(at now: Moment, into effects: inout [Effect]) {
    state.startedAt = now.wall
    trackingBegan = now.monotonic
    limitTracking(at: now, into: &effects)
    effects.append(.flush(.start))
  }

  /// A resumed launch continues the count of the last process. If the clock was set back meanwhile, no time has passed.
  mutating func resumeLimit(at now: Moment, into effects: inout [Effect]) {
    let started = min(state.startedAt ?? now.wall, now.wall)
    if started != state.startedAt { effects.append(.saveState) }
    state.startedAt = started
    let elapsed = min(now.wall.milliseconds(since: started), Self.longestTrackingMilliseconds)
    trackingBegan = now.monotonic - .milliseconds(elapsed)
    limitTracking(at: now, into: &effects)
  }

  /// A hundred years, the limit for a corrupt time.
  private static let longestTrackingMilliseconds: Int64 = 100 * 366 * 86_400_000

  /// `stopAfterElapsedMinutes` counts from the start, whenever it was configured (SDK §1.4, §19.6).
  mutating func limitTracking(at now: Moment, into effects: inout [Effect]) {
    stop(.stopAfterElapsed, into: &effects)
    let minutes = configuration.geolocation.stopAfterElapsedMinutes
    guard state.isEnabled, minutes > 0 else { return }
    let left = Nanoseconds(seconds: minutes * 60) - (now.monotonic - trackingBegan)
    guard left > .zero else { return stop(into: &effects) }
    start(.stopAfterElapsed, for: left, at: now, into: &effects)
  }

  /// Starts geofences, motion detection and the pace, in the order of a device's log (SDK §12.2).
  mutating func engage(
    isMoving: Bool, _ occasion: ProximityOccasion = .start, at now: Moment, into effects: inout [Effect]
  ) {
    beginMonitoring(occasion, at: now, into: &effects)
    demandActivity(true, into: &effects)
    changePace(to: isMoving, at: now, into: &effects)
    demandBackgroundFetch(true, into: &effects)
  }

  mutating func engageGeofences(
    _ occasion: ProximityOccasion = .start, at now: Moment, into effects: inout [Effect]
  ) {
    if state.isMoving { state.isMoving = false }
    state.stationaryPlace = nil
    _ = distanceFilter.beginMoving()
    beginMonitoring(occasion, at: now, into: &effects)
    demandActivity(true, into: &effects)
    demandFenceUpdates(into: &effects)
    demandSignificantChanges(true, into: &effects)
    demandBackgroundFetch(true, into: &effects)
    request(.proximity, profile.motionState, at: now, into: &effects)
    startHeartbeat(at: now, into: &effects)
  }

  mutating func stop(into effects: inout [Effect]) {
    guard state.isEnabled else {
      note(.warning("stop is ignored: tracking is not started", from: .tracking), .warning, into: &effects)
      return
    }
    state.isEnabled = false
    state.startedAt = nil
    // A crossing that still waits for a first position does not keep the receiver on either.
    requests.removeAll { $0.deadline == nil }
    disengage(into: &effects)
    endMonitoring(into: &effects)
    stop(.stopAfterElapsed, into: &effects)
    demandActivity(false, into: &effects)
    // iOS evaluates its schedule whenever a significant change wakes it.
    demandSignificantChanges(state.isSchedulerEnabled && profile.schedulesOnWakeOnly, into: &effects)
    demandBackgroundFetch(state.isSchedulerEnabled, into: &effects)
    demandProximityRegion(nil, into: &effects)
    note(.stopped, .info, into: &effects)
    effects.append(.saveState)
    effects.append(.event(.enabledChange(isEnabled: false)))
  }

  /// Stops everything that belongs to the pace. Untracked distance does not count.
  private mutating func disengage(into effects: inout [Effect]) {
    dropMotionRequests(into: &effects)
    let names: [Timers.Name] = [
      .stopDetectionDelay, .stopTimeout, .stationaryCheck, .motionTrigger, .heartbeat, .preventSuspend,
    ]
    for name in names { stop(name, into: &effects) }
    state.isMoving = false
    state.stationaryPlace = nil
    motionChangeFix = nil
    stoppingPlace = nil
    restBeforeLaunch = nil
    odometer.clearReference()
    filter.forgetPace()
    demandLocationUpdates(false, into: &effects)
    demandStationaryRegion(nil, into: &effects)
    demandProximityRegion(nil, into: &effects)
  }
}

/// The user closes the app (SDK §19.3).
extension Engine {
  package var isHeadless: Bool { phase == .headless }

  /// Without `stopOnTerminate`, iOS keeps a region whose exit starts the next process, and Android continues without a
  /// user interface.
  mutating func terminate(at now: Moment, into effects: inout [Effect]) {
    let stopsTracking = configuration.app.stopOnTerminate
    note(.terminated(stopsTracking: stopsTracking), .info, into: &effects)
    if stopsTracking && state.isEnabled { stop(into: &effects) }
    if profile.hasHeadlessEvents && configuration.app.enableHeadless { effects.append(.event(.terminate(state))) }
    let isService = profile.platform == .android && !stopsTracking && (state.isEnabled || state.isSchedulerEnabled)
    leaveApp(isEnd: !isService, at: now, into: &effects)
    phone.isInBackground = true
    guard !isService else { return enter(.headless) }
    if state.isEnabled && state.trackingMode == .location { leaveRegion(into: &effects) }
    timers.stopAll()
    enter(.ended)
  }

  /// Cancels the requests of the closed app.
  private mutating func leaveApp(isEnd: Bool, at now: Moment, into effects: inout [Effect]) {
    cancelRequests(isEnd: isEnd, at: now, into: &effects)
    watches.removeAll()
    demandSampling(into: &effects)
    endBackgroundTasks(into: &effects)
  }

  private mutating func leaveRegion(into effects: inout [Effect]) {
    if let lastFix, state.isMoving || state.stationaryPlace == nil {
      armStationaryRegion(at: lastFix, into: &effects)
    }
    demandLocationUpdates(false, into: &effects)
  }

  /// The app is opened again, while its service is running.
  mutating func rejoin(_ launch: Launch, into effects: inout [Effect]) {
    enter(.running)
    phone.isInBackground = launch.isInBackground
    note(.ready(isFirstBoot: false), .info, into: &effects)
    if let provider = phone.provider { effects.append(.event(.providerChange(provider))) }
    if state.isEnabled { tellConnectivity(into: &effects) }
    effects.append(.flush(.ready))
  }
}
