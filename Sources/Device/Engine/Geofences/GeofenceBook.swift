package import Base
package import Contract
package import Vocabulary

/// All fences of a device: which of them the system watches, and what its reports mean (SDK §15). Thousands of
/// fences cost no more per fix than those nearby.
package struct GeofenceBook: Sendable {
  struct Dwelling: Sendable {
    let slot: Int
    let deadline: MonotonicInstant
  }

  /// A fence stays in its slot; slots of removed fences are used again.
  var slots: [BookedFence?] = []
  private var freeSlots: [Int] = []
  private var slotOfIdentifier: [String: Int] = [:]
  private var nextSequence = 0
  /// Only while there are more fences than may be active without a query.
  var index: FenceIndex?

  var watchedPolygons: Int32 = 0
  private let isPolygonLicensed: Bool
  var isMonitoring = false
  /// The fences changed since the last evaluation.
  var isStale = false
  /// Some active fences have not been tested, because the device's place was unknown.
  var hasUntested = false
  /// The slots of the active fences, in ascending order.
  var active: [Int] = []
  /// Fences that the device was in when they were last watched, and that were not watched since.
  var unwatchedInside: [Int] = []
  /// Identifiers of active fences that were removed since the last evaluation.
  var removedActive: [String] = []
  var evaluatedAt: MonotonicInstant?
  var evaluatedPlace: Coordinate?
  var lastPlace: Coordinate?
  var placeBefore: Coordinate?
  /// Fences in which the device has not yet dwelt long enough, at most one entry for each active fence.
  var dwellings: [Dwelling] = []
  /// Memory of evaluations, used again.
  var neighbours: [Neighbour] = []
  var candidates: [Int] = []

  /// Without a licence polygons are watched as circles (SDK §15.5).
  package init(isPolygonLicensed: Bool = true) { self.isPolygonLicensed = isPolygonLicensed }

  package var count: Int { slotOfIdentifier.count }
  package var activeCount: Int { active.count }
  /// Fixes are wanted at a high rate, to be tested against a polygon.
  package var wantsHighRate: Bool { watchedPolygons > 0 }
  /// When `timersDue` has something to do.
  package var nextDeadline: MonotonicInstant? {
    dwellings.min { $0.deadline < $1.deadline }?.deadline
  }

  /// In the order in which they were added.
  package var geofences: [Geofence] {
    slots.compactMap { $0 }.sorted { $0.sequence < $1.sequence }.map(\.geofence)
  }

  package func geofence(_ identifier: String) -> Geofence? { entry(identifier)?.geofence }
  package func isActive(_ identifier: String) -> Bool { entry(identifier)?.isActive ?? false }
  package func isRestored(_ identifier: String) -> Bool { entry(identifier)?.isRestored ?? false }
  /// What the system is to watch for a fence.
  package func circle(of identifier: String) -> Circle? { entry(identifier)?.circle }

  func slot(of identifier: String) -> Int? { slotOfIdentifier[identifier] }

  private func entry(_ identifier: String) -> BookedFence? { slot(of: identifier).flatMap { slots[$0] } }

  /// Adds a fence, or puts it in the place of the one with its identifier, whose status and hits are void. An evaluation
  /// (`fencesChanged`) has to follow.
  package mutating func add(_ geofence: Geofence) throws(GeofenceError) {
    var geofence = geofence
    geofence.status = Geofence.Status()
    try insert(geofence)
  }

  /// A fence with its status, as it was saved.
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

  /// False when there is no such fence. An evaluation (`fencesChanged`) has to follow.
  package mutating func remove(_ identifier: String) -> Bool {
    guard let slot = slotOfIdentifier.removeValue(forKey: identifier) else { return false }
    if slots[slot]?.isActive == true { removedActive.append(identifier) }
    vacate(slot)
    slots[slot] = nil
    freeSlots.append(slot)
    isStale = true
    return true
  }

  /// The change that is told of has no fences in it, neither on nor off (SDK §15.7).
  package mutating func removeAll(into effects: inout [GeofenceEffect]) {
    let (place, before, evaluated) = (lastPlace, placeBefore, evaluatedPlace)
    let wasMonitoring = isMonitoring
    self = GeofenceBook(isPolygonLicensed: isPolygonLicensed)
    (lastPlace, placeBefore, evaluatedPlace, isMonitoring) = (place, before, evaluated, wasMonitoring)
    effects.append(.activeSet(on: [], off: []))
  }

  /// Monitoring ends: `stop()`. Statuses stay, and with them the deadlines of dwells; timers do not (SDK §15.3).
  package mutating func stop() {
    while let slot = active.last { deactivate(slot) }
    isMonitoring = false
    removedActive.removeAll()
    (evaluatedAt, evaluatedPlace) = (nil, nil)
    (lastPlace, placeBefore) = (nil, nil)
  }

  /// Takes a fence out of everything but its slot.
  private mutating func vacate(_ slot: Int) {
    guard let entry = slots[slot] else { return }
    index?.remove(slot, entry.circle)
    if entry.isActive { deactivate(slot) }
    unwatchedInside.removeAll { $0 == slot }
  }

  /// Says nothing: of a fence that was left meanwhile the exit comes when a position shows it (SDK §15.2).
  mutating func deactivate(_ slot: Int) {
    if slots[slot]?.geofence.status.isInside == true && !unwatchedInside.contains(slot) { unwatchedInside.append(slot) }
    slots[slot]?.isActive = false
    unwatchPolygon(slot)
    dwellings.removeAll { $0.slot == slot }
    active.removeAll { $0 == slot }
  }
}

