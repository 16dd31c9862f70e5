import Base
import FleetSimulator
import Oracle
import Scenario
import Store
import Testing

/// A failure is made small, and what is left is the same failure.
@Suite struct ShrinkerTests {
  private static let text = """
    {
      version: 1, name: "rush", seed: 5, clock: { duration: "20m", settle: "5m" },
      sdk: { config: { http: { batchSync: true, maxBatchSize: 50, autoSyncThreshold: 5 }, app: { stopOnTerminate: false } } },
      fleets: {
        cars: { devices: 4, lifecycle: { terminate: { perHour: 1 } } },
        bikes: { devices: 2, motion: "cycling", network: "hsdpa" },
      },
      faults: [
        { name: "tunnel", at: "3m", for: "4m", network: "none" },
        { name: "bridge", at: "12m", for: "2m", select: { fleet: "bikes" }, network: "none" },
      ],
    }
    """

  /// A plan of the whole text, and the runs of a server that drops the last record of each second batch.
  private func plan(_ invariant: String? = nil) throws -> FailurePlan {
    var plan = try Self.whole.get()
    if let invariant { plan.invariant = invariant }
    return plan
  }

  private static let whole = Result {
    let read = try ScenarioReader().read(text)
    let report = try run(RunSetup(read.scenario))
    let violation = try #require(report.violations.first { $0.uuid != nil })
    return FailurePlan(
      document: read.document.adopting(read.scenario), invariant: violation.invariantName,
      device: violation.device, instant: violation.instant, hash: report.hash.text, product: "0.0.0")
  }

  private static func run(_ setup: RunSetup, _ watchers: [any Watcher] = []) throws -> RunReport {
    try FleetRun(setup, store: LyingStore(.dropsLast(each: 2)), watchers: watchers).run()
  }

  @Test func theSmallestPlanStillFails() throws {
    let plan = try plan()
    var shrinker = Shrinker(plan, run: Self.run)
    let small = try shrinker.shrink()
    let scenario = try ScenarioReader.read(small.document).scenario
    #expect(scenario.fleets.map { $0.value.traits.members?.count } == [1])
    #expect(scenario.faults.isEmpty && scenario.clock.duration + scenario.clock.settle < .seconds(300))
    #expect(small.document.text.utf8.count < 450, "\(small.document.text)")
    let report = try Self.run(RunSetup(scenario))
    #expect(report.violations.contains { $0.invariantName == plan.invariant && $0.device == small.device })
    #expect(report.hash.text == small.hash)
    var again = Shrinker(plan, run: Self.run)
    #expect(try again.shrink() == small && again.runs == shrinker.runs)
  }

  /// Of many gaps that come by chance the one is left in which the queue grew long enough.
  @Test func aSingleTimeOfAFaultIsLeft() throws {
    func run(_ setup: RunSetup, _ watchers: [any Watcher] = []) throws -> RunReport {
      try FleetRun(setup, store: LyingStore(.dropsLastOfMany(above: 12)), watchers: watchers).run()
    }
    let read = try ScenarioReader().read(
      """
      {
        version: 1, name: "gaps", seed: 3, clock: { duration: "20m", settle: "5m" },
        sdk: { config: { http: { batchSync: true, maxBatchSize: 50 } } },
        fleets: { cars: { devices: 3, network: "wifi" } },
        faults: [{ name: "gap", rate: { perDeviceHour: 20 }, for: "70s", network: "none" }],
      }
      """)
    let report = try run(RunSetup(read.scenario))
    let violation = try #require(report.violations.first { $0.rule == .ackedIsDurable })
    let plan = FailurePlan(
      document: read.document.adopting(read.scenario), invariant: violation.invariantName, device: violation.device,
      instant: violation.instant, hash: report.hash.text, product: "0.0.0")
    var shrinker = Shrinker(plan, run: run)
    let small = try shrinker.shrink()
    let scenario = try ScenarioReader.read(small.document).scenario
    #expect(scenario.fleets.map { $0.value.traits.members?.count } == [1])
    #expect(scenario.faults.map { $0.occurrences?.count } == [1], "\(small.document.text)")
    #expect(scenario.clock.duration < .seconds(600) && shrinker.runs <= 400)
    let again = try run(RunSetup(scenario))
    #expect(again.violations.contains { $0.device == small.device && $0.instant == small.instant })
  }

