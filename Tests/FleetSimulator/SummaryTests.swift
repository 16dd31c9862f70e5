import Base
import JSON
import Oracle
import Scenario
import Testing

@testable import FleetSimulator

@Suite struct SummaryTests {
  static func histogram(_ values: UInt64...) -> Histogram {
    var histogram = Histogram(highestTrackableValue: 1_000_000)
    for value in values { histogram.record(value) }
    return histogram
  }

  static var everything: RunSummary {
    var timeline = Timeline(span: .seconds(3_600))
    var interval = Timeline.Interval()
    (interval.created, interval.backlog) = (7, 3)
    interval.uploadDuration.record(milliseconds: 120)
    timeline.intervals = [interval, Timeline.Interval()]
    timeline.marks = [.init(name: "tunnel", from: .seconds(5), until: .milliseconds(9_500))]
    var summary = RunSummary(
      scenario: "a \"quoted\" name", scenarioHash: "ab", seed: .max, mode: "virtual", shard: "1/4", product: "0.1.0",
      start: WallInstant(millisecondsSince1970: 1_772_445_600_123), duration: .seconds(3_600),
      settle: .milliseconds(1_500), fleets: [.init(name: "cars", devices: 3, hash: "0f")],
      ended: .milliseconds(3_601_500),
      hash: "00ff", timeline: timeline)
    summary.ending = .threshold
    (summary.events, summary.requests, summary.drained) = (10, 9, .milliseconds(250))
    (summary.ledger.created, summary.ledger.stored, summary.ledger.lost) = (12, 11, 1)
    summary.metrics = [
      .init(name: "uploads", figure: .counter(9)), .init(name: "upload_failed", figure: .rate(hits: 1, of: 9)),
      .init(name: "devices_active", figure: .gauge(LevelSeries(levels: [1, 3, 2]))),
      .init(name: "generator_cpu", figure: .gauge(LevelSeries(levels: [250, 1_500], resolution: 1_000))),
      .init(
        name: "upload_duration{network:lte}",
        figure: .trend(Spread(histogram: histogram(10, 200, 3_000), resolution: 1_000))),
    ]
    summary.errors = [
      RequestError(
        purpose: "records", kind: "status 404", message: "no \"path\"", fleet: "cars", count: 3, first: .seconds(2),
        last: .milliseconds(2_500),
        sample: .init(device: "cars-1", request: "POST http://a.example/up", records: 2, body: "{}\n"))
    ]
    summary.origin = RunOrigin(
      command: "rollingroad simulate x", host: "a, Linux 6.1, 2 processors", start: summary.start,
      end: summary.start.advanced(byMilliseconds: 10))
    summary.checks = [.init(name: "accepted", held: 8, failed: 1)]
    summary.thresholds = [
      .init(selection: "uploads", expression: "count>10", value: 9, outcome: .failed, endedTheRun: true),
      .init(selection: "drain_time", expression: "max<1", value: nil, outcome: .notMeasured, invalidates: true),
      .init(selection: "queue_depth", expression: "max<1", value: 3, outcome: .notJudged, stretch: 60, reason: "fast"),
    ]
    summary.invariants = [
      .init(name: "I1-conservation", outcome: .violated, violations: 2),
      .init(name: "I18-geofence", outcome: .notJudged, reason: "no geofences"),
    ]
    summary.violations = [
      .init(invariant: "I3", device: "cars-1", uuid: nil, story: ["made", "gone"])
    ]
    summary.remarks = [.init(invariant: "I3", device: "cars-2", uuid: "u", story: [])]
    summary.notes = ["nobody was \"asked\""]
    summary.coverage = [.init(goal: "401-mid-flush", seen: 0)]
    return summary
  }

  @Test func aWrittenValueIsReadBack() throws {
    let summary = Self.everything
    let text = summary.json.pretty
    #expect(try RunSummary(JSONValue(parsing: Array(text.utf8).span)) == summary)
    #expect(summary.json["metrics"]?["upload_duration{network:lte}"]?["max"] == .double(3))
  }

