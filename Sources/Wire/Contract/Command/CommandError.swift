/// Which of the commands that somebody wants to queue is refused, and why.
package struct CommandError: Error, Equatable, Sendable {
  /// The place in the list; nil when the request as a whole is at fault.
  package let index: Int?
  package let problem: CommandProblem
}

extension CommandError: CustomStringConvertible {
  package var description: String {
    index.map { "command \($0): \(problem.explanation)" } ?? problem.explanation
  }
}