/// What a geofence book wants done.
package enum GeofenceEffect: Equatable, Sendable {
  case transition(GeofenceTransition)
  case suppressed(GeofenceSuppression)
  /// The status was put right without an event; it is to be saved.
  case corrected(Geofence)
  /// The set of active fences is another one: the system is to watch these and no longer those, and
  /// `geofenceschange` tells so. Both are empty after all fences were removed.
  case activeSet(on: [Geofence], off: [String])
  /// A position has shown a crossing of which the system may not know: it is asked anew where the device is, for from where
  /// it has the device it might never tell of the way back.
  case watchAnew(Geofence)
  /// The region that moves along in geofence-only mode is to be here.
  case movingRegion(Circle)
  /// The evaluation that the log shows.
  case evaluated(found: Int, of: Int, withinMetres: Double)
}

/// A fence was entered, left or dwelt in, and its status is changed.
package struct GeofenceTransition: Equatable, Sendable {
  /// With the status after the transition, which is to be saved.
  package let geofence: Geofence
  package let action: GeofenceTrigger.Action
  /// Of the crossing, not of the fix that is asked for next (SDK §15.3).
  package let moment: Moment
  /// False when the fence does not want to be told of: no event and no record, but the status is changed all the same.
  package let isNotified: Bool
  /// An enter that the system missed and the way of the device proves.
  package let isSynthesised: Bool
  package let recordKind: RecordKind
}

/// Why a fence cannot be kept.
package enum GeofenceError: Error, Equatable, Sendable {
  case noIdentifier
  /// A centre or a corner is no place on earth, or a polygon has fewer than three corners.
  case noPlace(identifier: String)
  /// Not a positive number of metres.
  case noRadius(identifier: String)
}

/// What monitoring of geofences takes from a configuration, small enough to hand over with every fix.
package struct GeofenceRules: Equatable, Sendable {
  /// Regions that a platform leaves for fences: 20 on iOS, one of which is around a device at rest, and 100 on Android
  /// (SDK §15.2).
  static func usableRegions(on platform: DevicePlatform) -> Int {
    switch platform {
    case .ios: 19
    case .android: 97
    }
  }

  /// Up to so many fences are all active without a look at where they are.
  static func regionsWithoutQuery(on platform: DevicePlatform) -> Int {
    switch platform {
    case .ios: 18
    case .android: 97
    }
  }

  /// Android looks for fences nearby so often at most while fixes come in; iOS at each of them.
  static let androidInterval = Nanoseconds.seconds(60)
  static let leastProximityMetres = 1_000.0

  package var platform: DevicePlatform
  package var proximityMetres: Double
  /// 0 or less: as many as the platform allows.
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

  /// How many fences may be active.
  var limit: Int { bounded(GeofenceRules.usableRegions(on: platform)) }
  var limitWithoutQuery: Int { bounded(GeofenceRules.regionsWithoutQuery(on: platform)) }

  /// The region that moves along in geofence-only mode: leaving it asks for another look (SDK §15.6).
  package var movingRegionRadiusMetres: Double { proximityMetres / 2 }

  private func bounded(_ regions: Int) -> Int { maximum > 0 ? min(maximum, regions) : regions }
}
