/// What must have happened for a green result to mean something.
package struct Coverage: Equatable, Sendable {
  package var sometimes: [CoverageGoal] = []
  package var requireOverSeeds = 1

  package init() {}
}

extension Coverage: ScenarioSection {
  static let table = Table<Coverage>(
    "coverage", "What must have happened for a green result to mean something.",
    [
      .key("sometimes", \.sometimes, .list(of: .choice), "Situations that must have come up."),
      .key("requireOverSeeds", \.requireOverSeeds, .integer(1...1_000_000), "Within so many seeds."),
    ])
}
