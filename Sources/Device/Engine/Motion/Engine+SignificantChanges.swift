package import Base
import Contract
package import Vocabulary

/// Android with `useSignificantChangesOnly` (SDK §12.7): no location updates and no activities. Positions computed by
/// the platform anyway are recorded, at rest too; a moving geofence adds one at each exit; the exit from the stationary
/// region begins a trip, and the stationary check ends it.
extension Engine {
  mutating func followSignificantChange(_ fix: Fix, at now: Moment, into effects: inout [Effect]) {
    note(
      .significant(.position(fix, ageMilliseconds: now.wall.milliseconds(since: fix.timestamp))), .debug,
      into: &effects)
    if let noise = significantTrail.noise(of: fix, against: quirks.noiseReference) {
      note(.significant(noise), .debug, into: &effects)
      return
    }
    var rules = settings.filterRules
    rules.policy = .conservative
    let trace = admit(
      fix, distanceFilterMetres: distanceFilter.configuredMetres, rules: rules, at: now, into: &effects)
    guard trace != nil else { return }
    recordSignificantChange(fix, at: now, into: &effects)
    // The position of the rest was not found.
    if !state.isMoving, state.stationaryPlace == nil, !isSettling {
      comeToRest(at: fix, at: now, into: &effects)
    }
  }

  private mutating func recordSignificantChange(_ fix: Fix, at now: Moment, into effects: inout [Effect]) {
    remember(fix)
    significantTrail.follow(fix)
    noticeSignificantMove(to: fix, at: now, into: &effects)
    measure(fix, into: &effects)
    lookAround(from: fix, .fix, at: now, into: &effects)
    publish(makeRecord(of: fix, at: now), .tracking, into: &effects)
  }

  /// The exit proves that the device has moved far enough, so its position is not noise. At rest it comes late and is ignored.
  mutating func leaveMovingGeofence(_ fix: Fix?, at now: Moment, into effects: inout [Effect]) {
    guard settings.followsSignificantChanges, state.isMoving, let fix else { return }
    note(.significant(.movingGeofenceExit(fix.coords)), .debug, into: &effects)
    recordSignificantChange(fix, at: now, into: &effects)
    armMovingGeofence(at: fix, into: &effects)
  }

  /// A position of another app is not recorded, but moves the geofence.
  mutating func takePassive(_ fix: Fix, at now: Moment, into effects: inout [Effect]) {
    guard settings.followsSignificantChanges, state.isEnabled, state.isMoving, let place = Coordinate(fix) else {
      return
    }
    if let region = demands.proximityRegion, state.trackingMode == .location,
      region.center.distanceMetres(to: place) > region.radiusMetres / 2
    {
      armMovingGeofence(at: fix, into: &effects)
    }
    noticeSignificantMove(to: fix, at: now, into: &effects)
  }

  private mutating func armMovingGeofence(at fix: Fix, into effects: inout [Effect]) {
    guard let place = Coordinate(fix) else { return }
    let circle = Circle(center: place, radiusMetres: distanceFilter.configuredMetres)
    note(.significant(.movingGeofence(fix.coords, radiusMetres: circle.radiusMetres)), .debug, into: &effects)
    demandProximityRegion(circle, into: &effects)
  }

  mutating func beginSignificantTrip(at fix: Fix, at now: Moment, into effects: inout [Effect]) {
    significantTrail.follow(fix)
    significantTrail.move(to: fix)
    armMovingGeofence(at: fix, into: &effects)
    startStationaryCheck(at: now, into: &effects)
  }

  mutating func endSignificantTrip(at fix: Fix, into effects: inout [Effect]) {
    guard settings.followsSignificantChanges else { return }
    significantTrail.follow(fix)
    significantTrail.move(to: fix)
    demandProximityRegion(nil, into: &effects)
  }
}

/// The end of a trip: no position left the stationary radius for the stop timeout, which is at least 20 minutes.
extension Engine {
  mutating func startStationaryCheck(at now: Moment, into effects: inout [Effect]) {
    guard settings.followsSignificantChanges, !settings.isStopDetectionDisabled else { return }
    stop(.stationaryCheck, into: &effects)
    start(.stationaryCheck, for: settings.stopTimeout, at: now, into: &effects)
  }

  /// Called for every position, whatever its source.
  mutating func noticeSignificantMove(to fix: Fix, at now: Moment, into effects: inout [Effect]) {
    guard settings.followsSignificantChanges, state.isMoving, let place = Coordinate(fix) else { return }
    if let start = significantTrail.movementPlace,
      start.distanceMetres(to: place) <= settings.regionRadiusMetres
    {
      return
    }
    significantTrail.move(to: fix)
    if isCheckingForRest { dropMotionRequests(into: &effects) }
    startStationaryCheck(at: now, into: &effects)
  }

