import Base
import Oracle
import Queue
import Scenario
import Store
import Testing
import Upload
import Vocabulary

@testable import FleetSimulator

/// What is measured of a run, and what its thresholds make of it.
@Suite struct MeasuresTests {
  /// Three cars and two walkers for twelve minutes; `more` is what the scenario has besides.
  private static func scenario(_ more: String) throws -> Scenario {
    let text = """
      { version: 1, name: "measured", seed: 9,
        clock: { mode: "virtual", start: "2026-03-02T10:00:00Z", duration: "12m", settle: "5m" },
        fleets: { cars: { devices: 3, motion: "driving", network: "lte" },
                  walkers: { devices: 2, motion: "walking", network: "wifi" } },
        \(more) }
      """
    let result = try ScenarioReader(overrides: [], variable: { _ in nil }).read(text)
    return result.scenario
  }

  private func summary(
    _ scenario: Scenario, of shard: Shard? = nil, watchers: [any Watcher] = []
  ) throws -> RunSummary {
    var setup = try RunSetup(scenario)
    if let shard { setup = setup.part(shard) }
    let measures = try Measures(scenario, setup)
    let store = try SQLiteStore(StoreConfiguration(folder: ":memory:"))
    let report = try FleetRun(setup, store: store, watchers: [measures] + watchers).run()
    return measures.summary(of: report, hash: "", product: "test")
  }

  private func scenario(_ more: String) throws -> Scenario { try Self.scenario(more) }

  private static let plain = Result { try Runs.run(RunSetup(scenario(""))) }

  /// Counts for itself.
  private final class Tally: Watcher {
    var (created, sent, withoutSuccess) = (0, 0, 0)
    var bytes: UInt128 = 0

    func see(_ event: SimulationEvent, _ context: EventContext) {
      switch event {
      case .queue(.inserted): created += 1
      case .sent(let request):
        sent += 1
        bytes += UInt128(request.body.count)
      case .ended(_, let outcome): withoutSuccess += (200..<300).contains(outcome.status) ? 0 : 1
      default: break
      }
    }
  }

  @Test func measuresBearTheNamesOfTheirMetrics() {
    #expect(Measure.allCases.count == Metric.all.count)
    for measure in Measure.allCases {
      let snake = "\(measure)".flatMap { $0.isUppercase ? "_" + $0.lowercased() : String($0) }
      let plain = String(snake).filter { $0 != "_" }
      #expect(plain == measure.metric.name.filter { $0 != "_" })
    }
  }

  @Test func figuresEqualAnIndependentCount() throws {
    let tally = Tally()
    let summary = try summary(scenario(""), watchers: [tally])
    #expect(tally.created > 100 && tally.sent > 50)
    #expect(summary.figure("records_created") == .counter(tally.created))
    #expect(summary.figure("records_delivered") == .counter(summary.ledger.stored))
    #expect(summary.figure("uploads") == .counter(tally.sent))
    #expect(summary.figure("upload_failed") == .rate(hits: tally.withoutSuccess, of: tally.sent))
    guard case .rate(let reused, of: tally.sent)? = summary.figure("connection_reuse") else {
      throw SummaryError("no connections")
    }
    #expect(summary.figure("connects") == .counter(tally.sent - reused) && reused > 10 && reused < tally.sent)
    #expect(summary.figure("tls_handshakes") == nil && summary.figure("remote_commands_applied") == .counter(0))
    guard case .trend(let sizes)? = summary.figure("upload_bytes") else { throw SummaryError("no sizes") }
    #expect(sizes.histogram.sum == tally.bytes)
    #expect(summary.timeline.intervals.reduce(0) { $0 + $1.created } == tally.created)
    #expect(summary.timeline.intervals.last?.backlog == 0)
    #expect(summary.result == .passed)
  }

