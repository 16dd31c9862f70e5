package import Base
import Contract
package import Vocabulary

/// Android with `useSignificantChangesOnly` (SDK §12.7): no stream of positions and no activities. Positions that the
/// platform has anyway are records, at rest too; a geofence that moves along adds one wherever it is left; the exit
/// from the stationary region begins a trip, and the stationary check ends it.
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
    // The position of the rest could not be found.
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

  /// The exit itself is the proof that the device has gone far enough: its position is no noise. At rest it is late.
  mutating func leaveMovingGeofence(_ fix: Fix?, at now: Moment, into effects: inout [Effect]) {
    guard settings.followsSignificantChanges, state.isMoving, let fix else { return }
    note(.significant(.movingGeofenceExit(fix.coords)), .debug, into: &effects)
    recordSignificantChange(fix, at: now, into: &effects)
    armMovingGeofence(at: fix, into: &effects)
  }

  /// A position of another app is no record, but the geofence moves along with it.
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

/// When a trip ends: nothing that left the stationary radius for the time of a stop, which is 20 minutes or more.
extension Engine {
  mutating func startStationaryCheck(at now: Moment, into effects: inout [Effect]) {
    guard settings.followsSignificantChanges, !settings.isStopDetectionDisabled else { return }
    stop(.stationaryCheck, into: &effects)
    start(.stationaryCheck, for: settings.stopTimeout, at: now, into: &effects)
  }

  /// For every position that comes to the device, whatever for.
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

  /// The system delivers alarms when it suits it.
  package mutating func delayStationaryCheck(until instant: MonotonicInstant) {
    if timers.isRunning(.stationaryCheck) { timers.start(.stationaryCheck, at: instant) }
  }

  package var stationaryCheckDeadline: MonotonicInstant? { timers.deadline(of: .stationaryCheck) }

  /// What comes next is compared with nothing.
  package mutating func forgetSignificantChanges() { significantTrail = SignificantTrail() }
}

/// Into the mode and out of it.
extension Engine {
  /// A process that the system started for something else finds the session as it was: nothing is announced.
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

  /// While tracking goes on: the trip goes on in the other way.
  mutating func switchSignificantChanges(at now: Moment, into effects: inout [Effect]) {
    guard state.isEnabled else { return }
    demandActivity(true, into: &effects)
    guard state.trackingMode == .location else { return }
    guard profile.platform == .android else {
      if state.isMoving && !isSettling { demandLocationUpdates(true, into: &effects) }
      return
    }
    // What the platform does for it depends on the mode.
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

/// The positions that the next significant change is compared with (SDK §12.7).
package struct SignificantTrail: Equatable, Sendable {
  /// With which of them the circle of a position's accuracy must not overlap.
  package enum Reference: CaseIterable, Sendable {
    /// With the last one that counted, unless the new one is better.
    case lastUnlessBetter
    /// With the one from which the stationary check counts.
    case movement
    /// With the last one that counted.
    case last
  }

  private struct Mark: Equatable, Sendable {
    var place: Coordinate
    var accuracyMetres: Double
  }

  private var last: Mark?
  private var movement: Mark?

  package init() {}

  /// From where the stationary check counts.
  package var movementPlace: Coordinate? { movement?.place }

  /// What makes a position noise; nil for one that says something.
  package func noise(of fix: Fix, against reference: Reference) -> LogEntry.Significant? {
    guard let mark = SignificantTrail.mark(fix) else { return nil }
    if mark.place == last?.place { return .duplicate(accuracyMetres: mark.accuracyMetres) }
    guard let other = reference == .movement ? movement : last else { return nil }
    let metres = other.place.distanceMetres(to: mark.place)
    guard metres < other.accuracyMetres + mark.accuracyMetres else { return nil }
    if reference == .lastUnlessBetter && mark.accuracyMetres < other.accuracyMetres { return nil }
    return .overlap(metres: metres, accuracyMetres: mark.accuracyMetres, otherMetres: other.accuracyMetres)
  }

  /// The position counted.
  package mutating func follow(_ fix: Fix) { last = SignificantTrail.mark(fix) ?? last }

  /// The stationary check counts from there.
  package mutating func move(to fix: Fix) { movement = SignificantTrail.mark(fix) ?? movement }

  private static func mark(_ fix: Fix) -> Mark? {
    Coordinate(fix).map { Mark(place: $0, accuracyMetres: max(0, fix.coords.accuracy ?? 0)) }
  }
}