  private var isCheckingForRest: Bool {
    requests.contains { if case .stationaryCheck = $0.purpose { true } else { false } }
  }

  mutating func stationaryCheckFired(at now: Moment, into effects: inout [Effect]) {
    guard state.isEnabled, state.isMoving else { return }
    note(.alarmFired(name: LogEntry.stationaryCheckName), .info, into: &effects)
    if configuration.activity.stopOnStationary {
      stop(into: &effects)
    } else {
      request(.stationaryCheck, motionChangeTerms, at: now, into: &effects)
    }
  }

  mutating func comeToRest(at fix: Fix, at now: Moment, into effects: inout [Effect]) {
    beginPace(false, at: now, into: &effects)
    settle(fix, at: now, into: &effects)
  }

  /// Delays the check, because the system delivers alarms late.
  package mutating func delayStationaryCheck(until instant: MonotonicInstant) {
    if timers.isRunning(.stationaryCheck) { timers.start(.stationaryCheck, at: instant) }
  }

  package var stationaryCheckDeadline: MonotonicInstant? { timers.deadline(of: .stationaryCheck) }

  /// The next position is compared with nothing.
  package mutating func forgetSignificantChanges() { significantTrail = SignificantTrail() }
}

/// Entering and leaving the mode.
extension Engine {
  /// Resumes silently in a process that the system started for another reason.
  mutating func goOnWithSignificantChanges(at now: Moment, into effects: inout [Effect]) {
    beginMonitoring(.relaunch, at: now, into: &effects)
    demandSignificantChanges(true, into: &effects)
    if state.isMoving {
      startStationaryCheck(at: now, into: &effects)
    } else {
      if let place = state.stationaryPlace {
        demandStationaryRegion(
          Circle(center: place, radiusMetres: settings.regionRadiusMetres), into: &effects)
      }
      startHeartbeat(at: now, into: &effects)
    }
  }

  /// Switches the mode while tracking is on: the trip continues.
  mutating func switchSignificantChanges(at now: Moment, into effects: inout [Effect]) {
    guard state.isEnabled else { return }
    demandActivity(true, into: &effects)
    guard state.trackingMode == .location else { return }
    guard profile.platform == .android else {
      if state.isMoving && !isSettling { demandLocationUpdates(true, into: &effects) }
      return
    }
    // The platform's behaviour depends on the mode.
    demandSignificantChanges(false, into: &effects)
    demandSignificantChanges(true, into: &effects)
    guard state.isMoving && !isSettling else { return }
    if settings.followsSignificantChanges {
      cancelStopping(into: &effects)
      stop(.motionTrigger, into: &effects)
      if let lastFix { beginSignificantTrip(at: lastFix, at: now, into: &effects) }
    } else {
      stop(.stationaryCheck, into: &effects)
      demandProximityRegion(nil, into: &effects)
    }
    demandLocationUpdates(true, into: &effects)
  }
}

/// The positions with which the next significant change is compared (SDK §12.7).
package struct SignificantTrail: Equatable, Sendable {
  /// The position whose accuracy circle must not overlap that of the new one.
  package enum Reference: CaseIterable, Sendable {
    /// The last accepted one, unless the new one is more accurate.
    case lastUnlessBetter
    /// The reference of the stationary check.
    case movement
    /// The last accepted one.
    case last
  }

  private struct Mark: Equatable, Sendable {
    var place: Coordinate
    var accuracyMetres: Double
  }

  private var last: Mark?
  private var movement: Mark?

  package init() {}

  /// The reference of the stationary check.
  package var movementPlace: Coordinate? { movement?.place }

  /// Returns the log entry for a position that is noise; nil for any other.
  package func noise(of fix: Fix, against reference: Reference) -> LogEntry.Significant? {
    guard let mark = SignificantTrail.mark(fix) else { return nil }
    if mark.place == last?.place { return .duplicate(accuracyMetres: mark.accuracyMetres) }
    guard let other = reference == .movement ? movement : last else { return nil }
    let metres = other.place.distanceMetres(to: mark.place)
    guard metres < other.accuracyMetres + mark.accuracyMetres else { return nil }
    if reference == .lastUnlessBetter && mark.accuracyMetres < other.accuracyMetres { return nil }
    return .overlap(metres: metres, accuracyMetres: mark.accuracyMetres, otherMetres: other.accuracyMetres)
  }

  /// Records an accepted position.
  package mutating func follow(_ fix: Fix) { last = SignificantTrail.mark(fix) ?? last }

  /// Sets the reference of the stationary check.
  package mutating func move(to fix: Fix) { movement = SignificantTrail.mark(fix) ?? movement }

  private static func mark(_ fix: Fix) -> Mark? {
    Coordinate(fix).map { Mark(place: $0, accuracyMetres: max(0, fix.coords.accuracy ?? 0)) }
  }
}
