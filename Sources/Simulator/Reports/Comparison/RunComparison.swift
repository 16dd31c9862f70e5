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

    /// `+4.8 %`; nil without two numbers.
    package var change: Double? {
      guard let before, let after, before != 0 else { return nil }
      return (after - before) / before
    }
  }

  package let before: RunSummary
  package let after: RunSummary
  /// How much worse a figure may be, by default.
  package static let allowed = 0.02
  /// What the two are compared by, the judged ones first.
  package let rows: [Row]
  /// What is to be known before the figures, in sentences.
  package let notes: [String]

  /// `limits` are what the user asks for; without any, the percentiles of the times and the share of failed uploads are judged.
  package init(_ before: RunSummary, _ after: RunSummary, limits: [Limit] = []) {
    (self.before, self.after) = (before, after)
    let judge = ComparisonJudge(before, after)
    let judged = limits.isEmpty ? judge.standardRows : limits.map(judge.row)
    rows = judge.wholeRows + judged + judge.otherRows(than: judged.map(\.name))
    notes = judge.notes
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

    init(_ metric: String, _ statistic: String, _ allowed: Double) {
      (self.metric, self.statistic, self.allowed) = (metric, statistic, allowed)
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

/// Holds the figures of two runs against each other.
struct ComparisonJudge {
  private let before: RunSummary
  private let after: RunSummary
  /// The same phones did the same.
  private let isSamePhones: Bool

  /// So many samples must lie beyond a percentile of a group.
  private static let samplesBeyond = 5.0
  private static let shares = [50.0, 95, 99]

  init(_ before: RunSummary, _ after: RunSummary) {
    (self.before, self.after) = (before, after)
    isSamePhones = before.seed == after.seed && before.scenarioHash == after.scenarioHash
  }

  var notes: [String] {
    var notes: [String] = []
    let rows: [(name: String, before: String, after: String)] = [
      ("scenario", before.scenario, after.scenario), ("mode", before.mode, after.mode),
      ("number of devices", "\(before.devices)", "\(after.devices)"),
      ("duration", NumberText.span(before.duration), NumberText.span(after.duration)),
      ("host", before.origin?.host ?? "", after.origin?.host ?? ""),
    ]
    for row in rows where row.before != row.after {
      notes.append("the \(row.name) differs: \(row.before) and \(row.after)")
    }
    notes.append(
      isSamePhones
        ? "same scenario and seed: phones are compared with themselves"
        : "another scenario or seed: phones are compared as groups")
    if before.groups == nil || after.groups == nil {
      notes.append("a summary of an older version has no groups: no difference can be told from chance")
    }
    return notes
  }

  /// What is wrong in one run and not in the other, whatever chance says.
  var wholeRows: [RunComparison.Row] {
    let counts: [(String, (RunSummary) -> Int)] = [
      ("records lost", \.ledger.lost), ("records changed", \.ledger.changed),
      ("duplicate rows", \.ledger.duplicateRows),
      ("invariants violated", { $0.invariants.count { $0.outcome == .violated } }),
      ("clauses broken", { $0.clauses.count { $0.outcome == .broken } }),
      ("thresholds missed", { $0.thresholds.count { $0.outcome == .failed } }),
      ("checks failed", { $0.checks.count { $0.failed > 0 } }),
    ]
    return counts.map { name, count in
      let (old, new) = (count(before), count(after))
      return RunComparison.Row(
        name: name, before: Double(old), after: Double(new),
        outcome: new > old ? .regression : new < old ? .better : .same, isCost: true)
    } + errorRows
  }

  /// Kinds of errors that one of them had not.
  private var errorRows: [RunComparison.Row] {
    func counts(_ summary: RunSummary) -> [String: Int] {
      Dictionary(summary.errors.map { ("errors: \($0.kind)", $0.count) }, uniquingKeysWith: +)
    }
    let (old, new) = (counts(before), counts(after))
    return Set(old.keys).union(new.keys).sorted().map { name in
      RunComparison.Row(
        name: name, before: Double(old[name] ?? 0), after: Double(new[name] ?? 0), outcome: .shown, isCost: true)
    }
  }

  var standardRows: [RunComparison.Row] {
    let times = SampleGroups.metrics.flatMap { metric in
      ComparisonJudge.shares.map { row(RunComparison.Limit(metric, "p\(Int($0))", RunComparison.allowed)) }
    }
    return times + [row(RunComparison.Limit("upload_failed", "", RunComparison.allowed))]
  }

  /// Figures that are told beside those that are judged.
  func otherRows(than judged: [String]) -> [RunComparison.Row] {
    var rows: [RunComparison.Row] = []
    for metric in after.metrics
    where !metric.name.contains("{") && !judged.contains(where: { $0.hasPrefix(metric.name) }) {
      let statistic = if case .trend = metric.figure { "p95" } else { "" }
      let (old, new) = (value(before, metric.name, statistic), value(after, metric.name, statistic))
      guard old != nil || new != nil else { continue }
      rows.append(
        RunComparison.Row(
          name: name(metric.name, statistic), before: old, after: new, outcome: .shown,
          isCost: ComparisonJudge.isCost(metric.name)))
    }
    return rows
  }

  func row(_ limit: RunComparison.Limit) -> RunComparison.Row {
    let (old, new) = (value(before, limit.metric, limit.statistic), value(after, limit.metric, limit.statistic))
    return RunComparison.Row(
      name: name(limit.metric, limit.statistic), before: old, after: new, outcome: outcome(limit, old, new),
      isCost: ComparisonJudge.isCost(limit.metric))
  }

  private func name(_ metric: String, _ statistic: String) -> String {
    statistic.isEmpty ? metric : "\(metric) \(statistic)"
  }

  private func value(_ summary: RunSummary, _ metric: String, _ statistic: String) -> Double? {
    guard let figure = summary.figure(metric), !figure.isEmpty else { return nil }
    return figure.value(RunComparison.Limit.aggregation(statistic) ?? .value, seconds: summary.ended.seconds)
  }

  private func outcome(_ limit: RunComparison.Limit, _ old: Double?, _ new: Double?) -> RunComparison.Outcome {
    guard let old, let new else { return .undecided("not measured in both runs") }
    let isCost = ComparisonJudge.isCost(limit.metric)
    let (worse, better) = isCost ? (new > old, new < old) : (new < old, new > old)
    guard worse || better else { return .same }
    let isBeyond = (new - old).magnitude > limit.allowed * old.magnitude
    guard let tests = tests(limit) else {
      // Of one number for a whole run chance is not known.
      return worse && isBeyond ? .regression : worse ? .same : .better
    }
    let verdicts = tests.map { new > old ? $0.hasRisen : $0.hasFallen }
    guard verdicts.allSatisfy({ $0 != nil }) else { return .undecided("too few samples") }
    guard verdicts.allSatisfy({ $0 == true }) else { return worse && isBeyond ? .undecided("within chance") : .same }
    return better ? .better : isBeyond ? .regression : .same
  }

  /// By phones and by time; nil for a figure that has no groups.
  private func tests(_ limit: RunComparison.Limit) -> [GroupTest]? {
    guard let old = before.groups, let new = after.groups else { return nil }
    if limit.metric == "upload_failed" {
      func shares(_ groups: [SampleGroups.Group]) -> [Double?] {
        groups.map { $0.uploads > 0 ? Double($0.failed) / Double($0.uploads) : nil }
      }
      return [
        GroupTest(shares(old.phones), shares(new.phones), isPaired: isSamePhones),
        GroupTest(shares(old.pieces), shares(new.pieces), isPaired: true),
      ]
    }
    guard let metric = SampleGroups.metrics.firstIndex(of: limit.metric), limit.statistic.hasPrefix("p"),
      let share = Double(limit.statistic.dropFirst())
    else { return nil }
    func figures(_ groups: [SampleGroups.Group]) -> [Double?] {
      groups.map { group in
        let spread = group.spreads[metric]
        guard Double(spread.count) * (100 - share) / 100 >= ComparisonJudge.samplesBeyond else { return nil }
        return spread.percentile(share)
      }
    }
    return [
      GroupTest(figures(old.phones), figures(new.phones), isPaired: isSamePhones),
      GroupTest(figures(old.pieces), figures(new.pieces), isPaired: before.duration == after.duration),
    ]
  }

  /// Of what is not here, less is better.
  private static let gains: Set<String> = [
    "records_created", "records_delivered", "uploads", "checks", "connection_reuse", "devices_active", "devices_moving",
    "geofence_transitions", "remote_commands_applied", "batch_size",
  ]

  private static func isCost(_ metric: String) -> Bool { !gains.contains(String(metric.prefix { $0 != "{" })) }
}