  @Test func aRunCanBreakOffWhereItFails() throws {
    let plan = try plan()
    let instant = try #require(plan.instant)
    var setup = try plan.setup()
    setup.breakingInvariant = Invariant(rawValue: plan.invariant)
    let story = FailureTranscript(setup, of: plan.device)
    let report = try Self.run(setup, [story])
    #expect(report.violations[0].instant == instant && report.violations[0].device == plan.device)
    #expect(story.lines.last?.instant == instant && report.ending == .violation && report.drained == nil)
    setup.breakingInvariant = .noPhantom
    #expect(try Self.run(setup).drained != nil, "what does not come breaks nothing off")
  }

  @Test func thePatienceIsBounded() throws {
    var shrinker = Shrinker(try plan(), runsMax: 3, run: Self.run)
    let small = try shrinker.shrink()
    #expect(shrinker.runs == 4, "three attempts and the run of what is left")
    let report = try Self.run(RunSetup(ScenarioReader.read(small.document).scenario))
    #expect(report.hash.text == small.hash && !report.violations.isEmpty)
  }

  /// In the middle of a run, or at the end of one that would have been a step: what was found before is kept.
  @Test(arguments: [true, false]) func aSearchThatIsStoppedKeepsWhatItHasFound(inTheMiddle: Bool) throws {
    let (whole, stop) = (try plan(), Interruption())
    var runs = 0
    func run(_ setup: RunSetup, _ watchers: [any Watcher]) throws -> RunReport {
      runs += 1
      let isLate = runs > 3
      let limit = SearchLimit(stop) { isLate && inTheMiddle }
      let report = try FleetRun(
        setup, to: .inside(LyingStore(.dropsLast(each: 2))), interruption: stop, watchers: watchers + [limit]
      ).run()
      if isLate, report.violations.contains(where: { $0.invariantName == whole.invariant }) { stop.request() }
      return report
    }
    var shrinker = Shrinker(whole, stop: stop, run: run)
    let small = try shrinker.shrink()
    var bounded = Shrinker(whole, runsMax: runs - 1, run: Self.run)
    #expect(try bounded.shrink().document == small.document && small.document != whole.document)
    #expect(stop.isRequested && small.hash == FailurePlan.unknownHash, "no whole run was made of it")
    let last = runs
    var late = Shrinker(whole, stop: stop, run: run)
    #expect(try late.shrink() == whole && runs == last)
  }

  @Test func aPlanThatDoesNotFailIsNotShrunk() throws {
    let plan = try plan("I0-nothing")
    var shrinker = Shrinker(plan, run: Self.run)
    #expect(try shrinker.shrink() == plan && shrinker.runs == 2)
  }

  @Test func aPlanIsWrittenAndReadBack() throws {
    let plan = try plan()
    #expect(try FailurePlan(reading: Array(plan.text.utf8)) == plan)
  }

  @Test(arguments: [
    ("{", "invalid JSON: the text ends too early at byte 1"),
    ("{\"version\": 1}", "not a failure plan: the key 'plan' is missing; "),
    ("{\"plan\": 2}", "a plan of version 2; "), ("{\"plan\": 1}", "the key 'scenario' is missing"),
    ("{\"plan\": 1, \"scenario\": {}}", "the text 'invariant' is missing"),
  ])
  func anInvalidPlanIsRefused(text: String, message: String) {
    do throws(FailurePlan.ReadingError) {
      _ = try FailurePlan(reading: Array(text.utf8))
      Issue.record("it was read")
    } catch { #expect(error.message.hasPrefix(message), "\(error.message)") }
  }
}
