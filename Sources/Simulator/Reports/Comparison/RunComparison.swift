import Base
package import FleetSimulator
import Scenario

/// Two runs held against each other: what differs, and whether the later one is worse.
package struct RunComparison {
  /// How a figure stands.
  package enum Outcome: Equatable, Sendable {
    /// It is no worse.
    case same, better
    /// It is worse by more than is allowed, and by more than chance explains.
    case regression
    /// It cannot be told from chance.
    case undecided(String)
    /// It is told and not judged.
    case shown
  }

  /// One figure of both runs.
  package struct Row: Equatable, Sendable {
    package let name: String
    package let before: Double?
    package let after: Double?
    package let outcome: Outcome
    /// More of it is worse.
    let isCost: Bool
    /// It holds of a run, 1, or it does not, 0.
    var isPromise = false

    /// `+4.8 %`; nil without two numbers.
    package var change: Double? {
      guard let before, let after, before != 0, !isPromise else { return nil }
      return (after - before) / before
    }
  }

  package let before: RunSummary
  package let after: RunSummary
  /// What the two are compared by, the judged ones first.
  package let rows: [Row]
  /// What is to be known before the figures, in sentences.
  package let notes: [String]
  /// Why figures of these runs say nothing; nil when they do.
  package let invalidity: String?

  /// `limits` are what the user asks for; without any, the percentiles of the times and the share of failed uploads are judged.
  package init(_ before: RunSummary, _ after: RunSummary, limits: [Limit] = []) {
    (self.before, self.after) = (before, after)
    let judge = ComparisonJudge(before, after, limits)
    rows = judge.wholeRows + judge.judgedRows + judge.otherRows
    notes = judge.notes
    invalidity = judge.invalidity
  }

  package var regressions: [Row] { rows.filter { $0.outcome == .regression } }

  /// `upload_duration:p95:5%`: a figure, and how much worse it may be.
  package struct Limit: Equatable, Sendable {
    package let metric: String
    /// `p95`, `avg`; empty for what has one number only.
    package let statistic: String
    package let allowed: Double

    /// Nil when it is none.
    package init?(text: String) {
      let parts = text.split(separator: ":").map { String($0) }
      guard (2...3).contains(parts.count), let percent = parts.last, percent.hasSuffix("%"),
        let allowed = Double(percent.dropLast()), allowed >= 0, allowed.isFinite
      else { return nil }
      (metric, statistic, self.allowed) = (parts[0], parts.count == 3 ? parts[1] : "", allowed / 100)
      guard statistic.isEmpty || Limit.aggregation(statistic) != nil else { return nil }
    }

    private init(_ metric: String, _ statistic: String) {
      (self.metric, self.statistic, allowed) = (metric, statistic, 0.02)
    }

    /// What is judged when nothing is asked for.
    static let standard =
      SampleGroups.metrics.flatMap { metric in ["p50", "p95", "p99"].map { Limit(metric, $0) } }
      + [Limit("upload_failed", "")]

    var aggregation: ThresholdExpression.Aggregation? { Limit.aggregation(statistic) }

    /// Whether runs keep what it takes to tell a difference from chance.
    var isTested: Bool {
      guard SampleGroups.metrics.contains(metric) else { return metric == "upload_failed" }
      return switch aggregation {
      case .average, .median, .percentile: true
      default: false
      }
    }

    static func aggregation(_ text: String) -> ThresholdExpression.Aggregation? {
      switch text {
      case "avg": .average
      case "min": .minimum
      case "max": .maximum
      case "med": .median
      case "count": .count
      default:
        text.hasPrefix("p") ? Double(text.dropFirst()).flatMap { (0...100).contains($0) ? .percentile($0) : nil } : nil
      }
    }
  }
}
