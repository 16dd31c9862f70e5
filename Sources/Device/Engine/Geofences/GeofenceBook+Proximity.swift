package import Base
import Contract
package import Vocabulary

extension GeofenceBook {
  /// Determines the active fences for a device at a place; nil when unknown. Does nothing within Android's minimum interval, or
  /// at the place of the last evaluation. A place that is not current selects fences but proves no crossing.
  package mutating func evaluate(
    _ occasion: ProximityOccasion, at place: Coordinate?, accuracyMetres: Double, isCurrent: Bool = true, now: Moment,
    rules: GeofenceRules, into effects: inout [GeofenceEffect]
  ) {
    if occasion == .start { for slot in slots.indices { slots[slot]?.isRestored = false } }
    if occasion == .start || occasion == .relaunch { isMonitoring = true }
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
    if let place, isCurrent {
      if !unwatchedInside.isEmpty { leave(from: place, accuracyMetres: accuracyMetres, now: now, into: &effects) }
      if hasUntested {
        beginMonitoring(at: place, accuracyMetres: accuracyMetres, now: now, rules: rules, into: &effects)
      }
    } else if hasUntested {
      goOnWithVisits(now: now, into: &effects)
    }
    effects.append(.evaluated(found: active.count, of: count, withinMetres: rules.proximityMetres))
  }

  /// Whether a place is needed: to select among more fences than may be active without a query, or to determine whether
  /// the device is in a polygon, of which the system knows only the enclosing circle (SDK §15.5).
  func wantsPlace(_ rules: GeofenceRules) -> Bool {
    guard isMonitoring && evaluatedPlace == nil else { return false }
    if count > rules.limitWithoutQuery { return true }
    return active.contains { slot in slots[slot].map { $0.polygon != nil && $0.isUntested } ?? false }
  }

  private func isDue(
    _ occasion: ProximityOccasion, at place: Coordinate?, now: Moment, rules: GeofenceRules
  ) -> Bool {
    if isStale || (hasUntested && place != nil) { return true }
    if occasion == .start || occasion == .relaunch || occasion == .fencesChanged { return true }
    guard count > 0 || rules.isGeofenceMode, place != nil, place != evaluatedPlace else { return false }
    guard occasion == .fix, rules.platform == .android, let evaluatedAt else { return true }
    return now.monotonic - evaluatedAt >= GeofenceRules.androidInterval
  }