  @Test func thresholdsAreExactAtTheirBorders() throws {
    let count = try Self.plain.get().sums.created
    let thresholds = """
      thresholds: { records_created: ["count==\(count)", "count<\(count)", "count<=\(count)", "count>\(count)",
        "count>=\(count)", "count!=\(count)"], "drain_time": ["max<1"], "checks{check:ok}": ["rate==1"],
        "records_created{fleet:cars}": ["count<\(count)"] }, checks: { ok: "response.status in [200]" }
      """
    let summary = try summary(scenario(thresholds))
    #expect(
      summary.thresholds.map(\.outcome) == [
        .passed, .failed, .passed, .failed, .passed, .failed, .notMeasured, .passed, .passed,
      ])
    #expect(summary.thresholds[0].value == Double(count))
    #expect(summary.result == .failed)
    #expect(summary.checks.count == 1 && summary.checks[0].failed == 0 && summary.checks[0].held > 50)
  }

  @Test func aMissedThresholdEndsTheRunAndNothingIsLost() throws {
    let now = "{ threshold: 'count<20', abortOnFail: true }"
    let early = try summary(scenario("thresholds: { records_created: [\(now)] }"))
    #expect(early.ending == .threshold && early.ended < .seconds(12 * 60))
    #expect(early.thresholds[0].endedTheRun && early.result == .failed)
    #expect(early.ledger.created >= 20 && early.ledger.stored == early.ledger.created)
    let late = "{ threshold: 'count<20', abortOnFail: true, delayAbortEval: '6m', onFail: 'invalidate' }"
    let later = try summary(scenario("thresholds: { records_created: [\(late)] }"))
    #expect(later.ending == .threshold && later.result == .invalid)
    #expect(later.ended > early.ended && later.ended >= .seconds(6 * 60))
  }

  /// A refresh that is refused is told from one without an answer.
  @Test func refreshesBearTheirStatus() throws {
    let scenario = try scenario(
      """
      target: { auth: { strategy: "jwt", identity: "keycloak" } },
      faults: [{ name: "dead", at: "3m", auth: { revokeAllTokens: true } }],
      thresholds: { "auth_refresh_failures{status:400}": ["count>0"], "auth_refresh_failures{status:503}": ["count==0"] }
      """)
    let thresholds = try summary(scenario).thresholds
    #expect(thresholds.allSatisfy { $0.outcome == .passed } && thresholds.count == 2, "\(thresholds)")
  }

  @Test func figuresOfShardsAddUpToThoseOfTheWhole() throws {
    let scenario = try scenario("thresholds: { 'upload_duration{network:lte}': ['max<1000000'] }")
    let whole = try summary(scenario)
    var sum = try summary(scenario, of: Shard(index: 0, count: 2))
    let other = try summary(scenario, of: Shard(index: 1, count: 2))
    for metric in other.metrics {
      if let index = sum.metrics.firstIndex(where: { $0.name == metric.name }) {
        try sum.metrics[index].figure.add(metric.figure)
      } else {
        sum.metrics.append(metric)
      }
    }
    try sum.timeline.add(other.timeline)
    for metric in whole.metrics {
      let parts = sum.metrics.first { $0.name == metric.name }?.figure
      guard case .gauge = metric.figure else {
        #expect(parts == metric.figure, "\(metric.name)")
        continue
      }
      #expect(parts?.value(.maximum, seconds: 1) == metric.figure.value(.maximum, seconds: 1), "\(metric.name)")
    }
    #expect(sum.timeline.intervals.map(\.created) == whole.timeline.intervals.map(\.created))
    #expect(sum.timeline.intervals.map(\.deliveryLatency) == whole.timeline.intervals.map(\.deliveryLatency))
  }

  @Test func samplesDelayedByAFaultHaveItsTag() throws {
    let more = """
      faults: [{ name: "dark", at: "4m", for: "3m", select: { fleet: "cars" }, network: "none" }],
      thresholds: { "record_delivery_latency{fault:dark}": ["max>60000"], "upload_duration{fault:dark}": ["count>0"],
        "record_delivery_latency{fleet:walkers,fault:dark}": ["count==0"], drain_time: ["count==3"] }
      """
    let summary = try summary(scenario(more))
    #expect(summary.thresholds.map(\.outcome) == [.passed, .passed, .passed, .passed], "\(summary.thresholds)")
    #expect(summary.timeline.marks.first == .init(name: "dark", from: .seconds(240), until: .seconds(420)))
    // The queues are empty when the drives end: no settle phase is left to mark.
    #expect(summary.timeline.marks.map(\.name) == ["dark"])
  }

  /// Nothing is delivered before the end of the drives: what happens then is told only to who asks for it.
  @Test func theSettlePhaseStandsApart() throws {
    let more = """
      faults: [{ name: "dark", at: "1s", for: "1h", network: "none" }],
      thresholds: { upload_duration: ["count==0"], "upload_duration{phase:settle}": ["count>0"],
        "upload_duration{phase:drive}": ["count==0"], records_delivered: ["count>0"], "uploads{fleet:cars}": ["count>0"] }
      """
    let summary = try summary(scenario(more))
    #expect(
      summary.thresholds.map(\.outcome) == [.passed, .passed, .passed, .passed, .passed],
      "\(summary.thresholds)")
    #expect(summary.timeline.marks.last?.name == Timeline.settling)
  }

  /// No upload of the drives has an answer; those of the settle phase decide nothing unless a threshold asks for them.
  @Test func checksOfTheSettlePhaseDecideNothing() throws {
    let faults =
      #"faults: [{ name: "dark", at: "1s", for: "1h", network: "none" }], checks: { never: "response.status == 999" }"#
    let plain = try summary(scenario(faults))
    #expect(plain.answers["status 200"] ?? 0 > 0 && plain.result == .passed, "\(plain.checks)")
    #expect(plain.checks == [CheckResult(name: "never", held: 0, failed: 0)])
    let asked = try summary(scenario(faults + #", thresholds: { "checks{phase:settle}": ["rate==1"] }"#))
    #expect(asked.thresholds.map(\.outcome) == [.failed] && asked.result == .failed)
  }

  /// The token expires, is refreshed, and the upload is taken: nothing for a check. Without a refresh it is an answer like others.
  @Test(arguments: [true, false])
  func theOrdinaryEndOfATokenIsHeldAgainstNoCheck(isRefreshed: Bool) throws {
    let refresh = isRefreshed ? "" : ", refreshStatus: 401"
    let summary = try summary(
      scenario(
        """
        target: { auth: { strategy: "jwt", accessTokenTtl: "1h" } },
        faults: [{ name: "purge", at: "6m", for: "1m", auth: { expireAllAccessTokens: true\(refresh) } }],
        checks: { accepted: "response.status in [200, 201, 204]" },
        """))
    #expect((summary.answers["status 401"] ?? 0) > 0)
    #expect(summary.checks[0].held > 0 && (summary.checks[0].failed == 0) == isRefreshed, "\(summary.checks)")
  }

  /// Those of registrations and refreshes among them.
  @Test func everyConnectionIsCounted() throws {
    final class Opened: Watcher {
      var count = 0

      func see(_ event: SimulationEvent, _ context: EventContext) {
        if case .connected(_, isNew: true) = event { count += 1 }
      }
    }
    let opened = Opened()
    let summary = try summary(scenario(#"target: { auth: { strategy: "jwt" } },"#), watchers: [opened])
    #expect(opened.count >= 5 && summary.figure("connects") == .counter(opened.count), "\(opened.count)")
    guard case .rate(_, of: let asked)? = summary.figure("connection_reuse") else { throw SummaryError("no uploads") }
    #expect(summary.figure("uploads") == .counter(asked))
  }

  @Test func aThresholdThatCannotBeMeasuredIsRefused() throws {
    let scenario = try scenario(
      """
      thresholds: { time_to_visible: ["max<1"], tls_handshakes: ["count==0"], generator_cpu: ["value<1"], generator_lag: ["max<1"],
        "uploads{device:cars-9}": ["count>0"],
        "records_lost{fleet:cars}": ["count==0"], "uploads{device:cars-2,status:200,trigger:insert,batch:false}": ["count>0"] }
      """)
    let error = try #require(throws: UnsupportedScenarioError.self) { try RunSetup(scenario) }
    #expect(
      error.problems.map { "\($0.path): \($0.message)" } == [
        "thresholds.time_to_visible: the server in virtual time commits before it answers, so that what is "
          + "acknowledged is visible",
        "thresholds.tls_handshakes: links in virtual time carry no TLS",
        "thresholds.generator_cpu: not measured in virtual time",
        "thresholds.generator_lag: not measured in virtual time",
        "thresholds.uploads{device:cars-9}: 'cars-9' is not a device of this run",
        "thresholds.records_lost{fleet:cars}: records_lost is measured for the whole run only",
      ])
    #expect("\(error)" == error.problems.map(\.description).joined(separator: "; "))
  }

  /// A load for each interval; the moment between the border of the last one and the end of the run is no load of its own.
  @Test func theProcessorLoadHasOneLevelForEachInterval() {
    var (now, worked) = (MonotonicInstant(nanoseconds: 0), Nanoseconds.zero)
    var gauge = ProcessorGauge({ worked }, now: { now })
    func pass(_ milliseconds: Int64, working: Int64) {
      now = now + .milliseconds(milliseconds)
      worked = worked + .milliseconds(working)
    }
    pass(1_000, working: 10)
    gauge.look(intervals: 1)
    pass(2_400, working: 48)
    gauge.look(intervals: 3)
    pass(100, working: 100)
    gauge.look(intervals: 4)
    pass(900, working: 0)
    gauge.look(intervals: 5)
    pass(3, working: 2)
    gauge.look(intervals: 6, isAtEnd: true)
    #expect(gauge.series.levels == [10, 20, 20, 100, 100, 100])
  }

  @Test func anyTriggerMayBeATag() throws {
    for trigger in FlushTrigger.allCases {
      let scenario = try scenario("thresholds: { 'uploads{trigger:\(trigger)}': ['count>=0'] }")
      let selections = try Measures(scenario, RunSetup(scenario)).table.selections
      #expect(selections.map(\.filter.trigger) == [trigger])
    }
  }

  /// Also in JavaScript and jq, whose numbers are doubles: those of registrations are the highest.
  @Test func numbersOfRequestsInTheEventLogAreExact() throws {
    let setup = try RunSetup(scenario(#"target: { auth: { strategy: "jwt" } }"#))
    var events: [UInt8] = []
    let log = EventLog(setup, share: 1) { events += $0 }
    _ = try FleetRun(setup, store: Runs.store(), watchers: [log]).run()
    log.finish()
    let numbers = String(decoding: events, as: UTF8.self).matches(of: /"request":(\d+)/).compactMap { UInt64($0.1) }
    #expect(numbers.count > 100 && Set(numbers).count > 5 && numbers.allSatisfy { $0 < 1 << 53 })
  }

  @Test func logsAndEventsChangeNothing() throws {
    let scenario = try scenario("")
    var setup = try RunSetup(scenario)
    let store = { try SQLiteStore(StoreConfiguration(folder: ":memory:")) }
    let plain = try Self.plain.get()
    setup.logged = ["cars-1"]
    var (events, logs): ([UInt8], [String: [UInt8]]) = ([], [:])
    let eventLog = EventLog(setup, share: 1) { events += $0 }
    let deviceLogs = DeviceLogs(setup) { device, piece in logs[device, default: []] += piece }
    let watched = try FleetRun(setup, store: store(), watchers: [eventLog, deviceLogs]).run()
    eventLog.finish()
    deviceLogs.finish()
    #expect(watched.hash == plain.hash)
    #expect(logs.keys.sorted() == ["cars-1"] && String(decoding: logs["cars-1"] ?? [], as: UTF8.self).contains("HTTP"))
    let lines = String(decoding: events, as: UTF8.self).split(separator: "\n")
    #expect(lines.count { $0.contains("\"event\":\"created\"") } == plain.sums.created)
    #expect(lines.count { $0.contains("\"event\":\"delivered\"") } == plain.sums.stored)
  }
}
