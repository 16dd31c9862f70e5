/// What a run shows of its server that a person must know before the figures, and that no invariant is about.
package struct ServerFinding: Equatable, Sendable {
  /// `not-drained`.
  package var name: String
  /// A sentence.
  package var text: String
  /// More lines about it.
  package var details: [String]
  /// It must never happen; else the server is not good enough.
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
}

/// What a run's answers have shown of one clause of `drive`.
package struct ClauseVerdict: Equatable, Sendable {
  /// How it went.
  package enum Outcome: String, Sendable {
    case kept
    case broken
    /// No answer has put it to the test.
    case notSeen
    /// This kind of run cannot see what it is about.
    case notJudged
  }

  package var number: Int
  package var rule: String
  package var outcome: Outcome
  /// Answers that put it to the test, and those that broke it.
  package var judged = 0
  package var broken = 0
  /// The first time that it was broken, and what to do.
  package var detail: String?
  package var remedy: String?
}

extension RunSummary {
  /// With `simulate --strict` a broken clause fails the run.
  package mutating func judgeClauses(isStrict: Bool) {
    let broken = clauses.filter { $0.outcome == .broken }
    guard isStrict, !broken.isEmpty else { return }
    let numbers = broken.map { "\($0.number)" }.joined(separator: ", ")
    findings.append(
      ServerFinding(
        ServerFinding.clausesBroken,
        "the server's answers break \(broken.count == 1 ? "clause" : "clauses") \(numbers)",
        details: broken.map { "\($0.number). \($0.rule): \($0.detail ?? "")" }))
  }
}
