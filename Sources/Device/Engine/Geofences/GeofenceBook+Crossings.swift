package import Base
package import Contract
package import Vocabulary

extension GeofenceBook {
  /// Handles the system's report that the device has just crossed the boundary of a fence. Fences that are not active
  /// are ignored, because a report may come late; but after a launch no fence is active before the position is known. A
  /// device at rest passes through nothing (SDK §15.3.10); but where monitoring begins without a trigger and without a
  /// position, only the system knows that it was inside (SDK §15.4).
  package mutating func crossed(
    _ identifier: String, isEnter: Bool, at place: Coordinate, now: Moment, platform: DevicePlatform,
    isMoving: Bool = true, triggersInitially: Bool = true, into effects: inout [GeofenceEffect]
  ) {
    guard let slot = slot(of: identifier), let entry = slots[slot],
      entry.isActive || (isMonitoring && evaluatedPlace == nil)
    else { return }
    if entry.polygon != nil {
      crossedCircle(ofPolygon: slot, isEnter: isEnter, now: now, into: &effects)
      return
    }
    // The report determines the device's side.
    slots[slot]?.isUntested = false
    slots[slot]?.isReportDue = false
    slots[slot]?.isBeginUnheard = false
    let isInside = entry.geofence.status.isInside
    if isEnter != isInside {
      if isEnter { enter(slot, now: now, into: &effects) } else { exit(slot, now: now, into: &effects) }
      return
    }
    let isFirstWord = entry.isBeginUnheard || entry.isUntested && !entry.isRestored
    if !isEnter && isFirstWord && !triggersInitially {
      exit(slot, now: now, into: &effects)
      return
    }
    if isInside { resumeDwelling(slot, now: now, into: &effects) }
    // A crossing shown by a position before the system's report is reported once.
    if entry.isReportDue { return }
    if !isEnter && platform == .android && isMoving && hasPassed(through: entry.circle, to: place) {
      enter(slot, isSynthesised: true, now: now, into: &effects)
      exit(slot, now: now, into: &effects)
    } else {
      effects.append(
        .suppressed(
          GeofenceSuppression(
            identifier: identifier, action: isEnter ? .enter : .exit,
            reason: isEnter ? .duplicateEnter : .spuriousExit,
            distanceMetres: entry.circle.center.distanceMetres(to: place), radiusMetres: entry.circle.radiusMetres)))
    }
  }

  /// Reports the dwells that are due.
  package mutating func timersDue(at now: Moment, into effects: inout [GeofenceEffect]) {
    while let deadline = nextDeadline, deadline <= now.monotonic,
      let index = dwellings.firstIndex(where: { $0.deadline == deadline })
    {
      let dwelling = dwellings.remove(at: index)
      report(.dwell, dwelling.slot, now: now, into: &effects)
    }
  }

  /// Handles the system's report of a dwell; once for each visit.
  package mutating func dwelt(_ identifier: String, now: Moment, into effects: inout [GeofenceEffect]) {
    guard let slot = slot(of: identifier), let entry = slots[slot], entry.isActive, entry.geofence.status.isInside,
      let index = dwellings.firstIndex(where: { $0.slot == slot })
    else { return }
    dwellings.remove(at: index)
    report(.dwell, slot, now: now, into: &effects)
  }

  mutating func enter(
    _ slot: Int, isSynthesised: Bool = false, now: Moment, into effects: inout [GeofenceEffect]
  ) {
    beginVisit(slot, dwells: !isSynthesised, now: now)
    report(.enter, slot, isSynthesised: isSynthesised, now: now, into: &effects)
    resumeDwelling(slot, now: now, into: &effects)
  }

  /// Starts a visit without an event, when monitoring begins inside (SDK §15.4).
  mutating func enterSilently(_ slot: Int, now: Moment, into effects: inout [GeofenceEffect]) {
    beginVisit(slot, dwells: true, now: now)
    if let geofence = slots[slot]?.geofence { effects.append(.corrected(geofence)) }
    resumeDwelling(slot, now: now, into: &effects)
  }

