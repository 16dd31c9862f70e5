import Base
import Contract
import Vocabulary

extension Engine {
  /// Begins a motion change: the state changes at once, its position is requested (SDK §12.1, §12.2). A pending change
  /// is dropped.
  mutating func changePace(to isMoving: Bool, at now: Moment, into effects: inout [Effect]) {
    beginPace(isMoving, at: now, into: &effects)
    request(.motionChange(retriesLeft: profile.motionChangeRetries), motionChangeTerms, at: now, into: &effects)
  }

  mutating func beginPace(_ isMoving: Bool, at now: Moment, into effects: inout [Effect]) {
    note(.paceChange(from: state.isMoving, to: isMoving), .info, into: &effects)
    dropMotionRequests(into: &effects)
    state.isMoving = isMoving
    effects.append(.saveState)
    stop(.motionTrigger, into: &effects)
    stop(.stopDetectionDelay, into: &effects)
    stop(.stopTimeout, into: &effects)
    stop(.stationaryCheck, into: &effects)
    stop(.heartbeat, into: &effects)
    stoppingPlace = nil
    state.stationaryPlace = nil
    motionChangeFix = nil
    restBeforeLaunch = nil
    if isMoving { startStationaryCheck(at: now, into: &effects) }
  }

  var motionChangeTerms: RequestTerms {
    var terms = settings.followsSignificantChanges ? profile.significantMotionChange : profile.motionChange
    terms.timeoutSeconds = configuration.geolocation.locationTimeoutSeconds
    return terms
  }

  mutating func settle(_ fix: Fix, at now: Moment, into effects: inout [Effect]) {
    remember(fix)
    if hasLeftBeforeLaunch(fix) { return changePace(to: true, at: now, into: &effects) }
    note(.motionChange(isMoving: state.isMoving), .info, into: &effects)
    if state.isMoving {
      setOff(from: fix, at: now, into: &effects)
    } else {
      rest(at: fix, at: now, into: &effects)
    }
  }

  /// Switches from STATIONARY to MOVING, in the order of a device's log.
  private mutating func setOff(from fix: Fix, at now: Moment, into effects: inout [Effect]) {
    let hasPlainStart = settings.followsSignificantChanges || !quirks.setsDistanceFilterAtTurns
    if !hasPlainStart { _ = distanceFilter.rescale(speed: fix.coords.speed) }
    let didAdvance = advanceOdometer(to: fix, from: .motionChange, into: &effects)
    let record = makeRecord(of: fix, event: .motionchange, at: now)
    motionChangeFix = FixIdentity(fix)
    if persists(.motionChange) { effects.append(.persist(record, .motionChange)) }
    effects.append(.event(.motionChange(record)))
    effects.append(.event(.location(record)))
    lookAround(from: fix, .motionChange, at: now, into: &effects)
    demandSignificantChanges(true, into: &effects)
    if didAdvance { noteOdometer(into: &effects) }
    demandStationaryRegion(nil, into: &effects)
    if settings.followsSignificantChanges {
      beginSignificantTrip(at: fix, at: now, into: &effects)
    } else if hasPlainStart, let old = distanceFilter.beginMoving() {
      note(.distanceFilter(new: distanceFilter.effectiveMetres, old: old), .info, into: &effects)
    }
    demandLocationUpdates(true, into: &effects)
    effects.append(.flush(.motionChange))
  }

  /// Switches from MOVING to STATIONARY, in the order of a device's log.
  private mutating func rest(at fix: Fix, at now: Moment, into effects: inout [Effect]) {
    let didAdvance = advanceOdometer(to: fix, from: .motionChange, into: &effects)
    let record = makeRecord(of: fix, event: .motionchange, at: now)
    lookAround(from: fix, .motionChange, at: now, into: &effects)
    demandSignificantChanges(true, into: &effects)
    if didAdvance { noteOdometer(into: &effects) }
    filter.forgetPace()
    if quirks.odometerIsAsObserved { odometer.forgetPace() }
    armStationaryRegion(at: fix, into: &effects)
    startHeartbeat(at: now, into: &effects)
    demandLocationUpdates(false, into: &effects)
    endSignificantTrip(at: fix, into: &effects)
    if persists(.motionChange) { effects.append(.persist(record, .motionChange)) }
    effects.append(.event(.motionChange(record)))
    effects.append(.event(.location(record)))
    effects.append(.flush(.motionChange))
  }

  private func noteOdometer(into effects: inout [Effect]) {
    note(.odometer(metres: odometer.metres, errorMetres: odometer.errorMetres), .info, into: &effects)
  }

