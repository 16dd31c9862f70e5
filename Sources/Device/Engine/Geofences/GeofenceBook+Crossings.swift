package import Base
package import Contract
package import Vocabulary

extension GeofenceBook {
  /// The system says that the device crossed the rim of a fence, there and then. Fences that are not active are left
  /// alone: a report may come late.
  package mutating func crossed(
    _ identifier: String, isEnter: Bool, at place: Coordinate, now: Moment, platform: DevicePlatform,
    into effects: inout [GeofenceEffect]
  ) {
    guard let slot = slot(of: identifier), let entry = slots[slot], entry.isActive else { return }
    if entry.polygon != nil {
      crossedCircle(ofPolygon: slot, isEnter: isEnter, now: now, into: &effects)
      return
    }
    // Where the device is need not be found out any more.
    slots[slot]?.isUntested = false
    let isInside = entry.geofence.status.isInside
    if isEnter && !isInside {
      enter(slot, now: now, into: &effects)
    } else if !isEnter && isInside {
      exit(slot, now: now, into: &effects)
    } else if !isEnter && platform == .android && hasPassed(through: entry.circle, to: place) {
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

  /// At `nextDeadline` or later: the device has dwelt.
  package mutating func timersDue(at now: Moment, into effects: inout [GeofenceEffect]) {
    while let deadline = nextDeadline, deadline <= now.monotonic,
      let index = dwellings.firstIndex(where: { $0.deadline == deadline })
    {
      let dwelling = dwellings.remove(at: index)
      report(.dwell, dwelling.slot, now: now, into: &effects)
    }
  }

  mutating func enter(
    _ slot: Int, isSynthesised: Bool = false, now: Moment, into effects: inout [GeofenceEffect]
  ) {
    slots[slot]?.geofence.status.isInside = true
    report(.enter, slot, isSynthesised: isSynthesised, now: now, into: &effects)
    guard let geofence = slots[slot]?.geofence, geofence.notifyOnDwell, !isSynthesised else { return }
    guard geofence.loiteringDelayMilliseconds > 0 else {
      report(.dwell, slot, now: now, into: &effects)
      return
    }
    let delay = min(geofence.loiteringDelayMilliseconds, GeofenceBook.longestDelayMilliseconds)
    dwellings.append(Dwelling(slot: slot, deadline: now.monotonic + Nanoseconds(Int64(delay * 1e6))))
  }

  mutating func exit(_ slot: Int, now: Moment, into effects: inout [GeofenceEffect]) {
    slots[slot]?.geofence.status.isInside = false
    dwellings.removeAll { $0.slot == slot }
    report(.exit, slot, now: now, into: &effects)
  }

  /// Ten years; beyond it a sum of nanoseconds would overflow some day.
  private static let longestDelayMilliseconds = 3.2e11

  private mutating func report(
    _ action: GeofenceTrigger.Action, _ slot: Int, isSynthesised: Bool = false, now: Moment,
    into effects: inout [GeofenceEffect]
  ) {
    slots[slot]?.geofence.status.hits += 1
    slots[slot]?.geofence.status.updatedAtSeconds = Double(now.wall.millisecondsSince1970) / 1_000
    guard let entry = slots[slot] else { return }
    let geofence = entry.geofence
    let isNotified =
      switch action {
      case .enter: geofence.notifyOnEntry
      case .exit: geofence.notifyOnExit
      case .dwell: geofence.notifyOnDwell
      }
    effects.append(
      .transition(
        GeofenceTransition(
          geofence: geofence, action: action, moment: now, isNotified: isNotified, isSynthesised: isSynthesised,
          recordKind: entry.polygon == nil ? .geofence : .polygon)))
  }

  /// Whether the way from one of the last two fixes to a place leads through a circle. In the plane of distances and
  /// bearings from the centre, where all that counts is the distance from the centre.
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
