import Base
package import JSON
import Oracle

extension RunSummary {
  /// Reads the JSON that `json` writes.
  package init(_ json: JSONValue) throws(SummaryError) {
    let node = SummaryNode(value: json, path: "summary")
    guard node.value["format"] == .string("rollingroad-summary") else { throw SummaryError("not a run summary") }
    let version = try node.member("version").count()
    guard version == RunSummary.version else {
      throw SummaryError("a summary of version \(version); this version reads \(RunSummary.version)")
    }
    let seed = try node.member("seed").text()
    guard seed.hasPrefix("0x"), let seed = UInt64(seed.dropFirst(2), radix: 16) else {
      throw SummaryError("summary.seed: '\(seed)' is not a seed")
    }
    let start = try node.member("start").instant()
    let scenario = try node.member("scenario")
    self.init(
      scenario: try scenario.member("name").text(), scenarioHash: try scenario.member("hash").text(), seed: seed,
      mode: try node.member("mode").text(), shard: try node.optional("shard")?.text(),
      product: try node.member("product").text(), start: start, duration: try node.member("durationSeconds").span(),
      settle: try node.member("settleSeconds").span(), fleets: try Fleet.list(node.member("fleets")),
      ended: try node.member("endedAtSeconds").span(), hash: try node.member("hash").text(),
      timeline: try Timeline(node.member("timeline")))
    ending = try node.member("ending").choice()
    events = try node.member("events").count()
    requests = try node.member("requests").count()
    drained = try node.optional("drainedSeconds")?.span()
    for part in try node.optional("missing")?.elements() ?? [] {
      missing.append(MissingShard(shard: try part.member("shard").text(), reason: try part.member("reason").text()))
    }
    try readServer(node)
    if let node = node.optional("groups") { groups = try SampleGroups(node) }
    let sums = try node.member("ledger")
    // Some are unknown in a run, others in older versions.
    for part in LedgerSums.parts { ledger[keyPath: part.path] = try sums.optional(part.name)?.count() ?? 0 }
    try readVerdicts(node)
    for (name, figure) in try node.member("metrics").members() {
      metrics.append(MetricFigure(name: name, figure: try Figure(figure)))
    }
  }

  /// Reads the members that older summaries lack.
  private mutating func readServer(_ node: SummaryNode) throws(SummaryError) {
    for (word, count) in try node.optional("answers")?.members() ?? [] { answers[word] = try count.count() }
    for error in try node.optional("errors")?.elements() ?? [] { errors.append(try RequestError(error)) }
    if let node = node.optional("origin") {
      origin = RunOrigin(
        command: try node.member("command").text(), host: try node.member("host").text(),
        start: try node.member("start").instant(), end: try node.member("end").instant())
    }
    if let node = node.optional("place") {
      place = RunPlace(
        target: try node.member("target").text(), server: try node.optional("server")?.text(),
        start: try node.member("start").instant(), end: try node.member("end").instant(),
        uploadsPerSecond: try node.member("uploadsPerSecond").number(),
        factor: try node.optional("factor")?.number() ?? 1)
    }
    if let node = node.optional("verification") {
      var uncompared: [String] = []
      for field in try node.optional("uncompared")?.elements() ?? [] { uncompared.append(try field.text()) }
      verification = Verification(
        try node.member("outcome").choice(), comparesContents: try node.member("contents").flag(),
        uncompared: uncompared,
        unreadTimes: try node.optional("unreadTimes")?.count() ?? 0,
        repetitions: try node.optional("repetitions")?.count() ?? 0,
        unknownRows: try node.optional("unknownRows")?.count() ?? 0,
        rowsElsewhere: try node.optional("rowsElsewhere")?.count() ?? 0,
        lateRecords: try node.optional("lateRecords")?.count() ?? 0,
        reason: try node.optional("reason")?.text())
    }
    serverCounts = try node.optional("serverCounts").map { (node) throws(SummaryError) in try ServerCounts(node) }
    for finding in try node.optional("findings")?.elements() ?? [] {
      var details: [String] = []
      for line in try finding.member("details").elements() { details.append(try line.text()) }
      findings.append(
        ServerFinding(
          try finding.member("name").text(), try finding.member("text").text(), details: details,
          isViolation: try finding.member("isViolation").flag()))
    }
    for clause in try node.optional("clauses")?.elements() ?? [] {
      clauses.append(
        ClauseVerdict(
          number: try clause.member("number").count(), rule: try clause.member("rule").text(),
          outcome: try clause.member("outcome").choice(), judged: try clause.member("judged").count(),
          broken: try clause.member("broken").count(), detail: try clause.optional("detail")?.text(),
          remedy: try clause.optional("remedy")?.text()))
    }
  }