  /// Fills `candidates`, in ascending order.
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
      if index == nil { buildIndex(reachMetres: rules.proximityMetres) }
      index?.findNearest(
        to: place, radiusMetres: rules.proximityMetres + (accuracyMetres > 0 ? accuracyMetres : 0), limit: rules.limit,
        radiusOf: { [slots] in slots[$0]?.circle.radiusMetres ?? 0 }, into: &neighbours)
      for neighbour in neighbours { candidates.append(neighbour.id) }
      candidates.sort()
    } else {
      // The nearby fences are unknown: keep the active ones, up to the limit.
      candidates.append(contentsOf: active.prefix(rules.limit))
    }
  }

  private mutating func buildIndex(reachMetres: Double) {
    var index = FenceIndex(reachMetres: reachMetres)
    for (slot, entry) in slots.enumerated() {
      if let entry { index.insert(slot, entry.circle) }
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
      slots[slot]?.isBeginUnheard = false
      hasUntested = true
      if let geofence = slots[slot]?.geofence { on.append(geofence) }
    }
    active.removeAll(keepingCapacity: true)
    active.append(contentsOf: candidates)
    off.removeAll { identifier in on.contains { $0.identifier == identifier } }
    if !on.isEmpty || !off.isEmpty { effects.append(.activeSet(on: on, off: off)) }
  }

  /// Continues the visits when no position may come to show whether the device is still inside, because the system
  /// reports the exit. It does not for polygons: the device may have left one within its circle (SDK §15.3.4, §15.4).
  private mutating func goOnWithVisits(now: Moment, into effects: inout [GeofenceEffect]) {
    for slot in active {
      guard let entry = slots[slot], entry.isUntested, entry.polygon == nil, entry.geofence.status.isInside else {
        continue
      }
      resumeDwelling(slot, after: GeofenceBook.reportMilliseconds, now: now, into: &effects)
    }
  }

  /// Handles the initial trigger, and crossings while monitoring was off (SDK §15.4): a device that is still inside has
  /// no second enter, and one that has left has its exit. Fences of an earlier process were monitored throughout.
  private mutating func beginMonitoring(
    at place: Coordinate, accuracyMetres: Double, now: Moment, rules: GeofenceRules,
    into effects: inout [GeofenceEffect]
  ) {
    hasUntested = false
    for slot in active {
      guard let entry = slots[slot] else { continue }
      if awaitsReportOfEntry(entry, slot, at: place, accuracyMetres, now, into: &effects) { hasUntested = true }
      guard entry.isUntested else { continue }
      // Inside the circle the tests against the polygon decide.
      let isInCircle = entry.circle.contains(place)
      if isInCircle && entry.polygon != nil { watchPolygon(slot) }
      let wasInside = entry.geofence.status.isInside
      // A good position outside a fence in which the device was not needs no margin.
      let isSure = !wasInside && accuracyMetres <= CrossingTest.widestMarginMetres
      if !isInCircle && !isSure && !entry.isFarOutside(place, accuracyMetres: accuracyMetres) {
        hasUntested = true
        // The visit continues unless the system reports its end, and at rest no other position may come (SDK §15.3.4).
        if wasInside {
          resumeDwelling(slot, after: GeofenceBook.reportMilliseconds, now: now, into: &effects)
        }
        continue
      }
      slots[slot]?.isUntested = false
      slots[slot]?.isRestored = false
      if wasInside {
        if !isInCircle {
          leave(slot, now: now, into: &effects)
        } else if entry.contains(place) {
          // The dwell need not wait for the system any more.
          dwellings.removeAll { $0.slot == slot }
          resumeDwelling(slot, now: now, into: &effects)
        }
      } else if !entry.contains(place) {
        slots[slot]?.isBeginUnheard = !rules.triggersInitially && !entry.isRestored
      } else {
        if rules.triggersInitially || entry.isRestored {
          enter(slot, now: now, into: &effects)
        } else {
          enterSilently(slot, now: now, into: &effects)
        }
        if entry.polygon == nil {
          awaitReport(slot, into: &effects)
          hasUntested = true
        }
      }
    }
  }

  /// Leaves fences that the device was in and that are not watched, because they are far away or because tracking was
  /// off (SDK §15.2).
  private mutating func leave(
    from place: Coordinate, accuracyMetres: Double, now: Moment, into effects: inout [GeofenceEffect]
  ) {
    for slot in unwatchedInside {
      // The system may have reported the exit already.
      guard let entry = slots[slot], !entry.isActive, entry.geofence.status.isInside,
        entry.isFarOutside(place, accuracyMetres: accuracyMetres)
      else { continue }
      leave(slot, now: now, into: &effects)
    }
    unwatchedInside.removeAll { slot in
      slots[slot].map { $0.isActive || !$0.geofence.status.isInside } ?? true
    }
  }

  /// Reports whether the system's report of an entry shown by a position is still due. The system may have missed the
  /// entry, and then reports no exit either; a position far outside counts as the exit.
  private mutating func awaitsReportOfEntry(
    _ entry: BookedFence, _ slot: Int, at place: Coordinate, _ accuracyMetres: Double, _ now: Moment,
    into effects: inout [GeofenceEffect]
  ) -> Bool {
    guard entry.isReportDue, entry.geofence.status.isInside, !entry.isUntested else { return false }
    guard entry.isFarOutside(place, accuracyMetres: accuracyMetres) else { return true }
    leave(slot, now: now, into: &effects)
    return false
  }

  private mutating func leave(_ slot: Int, now: Moment, into effects: inout [GeofenceEffect]) {
    exit(slot, now: now, into: &effects)
    awaitReport(slot, into: &effects)
  }

  /// Expects the system's report of a crossing shown by a position, and makes it check the fence again.
  mutating func awaitReport(_ slot: Int, into effects: inout [GeofenceEffect]) {
    slots[slot]?.isReportDue = true
    if let entry = slots[slot], entry.isActive, entry.polygon == nil { effects.append(.watchAnew(entry.geofence)) }
  }

  /// Keeps the last two fixes, whose connection may prove crossings that the system missed.
  private mutating func noteWay(to place: Coordinate) {
    guard place != lastPlace else { return }
    (placeBefore, lastPlace) = (lastPlace, place)
  }
}

