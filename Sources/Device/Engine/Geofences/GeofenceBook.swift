package import Base
package import Contract
package import Vocabulary

/// The fences of a device: selects those that the system watches, and interprets its reports (SDK §15). The cost of a
/// fix depends only on the nearby fences.
package struct GeofenceBook: Sendable {
  struct Dwelling: Sendable {
    let slot: Int
    let deadline: MonotonicInstant
  }

  /// The fences by slot; slots of removed fences are reused.
  var slots: [BookedFence?] = []
  private var freeSlots: [Int] = []
  private var slotOfIdentifier: [String: Int] = [:]
  private var nextSequence = 0
  /// Nil unless there are more fences than may be active without a query.
  var index: FenceIndex?

  var watchedPolygons: Int32 = 0
  private let isPolygonLicensed: Bool
  var isMonitoring = false
  /// Whether fences have changed since the last evaluation.
  var isStale = false
  /// Whether some active fences are untested, because the device's place was unknown.
  var hasUntested = false
  /// The slots of the active fences, in ascending order.
  var active: [Int] = []
  /// Fences that the device was in when they were last watched, and that have not been watched since.
  var unwatchedInside: [Int] = []
  /// Identifiers of active fences that were removed since the last evaluation.
  var removedActive: [String] = []
  var evaluatedAt: MonotonicInstant?
  var evaluatedPlace: Coordinate?
  var lastPlace: Coordinate?
  var placeBefore: Coordinate?
  /// Pending dwells, at most one for each active fence.
  var dwellings: [Dwelling] = []
  /// Buffers for evaluations.
  var neighbours: [Neighbour] = []
  var candidates: [Int] = []

  /// Without a licence polygons are watched as circles (SDK §15.5).
  package init(isPolygonLicensed: Bool = true) { self.isPolygonLicensed = isPolygonLicensed }

  package var count: Int { slotOfIdentifier.count }
  package var activeCount: Int { active.count }
  /// Whether fixes are needed at a high rate, to be tested against a polygon.
  package var wantsHighRate: Bool { watchedPolygons > 0 }
  /// The next instant for `timersDue`.
  package var nextDeadline: MonotonicInstant? {
    dwellings.min { $0.deadline < $1.deadline }?.deadline
  }

  /// The geofences of earlier processes, then the others in the order in which they were added.
  package var geofences: [Geofence] {
    slots.compactMap { $0 }.sorted { $0.sequence < $1.sequence }.map(\.geofence)
  }

  package func geofence(_ identifier: String) -> Geofence? { entry(identifier)?.geofence }
  package func isActive(_ identifier: String) -> Bool { entry(identifier)?.isActive ?? false }
  package func isRestored(_ identifier: String) -> Bool { entry(identifier)?.isRestored ?? false }
  /// Returns the circle that the system must watch for a fence.
  package func circle(of identifier: String) -> Circle? { entry(identifier)?.circle }

  func slot(of identifier: String) -> Int? { slotOfIdentifier[identifier] }

  private func entry(_ identifier: String) -> BookedFence? { slot(of: identifier).flatMap { slots[$0] } }

  /// Adds a fence, replacing one with its identifier along with its status and hits. An evaluation (`fencesChanged`)
  /// must follow.
  package mutating func add(_ geofence: Geofence) throws(GeofenceError) {
    var geofence = geofence
    geofence.status = Geofence.Status()
    try insert(geofence)
  }

  /// Adds a stored fence with its status.
  package mutating func restore(_ geofence: Geofence) throws(GeofenceError) {
    let slot = try insert(geofence)
    slots[slot]?.isRestored = true
    if geofence.status.isInside { unwatchedInside.append(slot) }
  }

  @discardableResult
  private mutating func insert(_ geofence: Geofence) throws(GeofenceError) -> Int {
    let entry = try BookedFence(geofence, sequence: nextSequence, isPolygonLicensed: isPolygonLicensed)
    nextSequence += 1
    isStale = true
    if let slot = slot(of: geofence.identifier) {
      if slots[slot]?.isActive == true { removedActive.append(geofence.identifier) }
      vacate(slot)
      slots[slot] = entry
      index?.insert(slot, entry.circle)
      return slot
    }
    let slot = freeSlots.popLast() ?? slots.count
    if slot == slots.count { slots.append(entry) } else { slots[slot] = entry }
    slotOfIdentifier[geofence.identifier] = slot
    index?.insert(slot, entry.circle)
    return slot
  }

  /// Returns false when there is no such fence. An evaluation (`fencesChanged`) must follow.
  package mutating func remove(_ identifier: String) -> Bool {
    guard let slot = slotOfIdentifier.removeValue(forKey: identifier) else { return false }
    if slots[slot]?.isActive == true { removedActive.append(identifier) }
    vacate(slot)
    slots[slot] = nil
    freeSlots.append(slot)
    isStale = true
    return true
  }

  /// The reported change has empty lists (SDK §15.7).
  package mutating func removeAll(into effects: inout [GeofenceEffect]) {
    let (place, before, evaluated) = (lastPlace, placeBefore, evaluatedPlace)
    let wasMonitoring = isMonitoring
    self = GeofenceBook(isPolygonLicensed: isPolygonLicensed)
    (lastPlace, placeBefore, evaluatedPlace, isMonitoring) = (place, before, evaluated, wasMonitoring)
    effects.append(.activeSet(on: [], off: []))
  }

  /// Ends monitoring for `stop()`. Statuses and the deadlines of dwells stay; timers do not (SDK §15.3).
  package mutating func stop() {
    while let slot = active.last { deactivate(slot) }
    isMonitoring = false
    removedActive.removeAll()
    (evaluatedAt, evaluatedPlace) = (nil, nil)
    (lastPlace, placeBefore) = (nil, nil)
  }

  /// Removes a fence from everything but its slot.
  private mutating func vacate(_ slot: Int) {
    guard let entry = slots[slot] else { return }
    index?.remove(slot, entry.circle)
    if entry.isActive { deactivate(slot) }
    unwatchedInside.removeAll { $0 == slot }
  }

  /// Reports nothing: the exit from a fence that was left meanwhile follows when a position shows it (SDK §15.2).
  mutating func deactivate(_ slot: Int) {
    if slots[slot]?.geofence.status.isInside == true && !unwatchedInside.contains(slot) { unwatchedInside.append(slot) }
    slots[slot]?.isActive = false
    unwatchPolygon(slot)
    dwellings.removeAll { $0.slot == slot }
    active.removeAll { $0 == slot }
  }
}