  private mutating func readVerdicts(_ node: SummaryNode) throws(SummaryError) {
    for check in try node.member("checks").elements() {
      checks.append(
        CheckResult(
          name: try check.member("name").text(), held: try check.member("held").count(),
          failed: try check.member("failed").count()))
    }
    for threshold in try node.member("thresholds").elements() {
      thresholds.append(
        ThresholdVerdict(
          selection: try threshold.member("metric").text(), expression: try threshold.member("threshold").text(),
          value: try threshold.optional("value")?.number(), outcome: try threshold.member("outcome").choice(),
          invalidates: try threshold.member("invalidates").flag(),
          endedTheRun: try threshold.member("endedTheRun").flag(), stretch: try threshold.optional("stretch")?.number(),
          reason: try threshold.optional("reason")?.text()))
    }
    for invariant in try node.member("invariants").elements() {
      invariants.append(
        InvariantVerdict(
          name: try invariant.member("name").text(), outcome: try invariant.member("outcome").choice(),
          violations: try invariant.member("violations").count(),
          exercised: try invariant.optional("exercised")?.count() ?? 0, reason: try invariant.optional("reason")?.text()
        ))
    }
    violations = try ViolationStory.list(node.member("violations"))
    replay = try node.optional("replay")?.text()
    remarks = try ViolationStory.list(node.member("remarks"))
    for note in try node.member("notes").elements() { notes.append(try note.text()) }
    for goal in try node.member("coverage").elements() {
      coverage.append(CoverageCount(goal: try goal.member("goal").text(), seen: try goal.member("seen").count()))
    }
  }
}

extension RunSummary.Fleet {
  fileprivate static func list(_ node: SummaryNode) throws(SummaryError) -> [RunSummary.Fleet] {
    var fleets: [RunSummary.Fleet] = []
    for fleet in try node.elements() {
      fleets.append(
        RunSummary.Fleet(
          name: try fleet.member("name").text(), devices: try fleet.member("devices").count(),
          hash: try fleet.member("hash").text()))
    }
    return fleets
  }
}

extension ViolationStory {
  fileprivate static func list(_ node: SummaryNode) throws(SummaryError) -> [ViolationStory] {
    var stories: [ViolationStory] = []
    for violation in try node.elements() {
      var story: [String] = []
      for sentence in try violation.member("story").elements() { story.append(try sentence.text()) }
      stories.append(
        ViolationStory(
          invariant: try violation.member("invariant").text(), device: try violation.member("device").text(),
          uuid: try violation.optional("uuid")?.text(), story: story))
    }
    return stories
  }
}

extension SummaryNode {
  /// Returns a span that is given in seconds.
  func span() throws(SummaryError) -> Nanoseconds {
    if case .integer(let seconds) = value, seconds.magnitude < 9_000_000_000 { return .seconds(seconds) }
    let nanoseconds = (try number() * 1e9).rounded()
    guard nanoseconds.magnitude < 9e18 else { throw SummaryError("\(path): not a duration") }
    return Nanoseconds(Int64(nanoseconds))
  }
}

extension Figure {
  fileprivate init(_ node: SummaryNode) throws(SummaryError) {
    switch try node.member("kind").text() {
    case "counter": self = .counter(try node.member("count").count())
    case "rate": self = .rate(hits: try node.member("hits").count(), of: try node.member("of").count())
    case "gauge":
      let resolution = try node.optional("resolution")?.resolution() ?? 1
      self = .gauge(LevelSeries(levels: try node.member("levels").counts(), resolution: resolution))
    case "trend":
      let text = try node.member("histogram").text()
      guard let bytes = Hexadecimal.bytes(text) else {
        throw SummaryError("\(node.path).histogram: not hexadecimal bytes")
      }
      let histogram: Histogram
      do throws(HistogramError) { histogram = try Histogram(serialized: bytes.span) } catch {
        throw SummaryError("\(node.path).histogram: \(error)")
      }
      self = .trend(Spread(histogram: histogram, resolution: try node.member("resolution").resolution()))
    case let kind: throw SummaryError("\(node.path).kind: unknown kind '\(kind)'")
    }
  }
}

extension Timeline {
  fileprivate init(_ node: SummaryNode) throws(SummaryError) {
    let width = try node.member("widthSeconds").span()
    guard width > .zero else { throw SummaryError("\(node.path).widthSeconds: not above 0") }
    self.init(width: width)
    for column in Interval.columns {
      // Summaries of older versions lack some of them.
      guard let counts = try node.optional(column.name)?.counts() else { continue }
      if intervals.isEmpty { intervals = Array(repeating: Interval(), count: counts.count) }
      guard counts.count == intervals.count else { throw SummaryError("\(node.path).\(column.name): length differs") }
      for (index, count) in counts.enumerated() { intervals[index][keyPath: column.path] = count }
    }
    for column in Interval.spreads {
      let spreads = try node.member(column.name).elements()
      guard spreads.count == intervals.count else { throw SummaryError("\(node.path).\(column.name): length differs") }
      for (index, spread) in spreads.enumerated() {
        let counts = try spread.counts()
        guard counts.count <= StepSpread.coarse.slotsMax else { throw SummaryError("\(spread.path): too many steps") }
        intervals[index][keyPath: column.path] = StepSpread(bits: StepSpread.coarse.bits, counts: counts)
      }
    }
    for mark in try node.member("marks").elements() {
      marks.append(
        Mark(
          name: try mark.member("name").text(), from: try mark.member("fromSeconds").span(),
          until: try mark.member("untilSeconds").span()))
    }
  }
}

