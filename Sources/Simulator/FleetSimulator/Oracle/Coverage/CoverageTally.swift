package import Scenario

/// What came up in several runs together.
package struct CoverageTally: Equatable, Sendable {
  /// What a goal has come to.
  package struct Row: Equatable, Sendable {
    package let goal: CoverageGoal
    /// How often, in all runs.
    package fileprivate(set) var count = 0
    /// In how many of them.
    package fileprivate(set) var seeds = 0
  }

  package private(set) var rows = CoverageGoal.allCases.map { Row(goal: $0) }
  /// How many runs there were.
  package private(set) var seeds = 0

  package init() {}

  /// What one run has shown.
  package mutating func add(_ seen: [CoverageSeen]) {
    seeds += 1
    for index in rows.indices {
      let count = seen.first { $0.goal == rows[index].goal }?.count ?? 0
      rows[index].count += count
      rows[index].seeds += count > 0 ? 1 : 0
    }
  }

  /// Those of the goals that never came up.
  package func missing(of goals: [CoverageGoal]) -> [CoverageGoal] {
    rows.filter { goals.contains($0.goal) && $0.count == 0 }.map(\.goal)
  }

  /// A line for each of the goals.
  package func lines(of goals: [CoverageGoal]) -> [String] {
    rows.filter { goals.contains($0.goal) }.map { row in
      let name = row.goal.rawValue
      return row.count == 0 ? "never \(name)" : "\(name) \(row.count) times, in \(row.seeds) of \(seeds) seeds"
    }
  }
}
