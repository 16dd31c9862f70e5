import Base
import Contract
import Scenario
import World

/// The area over which a grid of fences is spread.
enum FencedPlace {
  case city(City)
  /// A square around a place.
  case around(Coordinate)
  case along(RouteSet)

  /// The southwestern and the northeastern corner.
  var corners: (Coordinate, Coordinate)? {
    switch self {
    case .city(let city):
      let (east, north) = (0.5 * Double(city.columns) * city.blockMetres, 0.5 * Double(city.rows) * city.blockMetres)
      return FencedPlace.corners(around: city.center, east: east, north: north)
    case .around(let center): return FencedPlace.corners(around: center, east: 1_500, north: 1_500)
    case .along(let routes):
      let places = routes.routes.flatMap(\.path.vertices)
      let latitudes = places.map(\.latitude)
      let longitudes = places.map(\.longitude)
      guard let south = latitudes.min(), let north = latitudes.max(), let west = longitudes.min(),
        let east = longitudes.max(), let first = Coordinate(latitude: south, longitude: west),
        let last = Coordinate(latitude: north, longitude: east)
      else { return nil }
      return (first, last)
    }
  }

  private static func corners(around center: Coordinate, east: Double, north: Double) -> (Coordinate, Coordinate) {
    let scale = LocalScale(latitude: center.latitude)
    return (
      scale.place(at: Offset(east: -east, north: -north), from: center),
      scale.place(at: Offset(east: east, north: north), from: center)
    )
  }
}

extension RunSetup {
  /// Returns the geofences that the app of a fleet adds before it starts.
  static func geofences(named name: String, of scenario: Scenario, over place: FencedPlace) -> [Geofence] {
    guard let set = scenario.geofences.first(where: { $0.name == name })?.value else { return [] }
    switch set {
    case .list(let list): return list.fences
    case .grid(let grid):
      guard let (first, last) = place.corners else { return [] }
      // As many columns as rows, or a few more; the last row may be incomplete.
      let columns = Int(Double(grid.count).squareRoot().rounded(.up))
      let rows = (grid.count + columns - 1) / columns
      return (0..<grid.count).map { number in
        let (x, y) = (Double(number % columns) + 0.5, Double(number / columns) + 0.5)
        let center = Geofence.Vertex(
          latitude: first.latitude + (last.latitude - first.latitude) * y / Double(rows),
          longitude: first.longitude + (last.longitude - first.longitude) * x / Double(columns))
        var fence = Geofence(
          identifier: "\(name)-\(number)", shape: .circle(center: center, radiusMetres: grid.radiusMetres))
        fence.notifyOnEntry = grid.notifyOnEntry
        fence.notifyOnExit = grid.notifyOnExit
        fence.notifyOnDwell = grid.notifyOnDwell
        fence.loiteringDelayMilliseconds = grid.loiteringDelayMilliseconds
        return fence
      }
    }
  }
}
