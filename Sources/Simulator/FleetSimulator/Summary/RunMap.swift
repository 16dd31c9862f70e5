package import Base
import Oracle
package import Scenario
import World

/// The map of a run: the part of the city where its devices went, and the tracks of some of them.
package struct RunMap: Equatable, Sendable {
  /// A section of a street.
  package struct Street: Equatable, Sendable {
    package let places: [Coordinate]
    package let isArtery: Bool
  }

  /// A zone without signal, or the area of a fault.
  package struct Area: Equatable, Sendable {
    package let name: String
    package let places: [Coordinate]
  }

  /// The true places of one device.
  package struct Track: Equatable, Sendable {
    package let device: String
    /// The index in `fleets`.
    package let fleet: Int
    package let places: [Coordinate]
  }

  package let fleets: [String]
  package let tracks: [Track]
  package let zones: [Area]
  /// The areas of faults.
  package let places: [Area]
  package let streets: [Street]
  private let bounds: Bounds

  init(fleets: [String], tracks: [Track], zones: [Area], places: [Area], streets: [Street], bounds: Bounds) {
    self.fleets = fleets
    self.tracks = tracks
    self.zones = zones
    self.places = places
    self.streets = streets
    self.bounds = bounds
  }

  /// Height to width.
  package var aspect: Double { bounds.heightMetres / bounds.widthMetres }
  package var widthMetres: Double { bounds.widthMetres }

  /// Returns the position of a place to the east and to the north, each as a share of the whole.
  package func share(of place: Coordinate) -> (east: Double, north: Double) {
    (
      east: (place.longitude - bounds.west) / (bounds.east - bounds.west),
      north: (place.latitude - bounds.south) / (bounds.north - bounds.south)
    )
  }
}

/// A rectangle of the earth that is small enough for a flat drawing.
struct Bounds: Equatable, Sendable {
  private(set) var west: Double
  private(set) var east: Double
  private(set) var south: Double
  private(set) var north: Double

  /// The bounds of some places with a margin; nil without places.
  init?(_ places: [Coordinate]) {
    guard let first = places.first else { return nil }
    (west, east, south, north) = (first.longitude, first.longitude, first.latitude, first.latitude)
    for place in places {
      west = min(west, place.longitude)
      east = max(east, place.longitude)
      south = min(south, place.latitude)
      north = max(north, place.latitude)
    }
    // At least some hundred metres, so that a body at rest has a map, too.
    let (width, height) = (max((east - west) * 0.05, 0.002), max((north - south) * 0.05, 0.002))
    (west, east, south, north) = (west - width, east + width, max(south - height, -89), min(north + height, 89))
  }

  private static let metresPerDegree = 111_195.0

  var heightMetres: Double { (north - south) * Bounds.metresPerDegree }

  var widthMetres: Double {
    let cosine = PortableMath.sineAndCosine(degrees: (south + north) / 2).cosine
    return (east - west) * Bounds.metresPerDegree * max(cosine, 0.01)
  }

  func touches(_ places: [Coordinate]) -> Bool {
    guard let box = Bounds(exactly: places) else { return false }
    return box.west <= east && box.east >= west && box.south <= north && box.north >= south
  }

  private init?(exactly places: [Coordinate]) {
    guard let first = places.first else { return nil }
    (west, east, south, north) = (first.longitude, first.longitude, first.latitude, first.latitude)
    for place in places {
      west = min(west, place.longitude)
      east = max(east, place.longitude)
      south = min(south, place.latitude)
      north = max(north, place.latitude)
    }
  }
}

/// Samples the true places of some devices: at most as many as a map can show, however long the run is.
struct TrackRecorder {
  private let sample: [Int]
  private let interval: Nanoseconds
  private var next: MonotonicInstant
  private(set) var places: [[Coordinate]]

  static let devicesMax = 48
  private static let placesMax = 480

