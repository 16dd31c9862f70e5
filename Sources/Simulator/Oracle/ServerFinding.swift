/// A finding about the server that precedes the figures and that no invariant covers.
package struct ServerFinding: Equatable, Sendable {
  /// `not-drained`.
  package var name: String
  /// A sentence.
  package var text: String
  /// More lines about it.
  package var details: [String]
  /// Whether it counts as a violation; otherwise the server merely fails.
  package var isViolation: Bool

  package init(_ name: String, _ text: String, details: [String] = [], isViolation: Bool = false) {
    (self.name, self.text, self.details, self.isViolation) = (name, text, details, isViolation)
  }

  package static let notDrained = "not-drained"
  package static let registrationFailed = "registration-failed"
  package static let stoppedByAnswers = "stopped-by-answers"
  package static let uploadStorm = "upload-storm"
  package static let clausesBroken = "clauses-broken"
  package static let noAnswers = "no-answers"
  package static let storageNotVerified = "storage-not-verified"

  /// Whether only `--strict` makes it one.
  package var isOfStrictness: Bool { [ServerFinding.clausesBroken, ServerFinding.storageNotVerified].contains(name) }
}