extension RunSummary {
  /// Reads the summary in a folder of `--out`, or a summary file; `readFile` returns nil for an unreadable file.
  package static func read(_ place: String, _ readFile: (String) -> [UInt8]?) throws(SummaryError) -> RunSummary {
    guard let bytes = readFile(place + "/summary.json") ?? readFile(place) else {
      throw SummaryError("\(place): neither a folder with summary.json nor a summary; did its run end?")
    }
    let json: JSONValue
    do throws(JSONError) { json = try JSONValue(parsing: bytes.span) } catch {
      throw SummaryError("\(place): invalid JSON: \(error)")
    }
    do throws(SummaryError) { return try RunSummary(json) } catch { throw SummaryError("\(place): \(error.message)") }
  }
}

/// Why a file is not a summary of a run.
package struct SummaryError: Error, Equatable, Sendable {
  package let message: String

  package init(_ message: String) { self.message = message }
}

/// A node of a summary that is being read; errors contain its path.
struct SummaryNode {
  let value: JSONValue
  let path: String

  func member(_ key: String) throws(SummaryError) -> SummaryNode {
    guard let member = value[key] else { throw SummaryError("\(path): '\(key)' is missing") }
    return SummaryNode(value: member, path: "\(path).\(key)")
  }

  /// Returns nil for null and for a missing key.
  func optional(_ key: String) -> SummaryNode? {
    guard let member = value[key], member != .null else { return nil }
    return SummaryNode(value: member, path: "\(path).\(key)")
  }

  func text() throws(SummaryError) -> String {
    guard case .string(let text) = value else { throw SummaryError("\(path): not a text") }
    return text
  }

  func instant() throws(SummaryError) -> WallInstant {
    let text = try text()
    guard let instant = WallInstant(iso8601: text.utf8.span) else {
      throw SummaryError("\(path): '\(text)' is not a date")
    }
    return instant
  }

  func number() throws(SummaryError) -> Double {
    switch value {
    case .integer(let number): return Double(number)
    case .double(let number): return number
    default: throw SummaryError("\(path): not a number")
    }
  }

  func count() throws(SummaryError) -> Int {
    guard case .integer(let number) = value else { throw SummaryError("\(path): not a whole number") }
    guard number.magnitude <= Self.countMax else { throw SummaryError("\(path): more than a run counts") }
    return Int(number)
  }

  /// The largest count that is read: sums of such counts do not overflow.
  private static let countMax: UInt64 = 1_000_000_000_000_000

  /// Returns an instant of a run, or a span, given in nanoseconds.
  func nanoseconds() throws(SummaryError) -> Int64 {
    guard case .integer(let number) = value, number.magnitude < Self.nanosecondsMax else {
      throw SummaryError("\(path): not a number of nanoseconds")
    }
    return number
  }

  private static let nanosecondsMax: UInt64 = 4_000_000_000_000_000_000

  /// Returns the units in one unit of a metric.
  func resolution() throws(SummaryError) -> Double {
    let resolution = try number()
    guard (1...1e9).contains(resolution) else { throw SummaryError("\(path): not from 1 to 1000000000") }
    return resolution
  }

  func flag() throws(SummaryError) -> Bool {
    guard case .bool(let flag) = value else { throw SummaryError("\(path): neither true nor false") }
    return flag
  }

  func elements() throws(SummaryError) -> [SummaryNode] {
    guard case .array(let elements) = value else { throw SummaryError("\(path): not a list") }
    return elements.enumerated().map { SummaryNode(value: $0.element, path: "\(path)[\($0.offset)]") }
  }

  func members() throws(SummaryError) -> [(key: String, node: SummaryNode)] {
    guard case .object(let object) = value else { throw SummaryError("\(path): not an object") }
    return object.members.map { ($0.key, SummaryNode(value: $0.value, path: "\(path).\($0.key)")) }
  }

  func counts() throws(SummaryError) -> [Int] {
    var counts: [Int] = []
    for element in try elements() { counts.append(try element.count()) }
    return counts
  }

  func choice<Choice: RawRepresentable<String>>(_ type: Choice.Type = Choice.self) throws(SummaryError) -> Choice {
    let text = try text()
    guard let choice = Choice(rawValue: text) else { throw SummaryError("\(path): unknown value '\(text)'") }
    return choice
  }
}
