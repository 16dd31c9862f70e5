package import Base
import Contract
package import Vocabulary

extension GeofenceBook {
  /// For every fix while `wantsHighRate`: tests it against the polygons whose circle the device is in (behaviour
  /// §15.5). A fix that is not newer than the last one is ignored.
  package mutating func testPolygons(
    at place: Coordinate, fixedAt timestamp: WallInstant, now: Moment, into effects: inout [GeofenceEffect]
  ) {
    guard watchedPolygons > 0 else { return }
    for slot in active {
      guard let entry = slots[slot], entry.isInsideCircle, let polygon = entry.polygon,
        entry.testedUntil.map({ $0 < timestamp }) ?? true
      else { continue }
      slots[slot]?.testedUntil = timestamp
      let isInside = polygon.contains(place)
      guard isInside != entry.geofence.status.isInside else { continue }
      if isInside { enter(slot, now: now, into: &effects) } else { exit(slot, now: now, into: &effects) }
    }
  }

  /// Inside the circle nothing is said yet. Leaving it ends the tests, and an exit is due when the last said inside.
  mutating func crossedCircle(
    ofPolygon slot: Int, isEnter: Bool, now: Moment, into effects: inout [GeofenceEffect]
  ) {
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