/// An effect of a geofence book.
package enum GeofenceEffect: Equatable, Sendable {
  case transition(GeofenceTransition)
  case suppressed(GeofenceSuppression)
  /// The status was corrected without an event; it must be saved.
  case corrected(Geofence)
  /// The set of active fences has changed: the system must watch `on` and stop watching `off`, and `geofenceschange`
  /// reports them. Both are empty after all fences were removed.
  case activeSet(on: [Geofence], off: [String])
  /// A position showed a crossing that the system may have missed: the fence must be registered again, or the system
  /// might never report the next crossing.
  case watchAnew(Geofence)
  /// The moving region of geofence-only mode must be placed here.
  case movingRegion(Circle)
  /// The evaluation for the log.
  case evaluated(found: Int, of: Int, withinMetres: Double)
}

/// An enter, exit or dwell of a fence, which has changed its status.
package struct GeofenceTransition: Equatable, Sendable {
  /// The geofence with the new status, which must be saved.
  package let geofence: Geofence
  package let action: GeofenceTrigger.Action
  /// The time of the crossing, not of the fix requested next (SDK §15.3).
  package let moment: Moment
  /// False when the fence does not report this action: no event and no record, but the status changes.
  package let isNotified: Bool
  /// Whether it is an enter that the system missed and the device's path proves.
  package let isSynthesised: Bool
  package let recordKind: RecordKind
}

/// The reason why a fence is refused.
package enum GeofenceError: Error, Equatable, Sendable {
  case noIdentifier
  /// A centre or a corner is invalid, or a polygon has fewer than three corners.
  case noPlace(identifier: String)
  /// The radius is not a positive number of metres.
  case noRadius(identifier: String)
}

/// The geofence settings of a configuration, small enough to pass with every fix.
package struct GeofenceRules: Equatable, Sendable {
  /// The number of regions available for fences: 20 on iOS, one of which surrounds a device at rest, and 100 on Android
  /// (SDK §15.2).
  static func usableRegions(on platform: DevicePlatform) -> Int {
    switch platform {
    case .ios: 19
    case .android: 97
    }
  }

  /// The number of fences up to which all are active wherever they are.
  static func regionsWithoutQuery(on platform: DevicePlatform) -> Int {
    switch platform {
    case .ios: 18
    case .android: 97
    }
  }

  /// Android's minimum interval between evaluations while fixes arrive; iOS evaluates at each of them.
  static let androidInterval = Nanoseconds.seconds(60)
  static let leastProximityMetres = 1_000.0

  package var platform: DevicePlatform
  package var proximityMetres: Double
  /// 0 or less: the limit of the platform.
  package var maximum: Int
  package var triggersInitially: Bool
  package var isGeofenceMode: Bool

  package init(_ configuration: Configuration, isGeofenceMode: Bool) {
    platform = configuration.platform
    proximityMetres = max(
      configuration.geolocation.geofenceProximityRadiusMetres, GeofenceRules.leastProximityMetres)
    maximum = configuration.geolocation.maxMonitoredGeofences
    triggersInitially = configuration.geolocation.geofenceInitialTriggerEntry
    self.isGeofenceMode = isGeofenceMode
  }

  /// The maximum number of active fences.
  var limit: Int { bounded(GeofenceRules.usableRegions(on: platform)) }
  var limitWithoutQuery: Int { bounded(GeofenceRules.regionsWithoutQuery(on: platform)) }

  /// The radius of the moving region in geofence-only mode, whose exit triggers an evaluation (SDK §15.6).
  package var movingRegionRadiusMetres: Double { proximityMetres / 2 }

  private func bounded(_ regions: Int) -> Int { maximum > 0 ? min(maximum, regions) : regions }
}
