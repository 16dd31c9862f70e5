import Base
package import Scenario

/// How the answers stood up to a check.
package struct CheckResult: Equatable, Sendable {
  package var name: String
  package var held: Int
  package var failed: Int
}

/// What a threshold came to.
package struct ThresholdVerdict: Equatable, Sendable {
  /// How it went.
  package enum Outcome: String, Sendable {
    case passed
    case failed
    /// Nothing happened that it could be held against; that is no failure, and no success either.
    case notMeasured
    /// `reason` says why.
    case notJudged
  }

  /// `upload_duration{network:lte}`.
  package var selection: String
  /// `p(95)<800`.
  package var expression: String
  package var value: Double?
  package var outcome: Outcome
  /// Missing it makes the run invalid instead of failed.
  package var invalidates = false
  /// It was missed while the run went on, and ended it.
  package var endedTheRun = false
  /// The value is a time of accelerated devices, and can be so many times too large; nil where it is exact.
  package var stretch: Double?
  /// Why it was not judged.
  package var reason: String?
}

extension ThresholdVerdict {
  /// Of what it is a threshold; nil where this version knows no such thing.
  package var selector: MetricSelector? { MetricSelector(text: selection) }

  mutating func judge(by test: ThresholdTest) {
    outcome = endedTheRun ? .failed : test.outcome(of: value)
    reason = outcome == .notJudged ? test.doubt : nil
  }
}

extension InvariantVerdict {
  /// Whether the simulator's phones break it or their server.
  package var subject: Invariant.Subject { Invariant(rawValue: name)?.subject ?? .phone }
}

/// What an invariant came to.
package struct InvariantVerdict: Equatable, Sendable {
  /// How it went.
  package enum Outcome: String, Sendable {
    case held
    case violated
    /// Nothing came up that it could be held against.
    case notExercised
    case notJudged
  }

  /// `I1-conservation`.
  package var name: String
  package var outcome: Outcome
  package var violations = 0
  /// How often it was looked at.
  package var exercised = 0
  /// Why it was not judged, or what did not come up.
  package var reason: String?
}

/// What happened to whom that must not happen.
package struct ViolationStory: Equatable, Sendable {
  package var invariant: String
  package var device: String
  package var uuid: String?
  package var story: [String]
}

/// How often something happened without which a green result means little.
package struct CoverageCount: Equatable, Sendable {
  package var goal: String
  package var seen: Int
}

extension ViolationStory {
  init(_ violation: Violation) {
    self.init(
      invariant: violation.rule.rawValue, device: violation.device, uuid: violation.uuid?.text,
      story: ["\(violation.instant.clockText) \(violation.what)"] + violation.story)
  }
}

extension InvariantVerdict {
  init(_ outcome: InvariantOutcome) {
    self.init(name: outcome.invariant.rawValue, outcome: .held, exercised: outcome.exercised)
    switch outcome.verdict {
    case .held: break
    case .violated(let count): (self.outcome, violations) = (.violated, count)
    case .notExercised(let reason): (self.outcome, self.reason) = (.notExercised, reason)
    case .notJudged(let reason): (self.outcome, self.reason) = (.notJudged, reason)
    }
  }
}

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
  package static let storageNotVerified = "storage-not-verified"

  /// Only `--strict` takes it for one.
  var isOfStrictness: Bool { [ServerFinding.clausesBroken, ServerFinding.storageNotVerified].contains(name) }
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

extension [ClauseVerdict] {
  /// A sentence for each clause that the server has broken, how many were kept, and those that could not be judged; none when
  /// there was no answer. Not all answers to the requests of a run are checked.
  package func sentences(requests: Int) -> [String] {
    guard let answers = lazy.map(\.judged).max(), answers > 0 else { return [] }
    var sentences = filter { $0.outcome == .broken }.map { clause in
      "the server's answers: \(clause.rule), clause \(clause.number), is broken in \(clause.broken) of \(clause.judged) answers, the first time with \(clause.detail ?? ""): \(clause.remedy ?? "")"
    }
    let (kept, unseen) = (count { $0.outcome == .kept }, count { $0.outcome == .notSeen })
    let checked = "\(answers.of("checked answer")) to \(requests.of("request"))"
    sentences.append("the server's answers: \(kept) clauses kept in \(checked), \(unseen) not tested")
    let blind = filter { $0.outcome == .notJudged }.map { "\($0.rule) (clause \($0.number))" }
    if !blind.isEmpty {
      sentences.append(
        "the server's answers: could not be judged, as header fields are not available in this kind of run: "
          + blind.joined(separator: "; "))
    }
    return sentences
  }
}

extension RunSummary {
  /// What the figures of a whole run mean.
  package var sentences: [String] { refusalSentences + clauses.sentences(requests: requests) }

  /// With `simulate --strict` a broken clause fails the run, and so does a store that was not looked at.
  package mutating func judgeStrictly() {
    if verification.outcome == .notAsked {
      findings.append(
        ServerFinding(
          ServerFinding.storageNotVerified, "--strict needs target.verify to check what is stored"))
    }
    let broken = clauses.filter { $0.outcome == .broken }
    guard !broken.isEmpty else { return }
    let numbers = broken.map { "\($0.number)" }.joined(separator: ", ")
    findings.append(
      ServerFinding(
        ServerFinding.clausesBroken,
        "the server's answers break \(broken.count == 1 ? "clause" : "clauses") \(numbers)",
        details: broken.map { "\($0.number). \($0.rule): \($0.detail ?? "")" }))
  }
}
