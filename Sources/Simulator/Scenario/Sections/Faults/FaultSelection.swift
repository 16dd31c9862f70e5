package import Base

/// Whom a fault befalls; without any key everybody.
package struct FaultSelection: Equatable, Sendable {
  package var fleet: String?
  package var fraction: Double?
  package var count: Int?
  /// Devices that are in it when the fault begins.
  package var place: Polygon?

  package init() {}
}

extension FaultSelection: ScenarioSection {
  static let table = Table<FaultSelection>(
    "select", "Whom a fault befalls; without any key everybody.",
    [
      .optional("fleet", \.fleet, .name(in: .fleets), "Devices of one fleet."),
      .optional("fraction", \.fraction, .share, "Each with this chance, by the seed."),
      .optional("count", \.count, .count, "So many of them, by the seed; with `place` those of them that are there."),
      .optional("place", \.place, .polygon, "Those inside a polygon of [latitude, longitude] when it begins."),
    ])
}
