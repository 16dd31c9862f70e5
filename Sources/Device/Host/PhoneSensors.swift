package import Base
package import Contract
package import Engine
package import Vocabulary

/// The sensors of a phone: derives the engine's inputs from positions, according to its demands. Inputs are returned in
/// the order in which a phone would report them.
package struct PhoneSensors: Sendable {
  /// The distance beyond the stationary region at which a real phone reports the exit (SDK §12.5, our choice).
  static let stationaryExitMarginMetres = 50.0
  /// The distance beyond a fence's boundary from which a position counts as outside (SDK §15.3, our choice).
  static let fenceExitMarginMetres = 20.0
  static let significantChangeMetres = 500.0
  /// iOS pauses the updates of a phone that has not moved for this long, if the app allows it (SDK §12.6.3).
  package static let pauseAfter = Nanoseconds.seconds(900)
  /// A position farther than this, and than its accuracy, from the place of rest ends the rest.
  package static let restMetres = 50.0

  private struct Watched {
    let identifier: String
    let circle: Circle
    var isInside = false
    /// Registered by an earlier process; the next process's demands replace it.
    var isLeft = false
  }

  package private(set) var updates: LocationUpdates?
  package private(set) var isSampling = false
  private var stationaryRegion: Circle?
  private var proximityRegion: Circle?
  private var fences: [Watched] = []
  package private(set) var wantsActivities = false
  package var fetches = BackgroundFetches()
  /// Without permission the app receives no positions from its updates, sampling, regions, fences or large moves (SDK
  /// §19.5). Its demands remain, and deliver again afterwards.
  package var isPermitted: Bool
  private var wantsSignificantChanges = false
  package private(set) var lastFix: Fix?
  private var lastStreamed: (place: Coordinate, timestamp: WallInstant)?
  /// The place and start of a rest during location updates.
  private var rest: (place: Coordinate, since: WallInstant)?
  private var lastSignificant: Coordinate?
  /// Whether the first position counts as a significant change, because the system knew no earlier place for the
  /// running process.
  private var tellsFirstPlace = false

  package init(isPermitted: Bool = true) { self.isPermitted = isPermitted }

  package var wantsBackgroundFetch: Bool { fetches.due != nil }

  /// Whether the system keeps the app awake, so that it receives repeated reports of a rest.
  package var hearsOfRest: Bool { wantsActivities && updates != nil }

  /// Whether a position may have other effects than an update: beyond a boundary, or far away.
  package var watchesRegions: Bool {
    stationaryRegion != nil || proximityRegion != nil || !fences.isEmpty || wantsSignificantChanges
  }

  package mutating func apply(_ demand: SensorDemand, at instant: MonotonicInstant) {
    switch demand {
    case .locationUpdates(let updates):
      let isNew = self.updates == nil
      self.updates = updates
      if updates == nil || isNew { (lastStreamed, rest) = (nil, nil) }
    case .sampling(let accuracy):
      isSampling = accuracy != nil
    case .stationaryRegion(let circle): stationaryRegion = circle
    case .proximityRegion(let circle): proximityRegion = circle
    case .geofences(let on, let off):
      fences.removeAll { fence in
        fence.isLeft || off.contains(fence.identifier) || on.contains { $0.identifier == fence.identifier }
      }
      fences += on.compactMap(watched)
    case .activityUpdates(let isOn): wantsActivities = isOn
    case .significantChanges(let isOn):
      (wantsSignificantChanges, tellsFirstPlace) = (isOn, isOn)
      if isOn && lastSignificant == nil { lastSignificant = lastFix.flatMap { Coordinate($0) } }
    case .backgroundFetch(let isOn): fetches.demand(isOn, at: instant)
    }
  }

  /// Ends the process; the system keeps what it watches for the next one.
  package mutating func endProcess(_ end: ProcessEnd, on platform: DevicePlatform) {
    (updates, lastStreamed, rest, isSampling, wantsActivities) = (nil, nil, nil, false, false)
    tellsFirstPlace = false
    if !end.keepsFetches(on: platform) { fetches = BackgroundFetches() }
    if end.keepsRegions(on: platform) {
      for index in fences.indices { fences[index].isLeft = true }
    } else {
      (stationaryRegion, proximityRegion, fences) = (nil, nil, [])
      (wantsSignificantChanges, lastSignificant) = (false, nil)
    }
  }

  /// Moves the phone. Returns nothing for an invalid position, or without permission.
  package mutating func take(_ fix: Fix) -> [EngineInput] {
    guard isPermitted, let place = Coordinate(fix) else { return [] }
    lastFix = fix
    var inputs: [EngineInput] = []
    if let region = stationaryRegion,
      region.center.distanceMetres(to: place) > region.radiusMetres + Self.stationaryExitMarginMetres
    {
      stationaryRegion = nil
      inputs.append(.stationaryRegionExit(fix))
    }
    if let region = proximityRegion, !region.contains(place) {
      proximityRegion = nil
      inputs.append(.proximityRegionExit(fix))
    }
    cross(to: place, fix, into: &inputs)
    if isSampling { inputs.append(.sample(fix)) }
    if let updates, streams(place, fix.timestamp, updates) {
      lastStreamed = (place, fix.timestamp)
      inputs.append(.fix(fix))
    }
    if updates?.pausesAutomatically ?? false, rests(at: place, fix) { inputs.append(.updatesPaused) }
    if movesFar(to: place) { inputs.append(.significantChange(fix)) }
    return inputs
  }

  /// Without an earlier place, the first position is the reference for changes. It is not a change itself, and does not
  /// start a stopped app.
  private mutating func movesFar(to place: Coordinate) -> Bool {
    guard wantsSignificantChanges else { return false }
    guard let last = lastSignificant else {
      lastSignificant = place
      return tellsFirstPlace
    }
    guard isFar(place, from: last, Self.significantChangeMetres) else { return false }
    lastSignificant = place
    return true
  }

  private func streams(_ place: Coordinate, _ timestamp: WallInstant, _ updates: LocationUpdates) -> Bool {
    guard let lastStreamed else { return true }
    let elapsed = timestamp.milliseconds(since: lastStreamed.timestamp)
    // The wall clock may go back.
    let isDue = elapsed < 0 || elapsed >= updates.interval.wholeMilliseconds
    return isDue && isFar(place, from: lastStreamed.place, updates.distanceFilterMetres)
  }

  /// Returns true once in `pauseAfter`.
  private mutating func rests(at place: Coordinate, _ fix: Fix) -> Bool {
    let metres = max(Self.restMetres, fix.coords.accuracy ?? 0)
    guard let known = rest, known.place.distanceMetres(to: place) <= metres, fix.timestamp >= known.since else {
      rest = (place, fix.timestamp)
      return false
    }
    guard fix.timestamp.milliseconds(since: known.since) >= Self.pauseAfter.wholeMilliseconds else { return false }
    rest = (known.place, fix.timestamp)
    return true
  }

  /// Returns nothing unless activities are demanded.
  package func take(_ activity: Activity) -> [EngineInput] { wantsActivities ? [.activity(activity)] : [] }

  private mutating func cross(to place: Coordinate, _ fix: Fix, into inputs: inout [EngineInput]) {
    for index in fences.indices {
      let circle = fences[index].circle
      let distance = circle.center.distanceMetres(to: place)
      let margin = min(fix.coords.accuracy ?? Self.fenceExitMarginMetres, Self.fenceExitMarginMetres)
      let isEntry = distance <= circle.radiusMetres
      let isExit = distance > circle.radiusMetres + max(0, margin)
      guard fences[index].isInside ? isExit : isEntry else { continue }
      fences[index].isInside = isEntry
      inputs.append(.geofenceCrossing(identifier: fences[index].identifier, isEntry: isEntry, fix))
    }
  }

  /// The engine itself determines whether the device is inside when watching begins.
  private func watched(_ fence: Geofence) -> Watched? {
    guard let circle = fence.circle else { return nil }
    let isInside = fence.status.isInside || lastFix.flatMap { Coordinate($0) }.map(circle.contains) ?? false
    return Watched(identifier: fence.identifier, circle: circle, isInside: isInside)
  }

  private func isFar(_ place: Coordinate, from last: Coordinate, _ metres: Double) -> Bool {
    last.distanceMetres(to: place) >= metres
  }
}

