import Base
import Oracle
import Scenario

extension RunSummary {
  /// Combines the results of the shards of one run, except missing ones. The thresholds with the indices `endings` have ended
  /// it, judged on the whole. Throws a sentence when the shards are not those of one run, or not all.
  package static func whole(
    of shards: [RunSummary], missing: [MissingShard] = [], endedBy endings: [Int] = []
  ) throws(MergeError) -> RunSummary {
    let parts = withLabelledNotes(try inOrder(shards, missing: missing))
    var whole = parts[0]
    whole.shard = nil
    for part in parts.dropFirst() {
      try whole.requireSameRun(as: part)
      try whole.add(part)
    }
    whole.sortMetrics()
    whole.invariants = invariants(of: parts)
    for index in whole.thresholds.indices { try whole.judge(index, parts, endsTheRun: endings.contains(index)) }
    if whole.ending == .completed, !endings.isEmpty { whole.ending = .threshold }
    whole.deriveFindings(parts)
    whole.notes += whole.sentences
    whole.leaveUnseenUnjudged()
    whole.leaveLateUnjudged()
    whole.mark(missing: missing)
    return whole
  }

  /// Prefixes notes that not all parts have with the name of their shard.
  private static func withLabelledNotes(_ parts: [RunSummary]) -> [RunSummary] {
    guard parts.count > 1 else { return parts }
    return parts.map { part in
      var named = part
      named.notes = part.notes.map { note in
        parts.allSatisfy { $0.notes.contains(note) } ? note : "shard \(part.shard ?? "-"): \(note)"
      }
      return named
    }
  }

  /// Checks that all shards of the same count are there, each once.
  private static func inOrder(
    _ summaries: [RunSummary], missing: [MissingShard]
  ) throws(MergeError) -> [RunSummary] {
    var parts: [Int: RunSummary] = [:]
    var count: Int?
    for summary in summaries {
      guard let text = summary.shard, let shard = Shard(text: text) else {
        throw MergeError(message: "a summary of a whole run is among them: only shards add up")
      }
      guard count ?? shard.count == shard.count else {
        throw MergeError(message: "shard \(text) is one of \(shard.count), others are of \(count ?? 0)")
      }
      count = shard.count
      guard parts.updateValue(summary, forKey: shard.index) == nil else {
        throw MergeError(message: "shard \(text) is there twice")
      }
    }
    guard let count else { throw MergeError(message: "there is no shard") }
    let absent = (0..<count).filter { index in
      parts[index] == nil && !missing.contains { $0.shard == "\(index)/\(count)" }
    }
    guard absent.isEmpty else {
      let names = absent.prefix(8).map { "\($0)/\(count)" }.joined(separator: ", ")
      let more = absent.count > 8 ? " and \(absent.count - 8) more" : ""
      throw MergeError(message: "missing: \(names)\(more); the whole cannot be judged without them")
    }
    return (0..<count).compactMap { parts[$0] }
  }

  private func requireSameRun(as other: RunSummary) throws(MergeError) {
    let rows: [(name: String, mine: String, theirs: String)] = [
      ("scenario", scenario, other.scenario),
      ("seed", "\(seed)", "\(other.seed)"), ("mode", mode, other.mode), ("version", product, other.product),
      ("duration", "\(duration.seconds.short) s", "\(other.duration.seconds.short) s"),
      ("settle time", "\(settle.seconds.short) s", "\(other.settle.seconds.short) s"),
      ("fleets", fleets.map(\.name).joined(separator: " "), other.fleets.map(\.name).joined(separator: " ")),
      // These identify a run as well, but are meaningless to a person.
      ("scenario hash", scenarioHash, other.scenarioHash),
    ]
    for row in rows where row.mine != row.theirs {
      throw MergeError(
        message:
          "shard \(other.shard ?? "-") is of another run: its \(row.name) is \(row.theirs), not \(row.mine); merge the shards of one run"
      )
    }
  }

