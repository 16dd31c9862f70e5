import Base
import FleetSimulator
import Oracle
import Scenario

/// Compares the figures of two runs.
struct ComparisonJudge {
  private let before: RunSummary
  private let after: RunSummary
  private let limits: [RunComparison.Limit]
  /// Whether the phones live in the same city and drive the same routes.
  private let isSamePhones: Bool
  /// The significance level for one figure.
  private let chanceAllowed: Double

  /// The probability that any figure of two equal runs counts as a regression.
  private static let chanceOfAlarm = 0.002
  /// The minimum number of samples beyond a percentile.
  private static let samplesBeyond = 20.0
  /// A metric that depends on the places of a city, of which a run has only one.
  private static let ofPlaces = "record_delivery_latency"

  /// `limits` are those of the user; without any, the percentiles of the times and the share of failed uploads are judged.
  init(_ before: RunSummary, _ after: RunSummary, _ limits: [RunComparison.Limit]) {
    (self.before, self.after) = (before, after)
    self.limits = limits.isEmpty ? RunComparison.Limit.standard : limits
    func fleets(_ run: RunSummary) -> [String] { run.fleets.map { "\($0.devices) \($0.name)" } }
    isSamePhones =
      before.seed == after.seed && before.scenario == after.scenario && before.shard == after.shard
      && fleets(before) == fleets(after)
    // With several figures, each must meet a stricter level (Bonferroni).
    chanceAllowed = ComparisonJudge.chanceOfAlarm / Double(max(1, self.limits.count(where: \.isTested)))
  }

  var notes: [String] {
    var notes: [String] = []
    let rows: [(name: String, before: String, after: String)] = [
      ("scenario", before.scenario, after.scenario), ("mode", before.mode, after.mode),
      ("number of devices", "\(before.devices)", "\(after.devices)"),
      ("duration", NumberText.span(before.duration), NumberText.span(after.duration)),
      ("target", before.place?.target ?? "none", after.place?.target ?? "none"),
    ]
    let hosts = (name: "host", before: before.origin?.host ?? "", after: after.origin?.host ?? "")
    for row in rows + [hosts] where row.before != row.after {
      notes.append("the \(row.name) differs: \(row.before) and \(row.after)")
    }
    // The hash includes each of these, and other versions may write the scenario differently.
    if rows.allSatisfy({ $0.before == $0.after }), before.product == after.product,
      before.scenarioHash != after.scenarioHash
    {
      notes.append(
        "both scenarios are named \(before.scenario), and they or their overrides differ: compare runs of the same one")
    }
    notes.append(
      isSamePhones
        ? "same seed: each phone is compared with itself"
        : before.seed == after.seed
          ? "phones are compared as groups" : "different seeds make different cities: phones are compared as groups")
    for (name, run) in [("first", before), ("second", after)] where run.groups == nil {
      notes.append(
        "the summary of the \(name) run, of version \(run.product), has no groups: differences cannot be tested")
    }
    for (name, run) in [("first", before), ("second", after)] where run.shard != nil {
      notes.append("the \(name) run is shard \(run.shard ?? "") alone; rollingroad merge joins all shards of a run")
    }
    return notes
  }

  /// The rows of facts that are compared without a statistical test.
  var wholeRows: [RunComparison.Row] {
    let counts: [(String, (RunSummary) -> Int)] = [
      ("records lost", \.ledger.lostInAll), ("records changed", \.ledger.changed),
      ("duplicate rows", \.ledger.duplicateRows),
    ]
    return [
      promise("run is valid") { $0.result != .invalid && $0.result != .stopped },
      promise("storage verified") { $0.verification.outcome == .verified },
    ]
      + counts.map { name, count in
        let (old, new) = (count(before), count(after))
        return RunComparison.Row(
          name: name, before: Double(old), after: Double(new),
          outcome: new > old
            ? .regression
            : isUnseen(name)
              ? .undecided("storage not verified in both runs")
              : new < old ? .better : .same,
          isCost: true)
      } + faultRows + errorRows
  }

  /// Reports whether the figure requires a look at the store that one run lacked.
  private func isUnseen(_ name: String) -> Bool {
    ["records lost", "records changed", "duplicate rows"].contains(name)
      && [before, after].contains { $0.verification.outcome != .verified }
  }