  /// Ends a motion change after the last retry without a position. Moving begins without its record; at rest there is
  /// no region until the next input requests a position again (SDK §12.6).
  mutating func giveUpMotionChange(at now: Moment, into effects: inout [Effect]) {
    demandSignificantChanges(true, into: &effects)
    if state.isMoving {
      demandLocationUpdates(true, into: &effects)
      startStationaryCheck(at: now, into: &effects)
    } else {
      startHeartbeat(at: now, into: &effects)
      demandLocationUpdates(false, into: &effects)
    }
  }

  /// Requests the place of a device that came to rest without a position, as soon as positions are available.
  mutating func findRest(at now: Moment, into effects: inout [Effect]) {
    guard state.isEnabled, state.trackingMode == .location, isLost else { return }
    changePace(to: false, at: now, into: &effects)
  }

  /// Whether the device rests without a region and without a pending request for its place.
  var isLost: Bool { !state.isMoving && state.stationaryPlace == nil && !isSettling }

  mutating func armStationaryRegion(at fix: Fix, into effects: inout [Effect]) {
    guard let place = Coordinate(fix) else { return }
    state.stationaryPlace = place
    effects.append(.saveState)
    let circle = Circle(center: place, radiusMetres: settings.regionRadiusMetres)
    note(.stationaryRegion(coords: fix.coords, radiusMetres: circle.radiusMetres), .info, into: &effects)
    demandStationaryRegion(circle, into: &effects)
  }
}

extension Coordinate {
  /// Nil for an invalid position.
  init?(_ fix: Fix) {
    guard let place = fix.coords.place else { return nil }
    self = place
  }
}

/// The change from moving to rest (SDK §12.6).
extension Engine {
  mutating func seemStill(confidence: Int, at now: Moment, into effects: inout [Effect]) {
    guard !settings.isStopDetectionDisabled else { return }
    guard confidence >= settings.minimumConfidence else {
      note(
        .stopDetectionIgnored(confidence: confidence, minimum: settings.minimumConfidence), .info, into: &effects)
      return
    }
    guard !timers.isRunning(.stopTimeout) && !timers.isRunning(.stopDetectionDelay) && !isSettling else { return }
    stoppingPlace = lastFix.flatMap { Coordinate($0) }
    if quirks.setsDistanceFilterAtTurns && distanceFilter.beginMoving() != nil { demandDistanceFilter(into: &effects) }
    if settings.stopDetectionDelay > .zero {
      start(.stopDetectionDelay, for: settings.stopDetectionDelay, at: now, into: &effects)
    } else {
      engageStopTimeout(at: now, into: &effects)
    }
  }

  mutating func engageStopTimeout(at now: Moment, into effects: inout [Effect]) {
    let skipsWaiting = profile.watchesDisplacementWhileStopping && lastFix?.isMock == true
    let span = skipsWaiting ? .zero : settings.stopTimeout
    note(.stopTimeoutEngaged(seconds: span.seconds), .info, into: &effects)
    start(.stopTimeout, for: span, at: now, into: &effects)
  }

  /// Cancels a stop after a moving activity.
  mutating func cancelStopping(into effects: inout [Effect]) {
    stop(.stopDetectionDelay, into: &effects)
    stop(.stopTimeout, into: &effects)
    stoppingPlace = nil
  }

  mutating func stopTimeoutFired(at now: Moment, into effects: inout [Effect]) {
    if configuration.activity.stopOnStationary {
      stop(into: &effects)
    } else {
      changePace(to: false, at: now, into: &effects)
    }
  }

  /// On Android, cancels a stop when the device leaves the place where it seemed to stop. While the activity remains
  /// `still`, the timeout restarts at the new place, without waiting for the next report.
  mutating func watchDisplacement(of fix: Fix, at now: Moment, into effects: inout [Effect]) {
    guard profile.watchesDisplacementWhileStopping, let stoppingPlace, let place = Coordinate(fix) else { return }
    guard stoppingPlace.distanceMetres(to: place) > configuration.geolocation.stationaryRadiusMetres else { return }
    cancelStopping(into: &effects)
    guard phone.activity.type == .still, phone.activity.confidence >= settings.minimumConfidence else { return }
    seemStill(confidence: phone.activity.confidence, at: now, into: &effects)
  }

  /// Handles paused updates on iOS, which end a trip when stop detection is disabled.
  mutating func pauseUpdates(at now: Moment, into effects: inout [Effect]) {
    guard state.isEnabled, state.trackingMode == .location, state.isMoving, !isSettling else { return }
    guard configuration.geolocation.pausesLocationUpdatesAutomatically else { return }
    changePace(to: false, at: now, into: &effects)
  }
}
