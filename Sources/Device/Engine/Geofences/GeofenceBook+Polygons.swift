package import Base
import Contract
package import Vocabulary

extension GeofenceBook {
  /// For every fix while `wantsHighRate`: tests it against the polygons whose circle the device is in (SDK §15.5). A
  /// fix that is not newer than the last one is ignored, unless the clock was set back since.
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

  /// For every fix of geofences-only mode at high accuracy: the rims of the circles are tested as well, so that a
  /// crossing need not wait for the system's report (SDK §15.6).
  package mutating func testCircles(
    at place: Coordinate, accuracyMetres: Double, now: Moment, into effects: inout [GeofenceEffect]
  ) {
    for slot in active {
      guard let entry = slots[slot], !entry.isUntested else { continue }
      if entry.polygon != nil {
        if !entry.isInsideCircle && entry.circle.contains(place) { watchPolygon(slot) }
      } else if entry.isRefuted(by: place, accuracyMetres: accuracyMetres) {
        cross(slot, now: now, into: &effects)
        slots[slot]?.isReportDue = true
      }
    }
  }

  /// To the other side than the status says.
  private mutating func cross(_ slot: Int, now: Moment, into effects: inout [GeofenceEffect]) {
    if slots[slot]?.geofence.status.isInside == true {
      exit(slot, now: now, into: &effects)
    } else {
      enter(slot, now: now, into: &effects)
    }
  }

  /// Inside the circle nothing is said yet. Leaving it ends the tests, and an exit is due when the last said inside.
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
