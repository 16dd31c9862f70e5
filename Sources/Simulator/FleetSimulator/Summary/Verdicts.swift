import AnswerCheck
import Base
import Oracle
package import Scenario

/// The result of a check.
package struct CheckResult: Equatable, Sendable {
  package var name: String
  package var held: Int
  package var failed: Int
}

/// The result of a threshold.
package struct ThresholdVerdict: Equatable, Sendable {
  /// The outcome.
  package enum Outcome: String, Sendable {
    case passed
    case failed
    /// There was no sample to compare, which is neither success nor failure.
    case notMeasured
    /// Not judged; `reason` says why.
    case notJudged
  }

  /// `upload_duration{network:lte}`.
  package var selection: String
  /// `p(95)<800`.
  package var expression: String
  package var value: Double?
  package var outcome: Outcome
  /// Whether missing it makes the run invalid instead of failed.
  package var invalidates = false
  /// Whether it was missed during the run and ended it.
  package var endedTheRun = false
  /// The factor by which a time of accelerated devices may be too large; nil where it is exact.
  package var stretch: Double?
  /// Why it was not judged.
  package var reason: String?
}

extension ThresholdVerdict {
  /// The selector; nil where this version does not know it.
  package var selector: MetricSelector? { MetricSelector(text: selection) }

  mutating func judge(by test: ThresholdTest) {
    outcome = endedTheRun ? .failed : test.outcome(of: value)
    reason = outcome == .notJudged ? test.doubt : nil
  }
}

extension InvariantVerdict {
  /// Whether the simulator's phones are responsible or their server.
  package var subject: Invariant.Subject { Invariant(rawValue: name)?.subject ?? .phone }
}

/// The result of an invariant.
package struct InvariantVerdict: Equatable, Sendable {
  /// The outcome.
  package enum Outcome: String, Sendable {
    case held
    case violated
    /// The run contained nothing to check it against.
    case notExercised
    case notJudged
  }

  /// `I1-conservation`.
  package var name: String
  package var outcome: Outcome
  package var violations = 0
  /// The number of checks.
  package var exercised = 0
  /// Why it was not judged, or the missing situation.
  package var reason: String?
}

/// One violation, with its device, record and history.
package struct ViolationStory: Equatable, Sendable {
  package var invariant: String
  package var device: String
  package var uuid: String?
  package var story: [String]
}

/// The number of occurrences of a situation without which a passed run means little.
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

/// The verdict of a run's answers on one clause of `drive`.
package struct ClauseVerdict: Equatable, Sendable {
  /// The outcome.
  package enum Outcome: String, Sendable {
    case kept
    case broken
    /// No answer has tested it.
    case notSeen
    /// This kind of run cannot test it.
    case notJudged
  }

  package var number: Int
  package var rule: String
  package var outcome: Outcome
  /// The number of answers that tested it, and of those that broke it.
  package var judged = 0
  package var broken = 0
  /// The first breach, with a remedy.
  package var detail: String?
  package var remedy: String?
}

extension [ClauseVerdict] {
  /// Returns a sentence for each broken clause, for the number of kept ones, and for those that could not be judged; none
  /// without answers. Not all answers of a run are checked.
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
  /// Explanations of the figures of a whole run.
  package var sentences: [String] {
    let unread = verification.outcome == .notAsked ? verification.reason : nil
    return [unread.map { "the server's store is not verified: \($0)" }].compactMap(\.self) + refusalSentences
      + clauses.sentences(requests: requests)
  }

  /// How many times as fast as that of the devices' time the requests came to the server, if it limits their rate: then the
  /// refusals say nothing of devices in real time. Nil without such a limit, and in real time.
  package var paceUnderLimit: Double? {
    guard let place, [ClockMode.lockstep, .accelerated].contains(where: { $0.rawValue == mode }) else { return nil }
    // Of 503 only the header says that it is a limit, which the clause on Retry-After has seen.
    let isLimit = { (clause: ClauseVerdict) in
      clause.outcome == .broken && clause.detail?.hasPrefix(Clause.delayDetail(status: 503)) ?? false
    }
    guard answers[RequestEnd.status(429).word] ?? 0 > 0 || clauses.contains(where: isLimit) else { return nil }
    let isPaced = mode == ClockMode.accelerated.rawValue
    let pace = isPaced ? place.factor : ended.seconds / max(place.seconds, 0.001)
    return pace > 1 ? pace : nil
  }

  /// Applies `simulate --strict`: a broken clause or an unread store fails the run.
  package mutating func judgeStrictly() {
    if verification.outcome == .notAsked {
      // Why a store that is named cannot be read is said beside it.
      let remedy = verification.reason == nil ? "needs target.verify to check" : "could not check"
      findings.append(ServerFinding(ServerFinding.storageNotVerified, "--strict \(remedy) what is stored"))
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