  private mutating func add(_ part: RunSummary) throws(MergeError) {
    for index in fleets.indices {
      fleets[index].devices += part.fleets[index].devices
      fleets[index].hash = try RunSummary.sum(fleets[index].hash, part.fleets[index].hash)
    }
    hash = try RunSummary.sum(hash, part.hash)
    events += part.events
    requests += part.requests
    if let mine = drained, let theirs = part.drained { drained = max(mine, theirs) } else { drained = nil }
    ended = max(ended, part.ended)
    let endings: [Ending] = [.aborted, .signal, .violation, .threshold, .stopped, .running]
    ending = endings.first { $0 == ending || $0 == part.ending } ?? .completed
    for sum in LedgerSums.parts { ledger[keyPath: sum.path] += part.ledger[keyPath: sum.path] }
    for figure in part.metrics {
      if let index = metrics.firstIndex(where: { $0.name == figure.name }) {
        try metrics[index].figure.add(figure.figure)
      } else {
        metrics.append(figure)
      }
    }
    for (index, check) in part.checks.enumerated() where checks.indices.contains(index) {
      checks[index].held += check.held
      checks[index].failed += check.failed
    }
    if let more = part.groups { groups?.add(more) } else { groups = nil }
    verification = verification.joined(with: part.verification)
    answers.merge(part.answers) { $0 + $1 }
    add(errors: part.errors)
    if let mine = place, let theirs = part.place {
      place = RunPlace(
        target: mine.target, server: mine.server ?? theirs.server, start: min(mine.start, theirs.start),
        end: max(mine.end, theirs.end), uploadsPerSecond: mine.uploadsPerSecond + theirs.uploadsPerSecond,
        factor: mine.factor)
    }
    if var more = part.serverCounts {
      if let serverCounts { more.add(serverCounts) }
      serverCounts = more
    }
    for (index, clause) in part.clauses.enumerated() where clauses.indices.contains(index) {
      clauses[index].add(clause)
    }
    violations += part.violations
    replay = replay ?? part.replay
    remarks += part.remarks
    for note in part.notes where !notes.contains(note) { notes.append(note) }
    for (index, goal) in part.coverage.enumerated() where coverage.indices.contains(index) {
      coverage[index].seen += goal.seen
    }
    try timeline.add(part.timeline)
  }

  /// Derives the findings about the server again from the sums of all devices and rows: one shard does not know what another
  /// has sent. Applies `--strict` to the whole if it applied to shards.
  private mutating func deriveFindings(_ parts: [RunSummary]) {
    findings = serverCounts?.findings(ledger) ?? []
    if parts.contains(where: { $0.findings.contains(where: \.isOfStrictness) }) { judgeStrictly() }
    verification.unknownRows = max(0, verification.unknownRows - verification.rowsElsewhere)
    verification.rowsElsewhere = 0
  }

  /// Sorts metrics as in a single run: by measure, for the whole and then each fleet, and then the selections of thresholds.
  /// A part omits what it has not measured.
  private mutating func sortMetrics() {
    var places: [String: Int] = [:]
    for measure in Measure.allCases {
      let name = measure.metric.name
      for text in [name] + fleets.map({ "\(name){fleet:\($0.name)}" }) { places[text] = places.count }
    }
    for threshold in thresholds where places[threshold.selection] == nil {
      places[threshold.selection] = places.count
    }
    metrics.sort { (places[$0.name] ?? .max, $0.name) < (places[$1.name] ?? .max, $1.name) }
  }

  private static func sum(_ left: String, _ right: String) throws(MergeError) -> String {
    guard var sum = TraceHash(text: left), let other = TraceHash(text: right) else {
      throw MergeError(message: "'\(left)' and '\(right)' are not hashes")
    }
    sum.add(other)
    return sum.text
  }

  /// Combines the verdicts of the parts: violated when it is in any part; not judged when a part could not judge it; held
  /// when it held in some part; not exercised when it was in none.
  private static func invariants(of parts: [RunSummary]) -> [InvariantVerdict] {
    parts[0].invariants.indices.map { index in
      let verdicts = parts.compactMap { $0.invariants.indices.contains(index) ? $0.invariants[index] : nil }
      var verdict = verdicts[0]
      verdict.violations = verdicts.reduce(0) { $0 + $1.violations }
      verdict.exercised = verdicts.reduce(0) { $0 + $1.exercised }
      let order = [InvariantVerdict.Outcome.violated, .notJudged, .held, .notExercised]
      let decisive = order.compactMap { outcome in
        verdicts.filter { $0.outcome == outcome }.min { ($0.reason ?? "") < ($1.reason ?? "") }
      }
      if let decisive = decisive.first { (verdict.outcome, verdict.reason) = (decisive.outcome, decisive.reason) }
      return verdict
    }
  }

  /// Judges a threshold by the figures of the whole: a percentile of the whole cannot be derived from those of its parts.
  private mutating func judge(_ index: Int, _ parts: [RunSummary], endsTheRun: Bool) throws(MergeError) {
    var verdict = thresholds[index]
    verdict.endedTheRun =
      endsTheRun || parts.contains { $0.thresholds.indices.contains(index) && $0.thresholds[index].endedTheRun }
    guard let expression = ThresholdExpression(verdict.expression, selection: verdict.selection) else {
      throw MergeError(message: "'\(verdict.selection): \(verdict.expression)' is not a threshold of this version")
    }
    let figure = figure(verdict.selection)
    guard figure != nil || verdict.value == nil else {
      throw MergeError(message: "the summaries hold no figure of \(verdict.selection)")
    }
    verdict.value = figure.flatMap { $0.measured(expression.aggregation, seconds: ended.seconds) }
    verdict.judge(by: ThresholdTest(expression, stretch: verdict.stretch))
    thresholds[index] = verdict
  }
}