  @Test func aSummaryOfAnotherVersionIsRefused() throws {
    guard case .object(var object) = Self.everything.json else { throw SummaryError("no object") }
    object["version"] = .integer(2)
    #expect(throws: SummaryError("a summary of version 2; this version reads 1")) {
      try RunSummary(.object(object))
    }
    object["version"] = .integer(1)
    object["hash"] = nil
    #expect(throws: SummaryError("summary: 'hash' is missing")) { try RunSummary(.object(object)) }
    #expect(throws: SummaryError("not a run summary")) { try RunSummary(.null) }
  }

  @Test func figuresOfPartsAddUp() throws {
    var trend = Figure.trend(Spread(histogram: Self.histogram(1, 2), resolution: 1))
    try trend.add(.trend(Spread(histogram: Self.histogram(3), resolution: 1)))
    #expect(trend == .trend(Spread(histogram: Self.histogram(1, 2, 3), resolution: 1)))
    var gauge = Figure.gauge(LevelSeries(levels: [1, 4]))
    try gauge.add(.gauge(LevelSeries(levels: [2, 1, 0])))
    #expect(gauge == .gauge(LevelSeries(levels: [3, 5, 4])))
    #expect(gauge.value(.maximum, seconds: 1) == 5)
    #expect(throws: MergeError.self) { try gauge.add(.counter(1)) }
  }

  @Test func errorsOfPartsAddUpByName() throws {
    var (first, second) = (Self.everything, Self.everything)
    (first.shard, second.shard) = ("0/2", "1/2")
    (first.hash, first.fleets[0].hash) = (TraceHash().text, TraceHash().text)
    (second.hash, second.fleets[0].hash) = (TraceHash().text, TraceHash().text)
    // Their thresholds are about figures that they do not have.
    (first.thresholds, second.thresholds) = ([], [])
    second.errors[0].first = .seconds(1)
    second.errors[0].last = .seconds(9)
    second.errors[0].sample.device = "cars-0"
    var other = second.errors[0]
    (other.message, other.count) = ("gone", 40)
    second.errors.append(other)
    let whole = try RunSummary.whole(of: [first, second])
    #expect(whole.errors.map(\.count) == [40, 6] && whole.errors.map(\.message) == ["gone", "no \"path\""])
    #expect(whole.errors[1].first == .seconds(1) && whole.errors[1].last == .seconds(9))
    #expect(whole.errors[1].sample.device == "cars-0", "the sample is the first of all")
  }

  @Test func theLowestPercentileIsTheMinimum() {
    var histogram = Histogram(highestTrackableValue: 1_000_000)
    for value: UInt64 in [43_425, 43_800, 90_001] { histogram.record(value) }
    let spread = Spread(histogram: histogram, resolution: 1_000)
    #expect(spread.percentile(0) == 43.425 && spread.value(.percentile(0)) == spread.value(.minimum))
  }

  @Test func coarseSpreadsAreRightWithinAnEighth() {
    for milliseconds in [0.001, 0.007, 0.5, 3, 47, 812, 60_000, 86_400_000] {
      var spread = StepSpread.coarse
      spread.record(milliseconds: milliseconds)
      let middle = spread.percentile(50) ?? 0
      #expect((middle - milliseconds).magnitude <= milliseconds / 8, "\(milliseconds): \(middle)")
    }
  }

  /// Half a second of the machine is half a minute of devices that live sixty times as fast.
  @Test(arguments: [(500_000, true), (100_000, false)] as [(UInt64, Bool)])
  func aLateSimulatorBlamesNoPhone(microseconds: UInt64, isUnjudged: Bool) {
    var summary = Self.everything
    summary.mode = "accelerated"
    summary.place = RunPlace(
      // Long after the drives: its store needed an hour to say what it has.
      target: "http://a.example", start: summary.start, end: summary.start.advanced(byMilliseconds: 3_600_000),
      factor: 60)
    summary.metrics.append(
      .init(
        name: "generator_lag", figure: .trend(Spread(histogram: Self.histogram(microseconds), resolution: 1_000))))
    summary.invariants = [
      .init(name: "I27-recording", outcome: .violated, violations: 1),
      .init(name: "I3-acked-is-durable", outcome: .violated, violations: 1),
    ]
    summary.violations = [
      .init(invariant: "I27-recording", device: "cars-1", uuid: nil, story: []),
      .init(invariant: "I3-acked-is-durable", device: "cars-1", uuid: nil, story: []),
    ]
    summary.leaveLateUnjudged()
    #expect(summary.invariants.map(\.outcome) == [isUnjudged ? .notJudged : .violated, .violated])
    #expect(summary.violations.map(\.invariant).contains("I27-recording") == !isUnjudged)
    #expect(summary.result == .violated, "a lost record is one in any case")
    summary.invariants.removeLast()
    summary.violations.removeAll { $0.invariant == "I3-acked-is-durable" }
    (summary.ledger.stored, summary.ledger.lost) = (12, 0)
    #expect(summary.result == (isUnjudged ? .invalid : .violated))
  }

  @Test func theFirstReasonDecidesTheResult() {
    var summary = Self.everything
    #expect(summary.result == .violated)
    summary.violations = []
    summary.invariants = []
    summary.ledger.stored = 12
    summary.ledger.lost = 0
    #expect(summary.result == .failed)
    summary.thresholds[1].outcome = .failed
    #expect(summary.result == .invalid)
    summary.ending = .signal
    #expect(summary.result == .stopped)
    summary.ending = .completed
    summary.thresholds = []
    #expect(summary.result == .failed, "a check that an answer does not meet")
    summary.checks = []
    #expect(summary.result == .uncovered)
    summary.coverage[0].seen = 1
    #expect(summary.result == .passed)
  }

  /// A check holds for every answer, unless a threshold says for how many.
  @Test(arguments: [
    ("checks", true), ("checks{check:quick}", true), ("checks{ check : quick }", true), ("checks{check:quick2}", false),
    ("checks{check:other}", false), ("checks{fleet:cars}", false), ("checks{phase:settle}", false),
    ("checks{check:quick,phase:settle}", false), ("uploads", false),
  ])
  func aCheckIsMissedUnlessAThresholdIsAboutIt(selection: String, isJudged: Bool) {
    var summary = Self.everything
    summary.checks = [CheckResult(name: "quick", held: 3, failed: 1), CheckResult(name: "met", held: 4, failed: 0)]
    summary.thresholds = [ThresholdVerdict(selection: selection, expression: "rate>0.5", value: 0.75, outcome: .passed)]
    #expect(summary.missedChecks.map(\.name) == (isJudged ? [] : ["quick"]))
  }
}
