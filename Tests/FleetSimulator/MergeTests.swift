import Base
import JSON
import Oracle
import Scenario
import Store
import Testing

@testable import FleetSimulator

/// The summaries of shards add up to that of the whole run.
@Suite struct MergeTests {
  private static let text = """
    {
      version: 1, name: "rush", seed: 5, clock: { duration: "12m", settle: "5m" },
      sdk: { config: { http: { batchSync: true, maxBatchSize: 20, autoSyncThreshold: 3 } } },
      fleets: { cars: { devices: 3, tags: { tier: "gold" } }, bikes: { devices: 2, motion: "cycling", network: "hsdpa" } },
      faults: [{ name: "tunnel", at: "3m", for: "2m", select: { count: 2 }, network: "none" }],
      checks: { ok: "response.status in [200]" },
      thresholds: {
        "upload_duration{tier:gold}": ["p(95)<1", "count>0"], "uploads{network:hsdpa}": ["count>0"],
        records_lost: ["count==0"], devices_active: ["value>=0"], "queue_depth": ["max<1000"],
        "uploads{device:cars-1}": ["count>0"], "upload_duration{device:bikes-1}": ["count>0"],
      },
    }
    """

  private func summary(_ shard: String?, _ overrides: String...) throws -> RunSummary {
    let scenario = try ScenarioReader(overrides: overrides.compactMap { Override(setting: $0) }).read(Self.text)
      .scenario
    var setup = try RunSetup(scenario)
    if let shard { setup = setup.part(try #require(Shard(text: shard))) }
    let measures = try Measures(scenario, setup)
    let store = try SQLiteStore(StoreConfiguration(folder: ":memory:"))
    let report = try FleetRun(setup, store: store, watchers: [measures]).run()
    var summary = measures.summary(of: report, hash: "x", product: "0.0.0")
    summary.shard = shard
    // As another process would have it.
    return try RunSummary(JSONValue(parsing: Array(summary.json.pretty.utf8).span))
  }

  @Test func theWholeIsTheUnshardedRun() throws {
    let whole = try summary(nil)
    let merged = try RunSummary.whole(of: [summary("2/3"), summary("0/3"), summary("1/3")])
    #expect(merged.hash == whole.hash)
    #expect(merged.fleets == whole.fleets)
    #expect(merged.devices == 5)
    #expect(merged.ledger == whole.ledger)
    #expect(merged.requests == whole.requests)
    #expect(merged.events == whole.events)
    #expect(merged.checks == whole.checks)
    #expect(merged.shard == nil)
    #expect(merged.result == whole.result)
    #expect(merged.thresholds == whole.thresholds)
    let failed = merged.thresholds.filter { $0.outcome == .failed }
    #expect(failed.count == 1)
    for figure in whole.metrics { #expect(merged.figure(figure.name) == figure.figure, "\(figure.name)") }
    #expect(merged.timeline.intervals == whole.timeline.intervals)
  }

  /// The device that stands for all whose records have no uuid is the one that the whole run names, and it is named once.
  @Test func recordsWithoutAUUIDAreToldOnce() throws {
    let template = #"sdk.config.persistence={"locationTemplate":"{\"lat\":<%= latitude %>,\"lng\":<%= longitude %>}"}"#
    let whole = try summary(nil, template)
    let merged = try RunSummary.whole(of: ["0/3", "1/3", "2/3"].map { try summary($0, template) })
    #expect(merged.verification == whole.verification && whole.verification.reason?.contains("bikes-0") == true)
    #expect(merged.invariants.map(\.reason) == whole.invariants.map(\.reason))
    #expect(merged.notes.filter { $0.contains("store is not verified") } == Array(whole.sentences.prefix(1)))
  }

  /// At one instant the first device has the first error.
  @Test func theSampleOfAnErrorIsThatOfTheWholeRun() {
    func error(_ device: String, at seconds: Int64) -> RequestError {
      RequestError(
        purpose: "records", kind: "status 500", message: "", fleet: "cars", count: 1, first: .seconds(seconds),
        last: .seconds(seconds), sample: RequestError.Sample(device: device, request: "", records: 1, body: ""))
    }
    var first = error("cars-10", at: 5)
    first.add(error("cars-2", at: 5))
    first.add(error("cars-4", at: 5))
    first.add(error("cars-0", at: 6))
    #expect(first.sample.device == "cars-2" && first.count == 4)
  }

  /// What one shard could not judge is not held by the whole; what one had no occasion for is.
  @Test func anInvariantThatAShardCouldNotJudgeIsNotHeld() throws {
    var (first, second) = (try summary("0/2", "clock.duration=4m"), try summary("1/2", "clock.duration=4m"))
    typealias Outcome = InvariantVerdict.Outcome
    let cases: [(Outcome, Outcome, whole: Outcome)] = [
      (.held, .notJudged, .notJudged), (.notExercised, .notJudged, .notJudged), (.violated, .notJudged, .violated),
      (.held, .notExercised, .held), (.notExercised, .notExercised, .notExercised),
    ]
    for (mine, theirs, whole) in cases {
      (first.invariants[0].outcome, second.invariants[0].outcome) = (mine, theirs)
      second.invariants[0].reason = "late"
      for parts in [[first, second], [second, first]] {
        let verdict = try RunSummary.whole(of: parts).invariants[0]
        #expect(verdict.outcome == whole, "\(mine) and \(theirs)")
        #expect(verdict.outcome != .notJudged || verdict.reason == "late", "\(verdict)")
      }
    }
  }

  /// Judged on the whole while it lasted, and met again by what came afterwards.
  @Test func aThresholdThatHasEndedTheRunIsMissed() throws {
    let parts = [try summary("0/2", "clock.duration=4m"), try summary("1/2", "clock.duration=4m")]
    let place = try #require(parts[0].thresholds.firstIndex { $0.selection == "records_lost" })
    #expect(try RunSummary.whole(of: parts).thresholds[place].outcome == .passed)
    let whole = try RunSummary.whole(of: parts, endedBy: [place])
    #expect(whole.thresholds[place].outcome == .failed && whole.thresholds[place].endedTheRun)
    #expect(whole.ending == .threshold && whole.thresholds.count { $0.endedTheRun } == 1)
  }

  @Test func anIncompleteSetOfShardsIsRefused() throws {
    let (first, second) = (try summary("0/2", "clock.duration=4m"), try summary("1/2", "clock.duration=4m"))
    var (other, alone) = (second, second)
    other.seed = 6
    alone.shard = nil
    #expect(throws: MergeError(message: "missing: 1/2; the whole cannot be judged without them")) {
      try RunSummary.whole(of: [first])
    }
    #expect(throws: MergeError(message: "shard 0/2 is there twice")) {
      try RunSummary.whole(of: [first, second, first])
    }
    #expect(
      throws: MergeError(message: "shard 1/2 is of another run: its seed is 6, not 5; merge the shards of one run")
    ) {
      try RunSummary.whole(of: [first, other])
    }
    other.scenarioHash = "ab"
    other.duration = .seconds(300)
    // The hash of a scenario with another seed, or another duration, is another one too, and tells less.
    #expect(
      throws: MergeError(message: "shard 1/2 is of another run: its seed is 6, not 5; merge the shards of one run")
    ) {
      try RunSummary.whole(of: [first, other])
    }
    other.seed = 5
    #expect(
      throws: MergeError(
        message: "shard 1/2 is of another run: its duration is 300 s, not 240 s; merge the shards of one run")
    ) {
      try RunSummary.whole(of: [first, other])
    }
    #expect(throws: MergeError(message: "a summary of a whole run is among them: only shards add up")) {
      try RunSummary.whole(of: [first, alone])
    }
    #expect(throws: MergeError(message: "there is no shard")) { try RunSummary.whole(of: []) }
  }
}
