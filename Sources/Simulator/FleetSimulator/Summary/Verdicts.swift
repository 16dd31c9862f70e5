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
    /// It is about what the server has stored, which was not verified.
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
