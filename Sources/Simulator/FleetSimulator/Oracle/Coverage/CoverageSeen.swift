package import Scenario

/// How often something came up.
package struct CoverageSeen: Equatable, Sendable {
  package let goal: CoverageGoal
  package let count: Int
}
