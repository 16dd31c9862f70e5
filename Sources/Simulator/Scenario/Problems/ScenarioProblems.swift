/// All that is wrong with a scenario, in the order of the text.
package struct ScenarioProblems: Error, Equatable, Sendable {
  package let all: [ScenarioProblem]

  init(_ problems: [ScenarioProblem]) {
    precondition(!problems.isEmpty, "an error needs a reason")
    all = problems.inReadingOrder
  }
}

extension [ScenarioProblem] {
  /// By position; at one position in the order in which they were found.
  var inReadingOrder: [ScenarioProblem] {
    enumerated().sorted { ($0.element.position, $0.offset) < ($1.element.position, $1.offset) }.map(\.element)
  }
}
