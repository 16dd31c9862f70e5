import Base
import Contract
import Vocabulary

/// From movement to rest (SDK §12.6).
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

  /// A moving activity: the stop was none.
  mutating func cancelStopping(into effects: inout [Effect]) {
    stop(.stopDetectionDelay, into: &effects)
    stop(.stopTimeout, into: &effects)
    stoppingPlace = nil
  }

  mutating func stopTimeoutFired(at now: Moment, into effects: inout [Effect]) {
    if configuration.activity.stopOnStationary {
      stop(at: now, into: &effects)
    } else {
      changePace(to: false, at: now, into: &effects)
    }
  }

  /// Android takes a stop back when the device leaves the place where it seemed to stop.
  mutating func watchDisplacement(of fix: Fix, into effects: inout [Effect]) {
    guard profile.watchesDisplacementWhileStopping, let stoppingPlace, let place = Coordinate(fix) else { return }
    guard stoppingPlace.distanceMetres(to: place) > configuration.geolocation.stationaryRadiusMetres else { return }
    cancelStopping(into: &effects)
  }

  /// iOS paused the updates: with stop detection disabled this is how a trip ends.
  mutating func pauseUpdates(at now: Moment, into effects: inout [Effect]) {
    guard state.isEnabled, state.trackingMode == .location, state.isMoving, !isSettling else { return }
    guard configuration.geolocation.pausesLocationUpdatesAutomatically else { return }
    changePace(to: false, at: now, into: &effects)
  }
}
