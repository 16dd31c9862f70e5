package import Base
import Contract
package import Vocabulary

extension GeofenceBook {
  /// Looks which fences are to be active, with the device at a place; nil when nobody knows where it is. Nothing happens
  /// between two looks that Android spaces out, and at the place of the last look.
  package mutating func evaluate(
    _ occasion: ProximityOccasion, at place: Coordinate?, accuracyMetres: Double, now: Moment, rules: GeofenceRules,
    into effects: inout [GeofenceEffect]
  ) {
    if occasion == .start { isMonitoring = true }
    guard isMonitoring else { return }
    if let place { noteWay(to: place) }
    guard isDue(occasion, at: place, now: now, rules: rules) else { return }
    evaluatedAt = now.monotonic
    if rules.isGeofenceMode, let place, place != evaluatedPlace || occasion == .start {
      effects.append(.movingRegion(Circle(center: place, radiusMetres: rules.movingRegionRadiusMetres)))
    }
    evaluatedPlace = place ?? evaluatedPlace
    choose(at: place, accuracyMetres: accuracyMetres, rules: rules)
    isStale = false
    if candidates != active || !removedActive.isEmpty { activateCandidates(into: &effects) }
    if let place, hasUntested { beginMonitoring(at: place, now: now, rules: rules, into: &effects) }
    effects.append(.evaluated(found: active.count, of: count, withinMetres: rules.proximityMetres))
  }

  private func isDue(
    _ occasion: ProximityOccasion, at place: Coordinate?, now: Moment, rules: GeofenceRules
  ) -> Bool {
    if isStale || occasion == .start || occasion == .fencesChanged || (hasUntested && place != nil) { return true }
    guard count > 0 || rules.isGeofenceMode, place != nil, place != evaluatedPlace else { return false }
    guard occasion == .fix, rules.platform == .android, let evaluatedAt else { return true }
    return now.monotonic - evaluatedAt >= GeofenceRules.androidInterval
  }

  /// Into `candidates`, in ascending order.
  private mutating func choose(at place: Coordinate?, accuracyMetres: Double, rules: GeofenceRules) {
    candidates.removeAll(keepingCapacity: true)
    if count <= rules.limitWithoutQuery {
      index = nil
      if !isStale && active.count == count {
        candidates.append(contentsOf: active)
        return
      }
      for slot in slots.indices where slots[slot] != nil { candidates.append(slot) }
    } else if let place {
      if index == nil { buildIndex(cellMetres: rules.proximityMetres) }
      index?.findNearest(
        to: place, radiusMetres: rules.proximityMetres + (accuracyMetres > 0 ? accuracyMetres : 0), limit: rules.limit,
        into: &neighbours)
      for neighbour in neighbours { candidates.append(neighbour.id) }
      candidates.sort()
    } else {
      // Nobody knows what is near: as before, but not more than allowed.
      candidates.append(contentsOf: active.prefix(rules.limit))
    }
  }

  private mutating func buildIndex(cellMetres: Double) {
    var index = GridIndex(cellMetres: min(cellMetres, 1e6))
    for (slot, entry) in slots.enumerated() {
      if let entry { index.insert(slot, at: entry.circle.center) }
    }
    self.index = index
  }

  private mutating func activateCandidates(into effects: inout [GeofenceEffect]) {
    var off = removedActive
    removedActive.removeAll()
    for slot in active.reversed() where !candidates.contains(slot) {
      if let entry = slots[slot] { off.append(entry.geofence.identifier) }
      deactivate(slot)
    }
    var on: [Geofence] = []
    for slot in candidates where slots[slot]?.isActive == false {
      slots[slot]?.isActive = true
      slots[slot]?.isUntested = true
      hasUntested = true
      if let geofence = slots[slot]?.geofence { on.append(geofence) }
    }
    active.removeAll(keepingCapacity: true)
    active.append(contentsOf: candidates)
    off.removeAll { identifier in on.contains { $0.identifier == identifier } }
    if !on.isEmpty || !off.isEmpty { effects.append(.activeSet(on: on, off: off)) }
  }

  /// The initial trigger, and what became wrong while nobody watched (behaviour §15.4). A device that is still inside
  /// has no second enter.
  private mutating func beginMonitoring(
    at place: Coordinate, now: Moment, rules: GeofenceRules, into effects: inout [GeofenceEffect]
  ) {
    hasUntested = false
    for slot in active {
      guard let entry = slots[slot], entry.isUntested else { continue }
      slots[slot]?.isUntested = false
      if entry.polygon != nil, entry.circle.contains(place) { watchPolygon(slot) }
      let isInside = entry.contains(place)
      if isInside == entry.geofence.status.isInside { continue }
      if isInside && rules.triggersInitially {
        enter(slot, now: now, into: &effects)
      } else {
        slots[slot]?.geofence.status.isInside = isInside
        if let geofence = slots[slot]?.geofence { effects.append(.corrected(geofence)) }
      }
    }
  }

  /// The way between the last two fixes is evidence of crossings that the system missed.
  private mutating func noteWay(to place: Coordinate) {
    guard place != lastPlace else { return }
    (placeBefore, lastPlace) = (lastPlace, place)
  }
}
