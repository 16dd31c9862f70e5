package import Scenario

/// What a run has shown about an invariant.
package struct InvariantOutcome: Equatable, Sendable {
  /// How it went.
  package enum Verdict: Equatable, Sendable {
    case held
    case violated(count: Int)
    /// Nothing came up that it could be held against: with what, as half a sentence.
    case notExercised(String)
    /// With the reason, as half a sentence.
    case notJudged(String)
  }

  package let invariant: Invariant
  package let verdict: Verdict
  /// How often it was looked at.
  package let exercised: Int
}