extension ClauseVerdict {
  fileprivate mutating func add(_ other: ClauseVerdict) {
    (judged, broken) = (judged + other.judged, broken + other.broken)
    (detail, remedy) = (detail ?? other.detail, remedy ?? other.remedy)
    let order = [Outcome.broken, .kept, .notSeen, .notJudged]
    outcome = order.first { $0 == outcome || $0 == other.outcome } ?? outcome
  }
}

/// A shard without a result, because its process died.
package struct MissingShard: Equatable, Sendable {
  /// The shard, as in `0/4`.
  package var shard: String
  /// The reason, as half a sentence.
  package var reason: String

  package init(_ shard: Shard, reason: String) { self.init(shard: shard.text, reason: reason) }

  init(shard: String, reason: String) { (self.shard, self.reason) = (shard, reason) }

  package var sentence: String { "shard \(shard) is missing: \(reason)" }
}

extension RunSummary {
  /// Marks figures that lack some shards as not those of the run.
  fileprivate mutating func mark(missing: [MissingShard]) {
    guard let first = missing.first else { return }
    self.missing = missing
    if ending == .completed, ended < duration { ending = .stopped }
    for index in thresholds.indices where !thresholds[index].endedTheRun {
      (thresholds[index].outcome, thresholds[index].reason) = (.notJudged, "shard \(first.shard) is missing")
    }
  }
}

extension RunSummary {
  /// Leaves thresholds to the whole, except those that ended this part.
  package mutating func leaveThresholdsToTheWhole() {
    for index in thresholds.indices where !thresholds[index].endedTheRun { thresholds[index].outcome = .notMeasured }
  }
}

/// Summaries of shards that cannot belong to one run.
package struct MergeError: Error, Equatable, Sendable, CustomStringConvertible {
  package let message: String

  package var description: String { message }
}

extension Figure {
  /// Adds another figure.
  package mutating func add(_ other: Figure) throws(MergeError) {
    switch (self, other) {
    case (.counter(let count), .counter(let more)): self = .counter(count + more)
    case (.rate(let hits, let total), .rate(let moreHits, let more)):
      self = .rate(hits: hits + moreHits, of: total + more)
    case (.gauge(var series), .gauge(let more)):
      series.add(more)
      self = .gauge(series)
    case (.trend(var spread), .trend(let more)):
      guard spread.resolution == more.resolution else { throw MergeError(message: "trends of different resolution") }
      do throws(HistogramError) { try spread.histogram.merge(more.histogram) } catch {
        throw MergeError(message: "histograms that do not add up: \(error)")
      }
      self = .trend(spread)
    case (.counter, _), (.rate, _), (.gauge, _), (.trend, _): throw MergeError(message: "figures of different kinds")
    }
  }
}

extension LevelSeries {
  /// Adds a series; one that ended earlier keeps its last level.
  package mutating func add(_ other: LevelSeries) {
    let count = max(levels.count, other.levels.count)
    levels = (0..<count).map { index in
      (levels.isEmpty ? 0 : levels[min(index, levels.count - 1)])
        + (other.levels.isEmpty ? 0 : other.levels[min(index, other.levels.count - 1)])
    }
  }
}

extension Timeline {
  /// Adds a timeline. Marks are the same in all shards and are kept once.
  package mutating func add(_ other: Timeline) throws(MergeError) {
    guard width == other.width else { throw MergeError(message: "timelines of different widths") }
    let (last, otherLast) = (intervals.last, other.intervals.last)
    for index in 0..<max(intervals.count, other.intervals.count) {
      if index == intervals.count { intervals.append(Interval(levelsOf: last)) }
      intervals[index].add(index < other.intervals.count ? other.intervals[index] : Interval(levelsOf: otherLast))
    }
    for mark in other.marks where !marks.contains(mark) {
      // A signal does not end all shards at the same instant.
      if mark.name == Timeline.settling, let index = marks.firstIndex(where: { $0.name == mark.name }) {
        (marks[index].from, marks[index].until) =
          (min(marks[index].from, mark.from), max(marks[index].until, mark.until))
      } else {
        marks.append(mark)
      }
    }
  }
}

extension Timeline.Interval {
  /// An interval without events after `last`, with its levels.
  init(levelsOf last: Timeline.Interval?) {
    self.init()
    backlog = last?.backlog ?? 0
    active = last?.active ?? 0
    moving = last?.moving ?? 0
    inFlight = last?.inFlight ?? 0
  }

  package mutating func add(_ other: Timeline.Interval) {
    created += other.created
    delivered += other.delivered
    uploads += other.uploads
    failed += other.failed
    bytes += other.bytes
    backlog += other.backlog
    active += other.active
    moving += other.moving
    inFlight += other.inFlight
    uploadDuration.add(other.uploadDuration)
    deliveryLatency.add(other.deliveryLatency)
  }
}