  /// Returns the row of a fact that is true or false: 1 or 0.
  private func promise(_ name: String, _ holds: (RunSummary) -> Bool) -> RunComparison.Row {
    let (old, new) = (holds(before), holds(after))
    return RunComparison.Row(
      name: name, before: old ? 1 : 0, after: new ? 1 : 0,
      outcome: old == new ? .same : new ? .better : .regression, isCost: false, isPromise: true)
  }

  /// The problems of either run, by name: a different one is a regression even if their number is the same.
  private var faultRows: [RunComparison.Row] {
    let (old, new) = (verdicts(before), verdicts(after))
    var named: Set<String> = []
    return (new + old).filter { $0.isFault == true && named.insert($0.name).inserted }.map { fault in
      func isFault(_ verdicts: [Verdict]) -> Bool? {
        let verdicts = verdicts.filter { $0.name == fault.name }
        return verdicts.contains { $0.isFault == true } ? true : verdicts.first?.isFault
      }
      let (was, applies) = (isFault(old), isFault(new))
      return RunComparison.Row(
        name: fault.name, before: was == true ? 1 : 0, after: applies == true ? 1 : 0,
        outcome: applies == true
          ? was == true ? .same : .regression : applies == nil ? .undecided("not judged in both runs") : .better,
        isCost: true, isPromise: true)
    }
  }

  /// A verdict on a run; `isFault` is nil where it was not judged.
  private typealias Verdict = (name: String, isFault: Bool?)

  private func verdicts(_ run: RunSummary) -> [Verdict] {
    func isFault<Outcome: Equatable>(_ outcome: Outcome, _ bad: Outcome, _ good: Outcome) -> Bool? {
      outcome == bad ? true : outcome == good ? false : nil
    }
    let findings = (before.findings + after.findings).map(\.name)
    var verdicts: [Verdict] = findings.map { name in
      ("finding: \(name)", run.findings.contains { $0.name == name })
    }
    verdicts += run.invariants.map { ("invariant violated: \($0.name)", isFault($0.outcome, .violated, .held)) }
    verdicts += run.clauses.map { ("clause broken: \($0.number), \($0.rule)", isFault($0.outcome, .broken, .kept)) }
    verdicts += run.thresholds.map {
      ("threshold missed: \($0.selection) \($0.expression)", isFault($0.outcome, .failed, .passed))
    }
    verdicts += run.checks.map { ("check failed: \($0.name)", $0.failed > 0) }
    return verdicts + run.coverage.map { ("coverage missed: \($0.goal)", $0.seen == 0) }
  }

  /// Why the comparison says nothing, with the rows of the figures with limits; nil when it does.
  func invalidity(_ judged: [RunComparison.Row]) -> String? {
    for (name, run) in [("first", before), ("second", after)] {
      switch run.result {
      case .invalid: return "the \(name) run is not valid"
      case .stopped: return "the \(name) run was stopped before its end"
      case .passed, .violated, .failed, .uncovered: break
      }
    }
    var reasons: [String] = []
    for row in judged {
      guard case .undecided(let reason) = row.outcome, Unjudged.all.contains(reason) else { return nil }
      if !reasons.contains(reason) { reasons.append(reason) }
    }
    return "no figure could be judged: \(reasons.joined(separator: ", "))"
  }

  /// Why a figure was not judged at all. One within chance, or within the lag of the generator, was.
  private enum Unjudged {
    static let unmeasured = "not measured in both runs"
    static let fewSamples = "too few samples"
    static let otherSeed = "another seed has other tunnels and dead zones"
    static let all: Set<String> = [unmeasured, fewSamples, otherSeed]
  }

  /// The kinds of errors of either run.
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

  /// The figures with limits.
  var judgedRows: [RunComparison.Row] { limits.map(row) }

  /// The other figures, for information.
  var otherRows: [RunComparison.Row] {
    after.metrics.compactMap { metric in
      guard !metric.name.contains("{"), !limits.contains(where: { $0.metric == metric.name }) else { return nil }
      let statistic = if case .trend = metric.figure { "p95" } else { "" }
      let (old, new) = (value(before, metric.name, statistic), value(after, metric.name, statistic))
      guard old != nil || new != nil else { return nil }
      return RunComparison.Row(
        name: name(metric.name, statistic), before: old, after: new, outcome: .shown,
        isCost: ComparisonJudge.isCost(metric.name))
    }
  }

