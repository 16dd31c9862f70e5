package import Base

/// A city made from the seed.
package struct GridCity: Equatable, Sendable {
  package var center = Coordinate.munich
  package var extentMetres = 6_000.0
  package var blockMetres = 120.0
  package var trips = TripModel.markov(dwell: MarkovTrips().dwell)

  package init() {}
}

extension Coordinate {
  /// Marienplatz, where nobody says anything else.
  fileprivate static let munich: Coordinate = {
    guard let place = Coordinate(latitude: 48.137, longitude: 11.575) else {
      preconditionFailure("the place is on the earth")
    }
    return place
  }()
}

extension GridCity: ScenarioSection {
  static let table = Table<GridCity>(
    "route-grid-city", "A city made from the seed: streets, lights, homes, work, shops, depots and tunnels.",
    [
      .key("center", \.center, .place, "Its middle."),
      .key("extent", \.extentMetres, .quantity(.length), "From one side to the other."),
      .key("block", \.blockMetres, .quantity(.length), "From one street to the next."),
      .key("trips", \.trips, .trips, "Who goes where, and when; from place to place when nobody says."),
    ])
}
