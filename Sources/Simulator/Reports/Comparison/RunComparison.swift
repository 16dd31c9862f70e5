import Base
package import FleetSimulator
import Scenario

/// The comparison of two runs: their differences, and whether the later one is worse.
package struct RunComparison {
  /// The outcome for a figure.
  package enum Outcome: Equatable, Sendable {
    /// Not worse.
    case same, better
    /// Worse by more than the limit, and by more than chance explains.
    case regression
    /// The difference may be due to chance.
    case undecided(String)
    /// Shown without a judgement.
    case shown
  }

  /// A figure of both runs.
  package struct Row: Equatable, Sendable {
    package let name: String
    package let before: Double?
    package let after: Double?
    package let outcome: Outcome
    /// Whether more of it is worse.
    let isCost: Bool
    /// Whether it is a fact: 1 for true, 0 for false.
    var isPromise = false

    /// The relative change, as `+4.8 %`; nil without two numbers.
    package var change: Double? {
      guard let before, let after, before != 0, !isPromise else { return nil }
      return (after - before) / before
    }
  }

  package let before: RunSummary
  package let after: RunSummary
  /// The compared figures, the judged ones first.
  package let rows: [Row]
  /// Remarks that precede the figures, in sentences.
  package let notes: [String]
  /// Why the comparison says nothing; nil when it does.
  package let invalidity: String?

  /// `limits` are those of the user; without any, the percentiles of the times and the share of failed uploads are judged.
  package init(_ before: RunSummary, _ after: RunSummary, limits: [Limit] = []) {
    (self.before, self.after) = (before, after)
    let judge = ComparisonJudge(before, after, limits)
    let judged = judge.judgedRows
    rows = judge.wholeRows + judged + judge.otherRows
    notes = judge.notes
    invalidity = judge.invalidity(judged)
  }

  package var regressions: [Row] { rows.filter { $0.outcome == .regression } }

  /// `upload_duration:p95:5%`: a figure, and by how much it may be worse.
  package struct Limit: Equatable, Sendable {
    package let metric: String
    /// `p95`, `avg`; empty for a figure with a single number.
    package let statistic: String
    package let allowed: Double

    /// Nil for an invalid text.
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

    /// The default limits.
    static let standard =
      SampleGroups.metrics.flatMap { metric in ["p50", "p95", "p99"].map { Limit(metric, $0) } }
      + [Limit("upload_failed", "")]

    var aggregation: ThresholdExpression.Aggregation? { Limit.aggregation(statistic) }

    /// Whether runs keep the data for a statistical test.
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