  private mutating func beginVisit(_ slot: Int, dwells: Bool, now: Moment) {
    guard var entry = slots[slot] else { return }
    entry.geofence.status.isInside = true
    entry.isBeginUnheard = false
    if dwells && entry.geofence.notifyOnDwell {
      let delay = GeofenceBook.loitering(of: entry.geofence)
      entry.geofence.status.dwellDeadline = now.wall.moved(byMilliseconds: delay) ?? .latest
    }
    if !entry.isActive && !unwatchedInside.contains(slot) { unwatchedInside.append(slot) }
    slots[slot] = entry
  }

  mutating func exit(_ slot: Int, now: Moment, into effects: inout [GeofenceEffect]) {
    slots[slot]?.geofence.status.isInside = false
    slots[slot]?.geofence.status.dwellDeadline = nil
    dwellings.removeAll { $0.slot == slot }
    report(.exit, slot, now: now, into: &effects)
  }

  /// Schedules the dwell of a device inside at the deadline of the visit, which holds over restarts of the process or
  /// of monitoring (SDK §15.3). A clock that was set back delays it by at most the whole delay.
  mutating func resumeDwelling(
    _ slot: Int, after least: Int64 = 0, now: Moment, into effects: inout [GeofenceEffect]
  ) {
    guard let geofence = slots[slot]?.geofence, let due = geofence.status.dwellDeadline,
      !dwellings.contains(where: { $0.slot == slot })
    else { return }
    let rest = max(least, min(due.milliseconds(since: now.wall), GeofenceBook.loitering(of: geofence)))
    if rest > 0 {
      dwellings.append(Dwelling(slot: slot, deadline: now.monotonic + .milliseconds(rest)))
    } else {
      report(.dwell, slot, now: now, into: &effects)
    }
  }

  /// The maximum delay of the system's report of a crossing (SDK §15.3.6).
  static let reportMilliseconds = (CrossingTest.tick + CrossingTest.longestDelay).count / 1_000_000

  /// At most ten years, so that a sum of nanoseconds cannot overflow.
  private static func loitering(of geofence: Geofence) -> Int64 {
    Int64(min(max(geofence.loiteringDelayMilliseconds, 0), 3.2e11).rounded(.up))
  }

  private mutating func report(
    _ action: GeofenceTrigger.Action, _ slot: Int, isSynthesised: Bool = false, now: Moment,
    into effects: inout [GeofenceEffect]
  ) {
    guard var entry = slots[slot] else { return }
    let isNotified =
      switch action {
      case .enter: entry.geofence.notifyOnEntry
      case .exit: entry.geofence.notifyOnExit
      case .dwell: entry.geofence.notifyOnDwell
      }
    if isNotified { entry.geofence.status.hits += 1 }
    if action == .dwell { entry.geofence.status.dwellDeadline = nil }
    entry.geofence.status.updatedAtSeconds = Double(now.wall.millisecondsSince1970) / 1_000
    slots[slot] = entry
    let geofence = entry.geofence
    effects.append(
      .transition(
        GeofenceTransition(
          geofence: geofence, action: action, moment: now, isNotified: isNotified, isSynthesised: isSynthesised,
          recordKind: entry.polygon == nil ? .geofence : .polygon)))
  }

  /// Reports whether the line from one of the last two fixes to a place passes through a circle. Computed in the plane
  /// of distances and bearings from the centre, where only the distance from the centre matters.
  private func hasPassed(through circle: Circle, to place: Coordinate) -> Bool {
    guard let start = lastPlace == place ? placeBefore : lastPlace else { return false }
    let (a, b) = (GeofenceBook.point(start, from: circle.center), GeofenceBook.point(place, from: circle.center))
    let (dx, dy) = (b.x - a.x, b.y - a.y)
    let squared = dx * dx + dy * dy
    let share = squared > 0 ? min(max(-(a.x * dx + a.y * dy) / squared, 0), 1) : 0
    let (x, y) = (a.x + share * dx, a.y + share * dy)
    return x * x + y * y <= circle.radiusMetres * circle.radiusMetres
  }

