@testable import Conformance

/// As a failing test shows it: without the requests, which are megabytes of some clauses.
extension Breach: CustomStringConvertible {
  package var description: String {
    [
      cause, "\(harm)", signs.map { "\($0)" }.sorted().joined(separator: " "), stored, sent.prefix(300).description,
      remedy,
    ]
    .filter { !$0.isEmpty }.joined(separator: "; ")
  }
}