  init(of devices: [Int], span: Nanoseconds) {
    sample = devices
    interval = max(Nanoseconds(span.count / Int64(TrackRecorder.placesMax)), .seconds(1))
    next = MonotonicInstant(nanoseconds: 0)
    places = Array(repeating: [], count: devices.count)
  }

  func isDue(at instant: MonotonicInstant) -> Bool { instant >= next }

  /// Samples once for each interval that has begun, at its beginning, so that the places do not depend on other devices' turns.
  mutating func look(at devices: PerDevice<SimulatedDevice>, upTo instant: MonotonicInstant) {
    while isDue(at: instant) {
      let due = next
      look(at: devices, at: due)
    }
  }

  /// Takes the remaining samples before the bodies stop.
  mutating func look(at devices: PerDevice<SimulatedDevice>, before end: MonotonicInstant) {
    while next < end { look(at: devices, at: next) }
  }

  /// Moves a copy of each body to the instant, because bodies move on between two samples.
  mutating func look(at devices: PerDevice<SimulatedDevice>, at instant: MonotonicInstant) {
    next = instant + interval
    for (index, device) in sample.enumerated() {
      var body = devices[device].body
      body.advance(to: instant)
      let place = body.position(at: instant)
      if places[index].last != place { places[index].append(place) }
    }
  }

  /// The sampled devices, with their tracks.
  var tracks: [(device: Int, places: [Coordinate])] { Array(zip(sample, places)).map { (device: $0.0, places: $0.1) } }
}

extension RunSetup {
  /// Returns, for each fleet, the devices whose tracks a map shows, spread evenly over the fleet.
  func membersOnMap() -> [[Int]] {
    if let mapped { return mapped }
    let all = fleets.indices.flatMap { fleet in
      fleets[fleet].simulated.filter { $0 < fleets[fleet].devices }.map { (fleet: fleet, index: $0) }
    }
    let count = min(all.count, TrackRecorder.devicesMax)
    var members = fleets.map { _ in [Int]() }
    for number in 0..<count {
      let member = all[number * all.count / count]
      members[member.fleet].append(member.index)
    }
    return members
  }
}

extension FleetRun {
  /// The tracks of some devices.
  package var tracks: [RunMap.Track] {
    trackRecorder.tracks.map { track in
      RunMap.Track(
        device: shared.names[track.device], fleet: fleets.firstIndex { $0.contains(track.device) } ?? 0,
        places: track.places)
    }
  }

  /// Returns the map as known so far; nil without a device.
  package func map(of scenario: Scenario) -> RunMap? { RunMap(of: setup, scenario, tracks: tracks) }
}

extension RunMap {
  /// Nil without a place.
  package init?(of setup: RunSetup, _ scenario: Scenario, tracks: [Track]) {
    guard let bounds = Bounds(tracks.flatMap(\.places)) else { return nil }
    // Fleets in different places have different cities; the map shows that of the first.
    let city = setup.fleets.lazy.compactMap(\.movement.city).first
    let zones = (city?.allZones ?? []).filter { bounds.touches($0.area.vertices) }.map { zone in
      Area(name: zone.kind == .tunnel ? "tunnel" : "dead zone", places: zone.area.vertices)
    }
    let places = scenario.faults.compactMap { fault in
      fault.selection.place.map { Area(name: fault.name, places: $0.vertices) }
    }
    self.init(
      fleets: setup.fleets.map(\.name), tracks: tracks, zones: zones,
      places: places.filter { bounds.touches($0.places) },
      streets: city?.streets(near: bounds) ?? [], bounds: bounds)
  }
}

extension City {
  /// Returns the streets of a part of the city; where it is large, only the major ones.
  fileprivate func streets(near bounds: Bounds) -> [RunMap.Street] {
    let isLarge = bounds.widthMetres > 60 * blockMetres
    return streets.compactMap { street, places in
      let isArtery = street.streetClass > .local
      guard isArtery || !isLarge, bounds.touches(places) else { return nil }
      return RunMap.Street(places: places, isArtery: isArtery)
    }
  }
}
