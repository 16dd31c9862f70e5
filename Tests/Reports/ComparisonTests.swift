import Base
import Oracle
import Scenario
import Store
import Synchronization
import Testing

@testable import FleetSimulator
@testable import Reports

/// Two runs held against each other: equal ones differ by nothing, a slower server is found. One after the other: a test that waits
/// for the run of another would hold one of the few threads of all tests.
@Suite(.serialized) struct ComparisonTests {
  private static let runs = Mutex<[String: RunSummary]>([:])

  /// A run in virtual time, whose network takes `latency` times as long as it would. Equal runs are made once.
  private static func run(
    seed: UInt64, latency: Double = 1, devices: Int = 64, faults: String = "", syncs: Bool = true
  ) throws -> RunSummary {
    let text = """
      { version: 1, name: "compared", seed: \(seed), clock: { duration: "10m", settle: "5m" },
        sdk: { config: { http: { autoSync: \(syncs) } } },
        networks: { slow: { connectionType: "cellular", latency: "\(Int(100 * latency))ms", jitter: "30ms" } },
        fleets: { cars: { devices: \(devices), motion: "driving", network: "slow" } }, faults: [\(faults)] }
      """
    return try runs.withLock { runs in
      if let run = runs[text] { return run }
      let scenario = try ScenarioReader(overrides: [], variable: { _ in nil }).read(text).scenario
      let setup = try RunSetup(scenario)
      let measures = try Measures(scenario, setup)
      let store = try SQLiteStore(StoreConfiguration(folder: ":memory:"))
      let report = try FleetRun(setup, store: store, watchers: [measures]).run()
      let run = measures.summary(of: report, hash: "one", product: "test")
      runs[text] = run
      return run
    }
  }