extension Coordinate {
  init?(_ fix: Fix) { self.init(latitude: fix.coords.latitude, longitude: fix.coords.longitude) }
}

/// The times at which iOS grants background fetches.
package struct BackgroundFetches: Equatable, Sendable {
  /// Typically about every quarter of an hour (SDK §16.3.4).
  package static let interval = Nanoseconds.seconds(900)

  /// Nil while the app wants none.
  package private(set) var due: MonotonicInstant?

  package init() {}

  package mutating func demand(_ isOn: Bool, at instant: MonotonicInstant) {
    due = isOn ? instant + BackgroundFetches.interval : nil
  }

  /// Returns true when a fetch is due; the next one follows an interval later.
  package mutating func take(at instant: MonotonicInstant) -> Bool {
    guard let due, due <= instant else { return false }
    self.due = instant + BackgroundFetches.interval
    return true
  }
}

extension Geofence {
  /// The circle that a platform watches; nil when the fence is nowhere on the earth.
  var circle: Circle? {
    switch shape {
    case .circle(let center, let radius):
      Coordinate(latitude: center.latitude, longitude: center.longitude).map {
        Circle(center: $0, radiusMetres: radius)
      }
    case .polygon(let corners):
      Circle(
        enclosing: corners.compactMap { Coordinate(latitude: $0.latitude, longitude: $0.longitude) })
    }
  }
}