  private func row(_ limit: RunComparison.Limit) -> RunComparison.Row {
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
    guard let old, let new else {
      // Without an upload, or a record that arrives, no figure is what is wrong.
      let isGone = old != nil && limit.isTested && after.groups != nil
      return isGone ? .regression : .undecided(Unjudged.unmeasured)
    }
    let isWorse = ComparisonJudge.isCost(limit.metric) ? new > old : new < old
    let isBeyond = isWorse && (new - old).magnitude > limit.allowed * old.magnitude
    guard new != old else { return .same }
    guard limit.isTested else { return isBeyond ? .regression : isWorse ? .same : .better }
    if limit.metric == ComparisonJudge.ofPlaces, before.seed != after.seed {
      return .undecided(Unjudged.otherSeed)
    }
    if let lag = lateness(of: limit.metric), MetricText.unit(of: limit.metric) == .milliseconds,
      (new - old).magnitude < lag
    {
      return isBeyond
        ? .undecided("smaller than the lag of the generator (\(NumberText.span(milliseconds: lag)))") : .same
    }
    guard let test = test(limit) else { return .undecided(Unjudged.fewSamples) }
    // A percentile varies widely with few values: the test is on the share of samples above a level.
    let isBeyondChance = test.chance < chanceAllowed && (test.score > 0) == (new > old)
    if !isWorse {
      guard isBeyondChance else { return .same }
      // An answer that did not come would have taken longer than the phone waited.
      let isCutShort = limit.metric == "upload_duration" && unanswered(after) > unanswered(before)
      return isCutShort ? .undecided("more uploads without an answer") : .better
    }
    return isBeyondChance && isBeyond ? .regression : isBeyond ? .undecided("within chance") : .same
  }

  /// Returns the share of uploads that the server left without an answer.
  private func unanswered(_ run: RunSummary) -> Double {
    var (answered, unanswered) = (0, 0)
    for (word, count) in run.answers {
      switch RequestEnd.isAnswer(word) {
      case true?: answered += count
      case false?: unanswered += count
      case nil: break
      }
    }
    return Double(unanswered) / Double(max(answered + unanswered, 1))
  }

  /// Returns how far the 99th percentile of the generator's lag exceeds its median: smaller differences of times may be due
  /// to the machine. In milliseconds of the clock of the metric; nil in virtual time.
  private func lateness(of metric: String) -> Double? {
    [before, after].compactMap { run in
      guard case .trend(let lag)? = run.figure("generator_lag"), let usual = lag.percentile(50),
        let late = lag.percentile(99)
      else { return nil }
      return (late - usual) * (RunSummary.isByDevicesClock(metric) ? run.place?.factor ?? 1 : 1)
    }.max()
  }

  /// Tests whether chance explains the difference. Nil with too few samples.
  private func test(_ limit: RunComparison.Limit) -> MeanTest? {
    guard let old = before.groups, let new = after.groups else { return nil }
    let moments: (SampleGroups.Group) -> (sum: Double, squares: Double, count: Double)
    var samplesMin = ComparisonJudge.samplesBeyond
    switch (SampleGroups.metrics.firstIndex(of: limit.metric), limit.aggregation) {
    case (nil, _): moments = { (Double($0.failed), Double($0.failed), Double($0.uploads)) }
    case (let metric?, .average?):
      moments = { ($0.spreads[metric].sums.values, $0.spreads[metric].sums.squares, Double($0.spreads[metric].count)) }
    case (let metric?, let aggregation):
      let share = if case .percentile(let share)? = aggregation { share } else { 50.0 }
      var both = old.whole(metric)
      both.add(new.whole(metric))
      guard let level = both.percentile(share) else { return nil }
      moments = { group in
        let above = group.spreads[metric].count(above: level)
        return (above, above, Double(group.spreads[metric].count))
      }
      samplesMin /= max(1 - share / 100, 1e-9)
    }
    guard let old = ClusteredMean(old, moments: moments), let new = ClusteredMean(new, moments: moments),
      min(old.count, new.count) >= samplesMin
    else { return nil }
    // A machine may be slow for a while. Failures are not excused like that: an outage in one run is to be found.
    let isOfTimes = SampleGroups.metrics.contains(limit.metric)
    return MeanTest(old, new, isPaired: isSamePhones, excusesMoments: isOfTimes)
  }

  /// Metrics of which more is better.
  private static let gains: Set<String> = [
    "records_created", "records_delivered", "uploads", "checks", "connection_reuse", "devices_active", "devices_moving",
    "geofence_transitions", "remote_commands_applied", "batch_size",
  ]

  private static func isCost(_ metric: String) -> Bool { !gains.contains(String(metric.prefix { $0 != "{" })) }
}