  @Test func aRunIsNoWorseThanItself() throws {
    let run = try Self.run(seed: 1)
    let comparison = RunComparison(run, run)
    #expect(
      comparison.regressions == []
        && comparison.rows.contains { $0.name == "upload_duration p95" && $0.outcome == .same })
    #expect(ComparisonText(comparison).verdict == "no regression")
  }

  /// What was not looked at is not called the same.
  @Test func aRunThatIsNotValidOrNotVerifiedIsNoSuccess() throws {
    let run = try Self.run(seed: 1)
    var (unverified, unreadable, stopped) = (run, run, run)
    unverified.verification = Verification(.notAsked)
    unreadable.verification = Verification(.failed, reason: "status 500")
    stopped.ending = .signal
    for (worse, name) in [(unverified, "storage verified"), (unreadable, "run is valid"), (stopped, "run is valid")] {
      #expect(RunComparison(run, worse).regressions.map(\.name).contains(name))
      #expect(RunComparison(worse, run).regressions.isEmpty)
    }
    let words = ComparisonText(RunComparison(run, unreadable)).markdown
    #expect(words.contains("| **run is valid** | **yes** | **no** |"), "\(words)")
    let blind = RunComparison(unverified, unverified)
    #expect(blind.regressions.isEmpty && blind.invalidity == nil)
    let lost = try #require(blind.rows.first { $0.name == "records lost" })
    #expect(lost.outcome == .undecided("storage not verified in both runs"))
    #expect(ComparisonText(blind).text.contains("passed, storage not verified"))
    let void = RunComparison(unreadable, unreadable)
    #expect(ComparisonText(void).verdict == "not comparable: the first run is not valid")
  }

  @Test func otherSeedsAreNoRegression() throws {
    let runs = try (1...6).map { try Self.run(seed: $0) }
    for (before, after) in zip(runs, runs.dropFirst()) {
      let comparison = RunComparison(before, after)
      #expect(comparison.regressions == [], "\(ComparisonText(comparison).text)")
    }
  }

  @Test func aSlowerNetworkIsFoundInThePercentilesOfUploads() throws {
    let (before, after) = (try Self.run(seed: 1), try Self.run(seed: 1, latency: 1.05))
    let comparison = RunComparison(before, after)
    let names = comparison.regressions.map(\.name)
    #expect(names.contains("upload_duration p95"), "\(ComparisonText(comparison).text)")
    let back = RunComparison(after, before)
    #expect(back.regressions == [] && back.rows.contains { $0.name == "upload_duration p95" && $0.outcome == .better })
    let allowed = try #require(RunComparison.Limit(text: "upload_duration:p95:20%"))
    #expect(RunComparison(before, after, limits: [allowed]).regressions == [])
  }

  @Test func newErrorsAreARegressionOfTheShareOfFailures() throws {
    let fault = #"{ name: "busy", at: "1m", for: "7m", http: { abort: { status: 503, percentage: 30 } } }"#
    let comparison = RunComparison(try Self.run(seed: 1), try Self.run(seed: 1, faults: fault))
    #expect(comparison.regressions.contains { $0.name == "upload_failed" }, "\(ComparisonText(comparison).text)")
  }

  @Test func aLostRecordNeedsNoStatistics() throws {
    let before = try Self.run(seed: 1, devices: 1)
    var after = before
    after.ledger.lost = 1
    let comparison = RunComparison(before, after)
    #expect(comparison.regressions.map(\.name) == ["records lost"])
    let text = ComparisonText(comparison)
    #expect(text.verdict == "1 regression: records lost 0 to 1" && text.junit.contains("failures=\"1\""))
    #expect(text.markdown.contains("| **records lost** | **0** | **1** |"))
    #expect(ComparisonPage(comparison).text.contains("records lost 0 to 1"))
  }

  /// As many as before is no better where they are others.
  @Test func anotherViolationIsARegression() throws {
    var before = try Self.run(seed: 1, devices: 1)
    var after = before
    let (first, second) = (before.invariants[0].name, before.invariants[1].name)
    before.invariants[0].outcome = .violated
    after.invariants[1].outcome = .violated
    let rows = RunComparison(before, after).rows
    #expect(rows.first { $0.name == "invariant violated: \(first)" }?.outcome == .better)
    #expect(rows.first { $0.name == "invariant violated: \(second)" }?.outcome == .regression)
    #expect(ComparisonText(RunComparison(before, before)).verdict.hasPrefix("no regression"))
    after.invariants[0].outcome = .notJudged
    let unseen = RunComparison(before, after).rows.first { $0.name == "invariant violated: \(first)" }
    #expect(unseen?.outcome == .undecided("not judged in both runs"))
  }

  /// Everything is uploaded at the end: late, and in one piece of the run.
  @Test func aRunThatUploadsNothingUntilItsEndIsWorse() throws {
    let before = try Self.run(seed: 1)
    // As from a file, which has no figures that are empty.
    let after = try RunSummary(try Self.run(seed: 1, syncs: false).json)
    let comparison = RunComparison(before, after)
    let names = comparison.regressions.map(\.name)
    #expect(names.contains("record_delivery_latency p50"), "\(ComparisonText(comparison).text)")
    // No upload has a duration in the drives.
    #expect(names.contains("upload_duration p50") && names.contains("upload_failed"), "\(names)")
    #expect(RunComparison(after, before).regressions == [])
  }

  @Test func fewSamplesDecideNothing() throws {
    let (before, after) = (try Self.run(seed: 1, devices: 1), try Self.run(seed: 1, latency: 3, devices: 1))
    let row = RunComparison(before, after).rows.first { $0.name == "upload_duration p99" }
    #expect(row?.outcome == .undecided("too few samples"))
    let verdict = ComparisonText(RunComparison(before, after)).verdict
    #expect(verdict.hasPrefix("no regression; ") && verdict.hasSuffix(" figures undecided"), "\(verdict)")
  }

  /// Where the figures in question have no verdict, there is none.
  @Test func aComparisonThatJudgedNoFigureIsNoSuccess() throws {
    let (before, after) = (try Self.run(seed: 1, devices: 1), try Self.run(seed: 1, latency: 3, devices: 1))
    func compare(_ limits: String...) throws -> RunComparison {
      try RunComparison(before, after, limits: limits.map { try #require(RunComparison.Limit(text: $0)) })
    }
    let void = try compare("upload_duration:p99:2%", "geofence_delay:p95:2%")
    let verdict = "not comparable: no figure could be judged: too few samples, not measured in both runs"
    #expect(ComparisonText(void).verdict == verdict)
    #expect(try compare("upload_duration:p99:2%", "upload_failed:2%").invalidity == nil)
  }

  @Test func anotherCityDoesNotJudgeWhatDependsOnItsPlaces() throws {
    var (before, after) = (try Self.run(seed: 1), try Self.run(seed: 1, latency: 3))
    before.seed = 2
    let rows = RunComparison(before, after).rows
    #expect(rows.first { $0.name == "upload_duration p95" }?.outcome == .regression)
    let outcome = rows.first { $0.name == "record_delivery_latency p95" }?.outcome
    #expect(outcome == .undecided("another seed has other tunnels and dead zones"))
    after.groups = nil
    let older = RunComparison(before, after)
    #expect(older.rows.first { $0.name == "upload_duration p95" }?.outcome == .undecided("too few samples"))
    #expect(older.notes.contains { $0.contains("the summary of the second run, of version test, has no groups") })
  }

  /// Those of another shard, fleet or scenario live elsewhere.
  @Test func onlyTheSamePhonesArePairs() throws {
    let run = try Self.run(seed: 1)
    func arePairs(_ change: (inout RunSummary) -> Void) -> Bool {
      var after = run
      change(&after)
      return RunComparison(run, after).notes.contains("same seed: each phone is compared with itself")
    }
    #expect(arePairs { _ in })
    #expect(!arePairs { $0.seed = 2 } && !arePairs { $0.shard = "1/2" } && !arePairs { $0.scenario = "other" })
    #expect(!arePairs { $0.fleets[0].name = "lorries" })
  }

  @Test func anotherScenarioOfTheSameNameIsTold() throws {
    let before = try Self.run(seed: 1)
    var after = before
    let words = "they or their overrides differ"
    #expect(!RunComparison(before, after).notes.contains { $0.contains(words) })
    after.scenarioHash = "ab"
    #expect(RunComparison(before, after).notes.contains { $0.contains(words) })
    // What differs is told by itself.
    after.duration = .seconds(1)
    #expect(!RunComparison(before, after).notes.contains { $0.contains(words) })
  }

  /// A machine that has turns 40 ms late cannot tell 5 ms.
  @Test func whatIsSmallerThanTheLagOfTheGeneratorIsUndecided() throws {
    var (before, after) = (try Self.run(seed: 1), try Self.run(seed: 1, latency: 1.05))
    #expect(RunComparison(before, after).regressions.contains { $0.name == "upload_duration p95" })
    var lag = Histogram(highestTrackableValue: 1_000_000)
    lag.record(1_000, times: 95)
    lag.record(41_000, times: 5)
    before.metrics.append(.init(name: "generator_lag", figure: .trend(Spread(histogram: lag, resolution: 1_000))))
    let row = RunComparison(before, after).rows.first { $0.name == "upload_duration p95" }
    #expect(row?.outcome == .undecided("smaller than the lag of the generator (40 ms)"))
    after = try Self.run(seed: 1, latency: 3)
    #expect(RunComparison(before, after).regressions.contains { $0.name == "upload_duration p95" })
  }

  /// A phone that waits less has shorter uploads, and no faster server.
  @Test func aServerThatLeavesMoreUploadsUnansweredIsNotFaster() throws {
    let before = try Self.run(seed: 1, latency: 3)
    var after = try Self.run(seed: 1)
    func outcome() -> RunComparison.Outcome? {
      RunComparison(before, after).rows.first { $0.name == "upload_duration p95" }?.outcome
    }
    #expect(outcome() == .better)
    after.answers["no answer in time"] = 5
    #expect(outcome() == .undecided("more uploads without an answer"))
  }

  @Test func groupsOfShardsAreThoseOfTheWhole() throws {
    let text = """
      { version: 1, name: "parts", seed: 5, clock: { duration: "10m", settle: "2m" },
        fleets: { cars: { devices: 21, motion: "driving", network: "lte" }, walkers: { devices: 4, motion: "walking" } } }
      """
    let scenario = try ScenarioReader(overrides: [], variable: { _ in nil }).read(text).scenario
    func run(_ setup: RunSetup) throws -> RunSummary {
      let measures = try Measures(scenario, setup)
      let store = try SQLiteStore(StoreConfiguration(folder: ":memory:"))
      return measures.summary(
        of: try FleetRun(setup, store: store, watchers: [measures]).run(), hash: "one", product: "test")
    }
    let setup = try RunSetup(scenario)
    let parts = try (0..<3).map { index in
      let shard = try #require(Shard(index: index, count: 3))
      var part = try run(setup.part(shard))
      part.shard = shard.text
      return part
    }
    let whole = try run(setup)
    #expect(whole.groups?.whole(0).count ?? 0 > 100)
    #expect(try RunSummary.whole(of: parts).groups == whole.groups)
  }

  @Test func thePageLaysDistributionsOverEachOther() throws {
    let text = ComparisonPage(RunComparison(try Self.run(seed: 1), try Self.run(seed: 1, latency: 3))).text
    #expect(text.contains(">Distributions<") && text.contains(">p99.9<"))
    #expect(text.ranges(of: "class=\"key b\">before").count >= 6, "each chart has both runs")
  }

  @Test(arguments: ["upload_duration:p95:5%", "upload_failed:0%", "upload_wait:avg:12.5%"])
  func aLimitIsRead(text: String) { #expect(RunComparison.Limit(text: text) != nil) }

  @Test(arguments: [
    "", "upload_duration", "upload_duration:p95", "a:p101:5%", "a:b:5%", "a:p95:-1%", "a:p95:5", "a:b:c:5%",
  ])
  func whatIsNoLimitIsNotRead(text: String) { #expect(RunComparison.Limit(text: text) == nil) }

  // MARK: Whether chance is what it says

  /// A run whose phones differ, whose moments differ, and whose values have a heavy tail: with `slow`, all take 30 % longer.
  private static func groups(seed: UInt64, slow: Bool = false, hasSlowTimes: Bool) -> SampleGroups {
    var stream = RandomStream(seed: seed, device: 0, concern: 1)
    var groups = SampleGroups()
    // A busy time lasts for several pieces.
    var busy = 1.0
    let pieces = (0..<SampleGroups.count).map { piece -> Double in
      if piece % 3 == 0 { busy = hasSlowTimes && stream.uniform() < 0.3 ? 1.5 : 1 }
      return busy
    }
    for phone in 0..<64 {
      let own = 0.8 + 0.4 * stream.uniform()
      for index in 0..<128 {
        let piece = index % SampleGroups.count
        let value = 100 * own * pieces[piece] / (0.02 + stream.uniform()) * (slow ? 1.3 : 1)
        groups.phones[phone % SampleGroups.count].spreads[0].record(milliseconds: value)
        groups.pieces[piece].spreads[0].record(milliseconds: value)
      }
    }
    return groups
  }

  private static func chance(_ before: SampleGroups, _ after: SampleGroups, share: Double) throws -> Double {
    var both = before.whole(0)
    both.add(after.whole(0))
    let level = try #require(both.percentile(share))
    func mean(_ groups: SampleGroups) throws -> ClusteredMean {
      try #require(
        ClusteredMean(groups) { group in
          let above = group.spreads[0].count(above: level)
          return (above, above, Double(group.spreads[0].count))
        })
    }
    return try #require(MeanTest(mean(before), mean(after), isPaired: false, excusesMoments: true)).chance
  }

  /// Also where phones, and whole stretches of time, are alike.
  @Test(arguments: [false, true])
  func equalRunsDifferAsRarelyAsTheTestSays(hasSlowTimes: Bool) throws {
    let runs = (1...400).map { Self.groups(seed: $0, hasSlowTimes: hasSlowTimes) }
    for share in [50.0, 95] {
      var extreme = 0
      for index in stride(from: 0, to: runs.count, by: 2) {
        if try Self.chance(runs[index], runs[index + 1], share: share) < 0.005 { extreme += 1 }
      }
      #expect(extreme <= 5, "of percentile \(share) two are expected in 200, one for each direction")
    }
  }

  @Test func aSlowerServerIsFound() throws {
    for seed in 1...50 as ClosedRange<UInt64> {
      let before = Self.groups(seed: seed, hasSlowTimes: false)
      let after = Self.groups(seed: 1_000 + seed, slow: true, hasSlowTimes: false)
      #expect(try Self.chance(before, after, share: 50) < 0.0003)
    }
  }

  /// Student's table.
  @Test(arguments: [(2.145, 14, 0.025), (2.977, 14, 0.005), (2.92, 2, 0.05), (1.812, 10, 0.05), (1.812, 11, 0.05)])
  func studentsTailIsThatOfTheTable(score: Double, freedom: Int, share: Double) {
    #expect((StudentTail.share(beyond: score, freedom: freedom) - share).magnitude < share / 200)
  }
}