  private static func point(_ place: Coordinate, from center: Coordinate) -> (x: Double, y: Double) {
    let distance = center.distanceMetres(to: place)
    let angle = PortableMath.sineAndCosine(degrees: center.initialBearingDegrees(to: place))
    return (distance * angle.sine, distance * angle.cosine)
  }
}

extension GeofenceBook {
  /// Called for every fix while `wantsHighRate`: tests it against the polygons whose circle the device is in (SDK
  /// §15.5). A fix that is not newer than the last one is ignored, unless the clock was set back since.
  package mutating func testPolygons(
    at place: Coordinate, accuracyMetres: Double, fixedAt timestamp: WallInstant, now: Moment,
    into effects: inout [GeofenceEffect]
  ) {
    guard watchedPolygons > 0 else { return }
    for slot in active {
      guard let entry = slots[slot], entry.isInsideCircle,
        entry.testedUntil.map({ $0 < timestamp || $0 > now.wall }) ?? true
      else { continue }
      slots[slot]?.testedUntil = timestamp
      if entry.isRefuted(by: place, accuracyMetres: accuracyMetres) {
        cross(slot, now: now, into: &effects)
      } else if entry.geofence.status.dwellDeadline != nil && entry.contains(place) {
        resumeDwelling(slot, now: now, into: &effects)
      }
    }
  }

  /// Called for every fix of geofences-only mode at high accuracy: also tests the circles, so that a crossing need not
  /// wait for the system's report (SDK §15.6).
  package mutating func testCircles(
    at place: Coordinate, accuracyMetres: Double, now: Moment, into effects: inout [GeofenceEffect]
  ) {
    for slot in active {
      guard let entry = slots[slot], !entry.isUntested else { continue }
      if entry.polygon != nil {
        if !entry.isInsideCircle && entry.circle.contains(place) { watchPolygon(slot) }
      } else if entry.isRefuted(by: place, accuracyMetres: accuracyMetres) {
        cross(slot, now: now, into: &effects)
        awaitReport(slot, into: &effects)
      }
    }
  }

  /// Crosses to the side opposite to the status.
  private mutating func cross(_ slot: Int, now: Moment, into effects: inout [GeofenceEffect]) {
    if slots[slot]?.geofence.status.isInside == true {
      exit(slot, now: now, into: &effects)
    } else {
      enter(slot, now: now, into: &effects)
    }
  }

  /// Handles a crossing of a polygon's circle. Inside it nothing is decided yet. Leaving it ends the tests, with an
  /// exit if the status was inside.
  mutating func crossedCircle(
    ofPolygon slot: Int, isEnter: Bool, now: Moment, into effects: inout [GeofenceEffect]
  ) {
    slots[slot]?.isUntested = false
    if isEnter {
      watchPolygon(slot)
      return
    }
    unwatchPolygon(slot)
    if slots[slot]?.geofence.status.isInside == true { exit(slot, now: now, into: &effects) }
  }

  mutating func watchPolygon(_ slot: Int) {
    guard slots[slot]?.isInsideCircle == false else { return }
    slots[slot]?.isInsideCircle = true
    slots[slot]?.testedUntil = nil
    watchedPolygons += 1
  }

  mutating func unwatchPolygon(_ slot: Int) {
    guard slots[slot]?.isInsideCircle == true else { return }
    slots[slot]?.isInsideCircle = false
    watchedPolygons -= 1
  }
}

/// A crossing reported by the system that changes nothing: the `geofence` of `locationfilter` (SDK §6).
package struct GeofenceSuppression: Equatable, Sendable {
  /// The reason on the wire.
  package enum Reason: String, CaseIterable, Sendable {
    case duplicateEnter = "geofence-duplicate-enter"
    case spuriousExit = "geofence-spurious-exit"
  }

  package let identifier: String
  package let action: GeofenceTrigger.Action
  package let reason: Reason
  /// The distance from the centre.
  package let distanceMetres: Double
  package let radiusMetres: Double

  /// Negative inside.
  package var outsideByMetres: Double { distanceMetres - radiusMetres }
}
