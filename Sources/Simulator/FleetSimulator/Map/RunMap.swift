package import Base

/// The places of a run: what there is of the city where its devices went, and the ways of some of them.
package struct RunMap: Equatable, Sendable {
  /// A piece of a street.
  package struct Street: Equatable, Sendable {
    package let places: [Coordinate]
    package let isArtery: Bool
  }

  /// A zone without signal, or the place of a fault.
  package struct Area: Equatable, Sendable {
    package let name: String
    package let places: [Coordinate]
  }

  /// Where one device truly was.
  package struct Track: Equatable, Sendable {
    package let device: String
    /// Its place among `fleets`.
    package let fleet: Int
    package let places: [Coordinate]
  }

  package let fleets: [String]
  package let tracks: [Track]
  package let zones: [Area]
  /// Of faults.
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

  /// How far to the east and to the north a place lies, each as a share of the whole.
  package func share(of place: Coordinate) -> (east: Double, north: Double) {
    (
      east: (place.longitude - bounds.west) / (bounds.east - bounds.west),
      north: (place.latitude - bounds.south) / (bounds.north - bounds.south)
    )
  }
}

/// A rectangle of the earth that is small enough to be drawn flat.
struct Bounds: Equatable, Sendable {
  private(set) var west: Double
  private(set) var east: Double
  private(set) var south: Double
  private(set) var north: Double

  /// Around some places, with room at the edges; nil without any.
  init?(_ places: [Coordinate]) {
    guard let first = places.first else { return nil }
    (west, east, south, north) = (first.longitude, first.longitude, first.latitude, first.latitude)
    for place in places {
      west = min(west, place.longitude)
      east = max(east, place.longitude)
      south = min(south, place.latitude)
      north = max(north, place.latitude)
    }
    // At least some hundred metres, so that somebody who never moves has a map too.
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
