package import Base

/// What a trip is.
package struct Trip: Equatable, Sendable {
  /// In metres.
  package var distance = Distribution.lognormal(median: 7_000, p95: 28_000)

  package init() {}
}

extension Trip: ScenarioSection {
  static let table = Table<Trip>(
    "trip", "What a trip is.",
    [
      .key(
        "distance", \.distance, .distribution(InMetres.self),
        "How long the way is; a median of 7 km and one in twenty beyond 28 km when nobody says.")
    ])
}
