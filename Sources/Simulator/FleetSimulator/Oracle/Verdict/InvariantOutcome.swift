package import Scenario

/// What a run has shown about an invariant.
package struct InvariantOutcome: Equatable, Sendable {
  /// How it went.
  package enum Verdict: Equatable, Sendable {
    case held
    case violated(count: Int)
    /// With the reason, as half a sentence.
    case notJudged(String)
  }

  package let invariant: Invariant
  package let verdict: Verdict
}