/// The reason for an evaluation of nearby fences.
package enum ProximityOccasion: CaseIterable, Sendable {
  /// An accepted fix while moving: the only occasion that Android limits in frequency.
  case fix
  /// Tracking resumes after an earlier process.
  case relaunch
  case start, motionChange, fencesChanged, transition, regionExit
}

/// A spatial index of fences by their edges. Fences of similar size share a grid, so large fences are found from afar
/// without making many small ones expensive.
struct FenceIndex: Sendable {
  private struct SizeClass: Sendable {
    /// The class holds radii from a quarter of this up to this.
    let largestRadius: Double
    var grid: GridIndex
    /// The largest radius of a fence that has been in the class.
    var widestRadius: Double
  }

  private static let firstRadius = 1_000.0
  private static let growth = 4.0

  private let reachMetres: Double
  private var classes: [SizeClass] = []
  /// A buffer for queries.
  private var found: [Neighbour] = []

  /// `reachMetres` is the usual radius of a query.
  init(reachMetres: Double) { self.reachMetres = reachMetres }

  mutating func insert(_ slot: Int, _ circle: Circle) {
    let place = classIndex(of: circle) ?? addClass(for: circle)
    classes[place].grid.insert(slot, at: circle.center)
    classes[place].widestRadius = max(classes[place].widestRadius, circle.radiusMetres)
  }

  mutating func remove(_ slot: Int, _ circle: Circle) {
    guard let place = classIndex(of: circle) else { return }
    classes[place].grid.remove(slot, at: circle.center)
  }

  /// Finds the fences whose edge is within a radius, at most `limit`: first those around the place, then by the
  /// distance of their edge. Replaces the contents of `results`.
  mutating func findNearest(
    to place: Coordinate, radiusMetres: Double, limit: Int, radiusOf: (Int) -> Double, into results: inout [Neighbour]
  ) {
    results.removeAll(keepingCapacity: true)
    for sizeClass in classes {
      sizeClass.grid.findNearest(to: place, radiusMetres: radiusMetres + sizeClass.widestRadius, into: &found)
      for fence in found {
        let distance = max(0, fence.distanceMetres - radiusOf(fence.id))
        if distance <= radiusMetres { results.append(Neighbour(id: fence.id, distanceMetres: distance)) }
      }
    }
    results.sort()
    if results.count > limit { results.removeLast(results.count - limit) }
  }

  private func classIndex(of circle: Circle) -> Int? {
    let radius = FenceIndex.largestRadius(above: circle.radiusMetres)
    return classes.firstIndex { $0.largestRadius == radius }
  }

  private mutating func addClass(for circle: Circle) -> Int {
    let radius = FenceIndex.largestRadius(above: circle.radiusMetres)
    let cell = min(max(reachMetres + radius / FenceIndex.growth, 100), 1e6)
    classes.append(SizeClass(largestRadius: radius, grid: GridIndex(cellMetres: cell), widestRadius: 0))
    return classes.count - 1
  }

  private static func largestRadius(above radius: Double) -> Double {
    var largest = firstRadius
    while largest < radius { largest *= growth }
    return largest
  }
}
