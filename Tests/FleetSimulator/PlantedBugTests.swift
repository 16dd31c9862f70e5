import Base
import Oracle
import Scenario
import Store
import Testing

@testable import FleetSimulator

/// Servers with a bug are found out by the built-in scenarios that are meant for them, their victims are named, and what
/// is left of the plan is small.
///
/// | bug | found by |
/// |---|---|
/// | a batch is acknowledged and forgotten | every scenario |
/// | batches are acknowledged before they are committed, and the server crashes | outages, restarts, full queues |
/// | the last record of a batch is dropped | those that upload in batches |
/// | a record is stored twice | those in which records are sent twice |
/// | a worthless token is answered with 200 | those in which tokens lose their worth |
@Suite struct PlantedBugTests {
  /// A built-in scenario, in a few minutes of which happens what it is for.
  enum Short: String, CaseIterable {
    case firstDrive = "first-drive"
    case tunnelExit = "tunnel-exit"
    case outage = "isp-outage-2h"
    case deployment = "deploy-503"
    case blackout = "boot-after-blackout"
    case fullDisk = "disk-full"
    case expiryWave = "token-expiry-wave"
    case poison = "poison-record"

    static let batching: [Short] = [.tunnelExit, .outage, .blackout, .expiryWave, .poison]
    static let interrupted: [Short] = [.tunnelExit, .outage, .deployment, .blackout, .fullDisk]
    static let repeating: [Short] = [.deployment, .fullDisk, .blackout]

    private var changes: [(path: String, value: String)] {
      switch self {
      case .firstDrive: [("clock.duration", "8m")]
      case .poison:
        [("clock.duration", "8m"), ("faults[0].at", "2m"), ("faults[1].at", "4m"), ("faults[2].at", "6m")]
      case .tunnelExit: [("clock.duration", "8m"), ("faults[0].at", "2m"), ("faults[0].for", "3m")]
      case .outage: [("clock.duration", "8m"), ("faults[0].at", "2m"), ("faults[0].for", "4m")]
      case .deployment:
        [("clock.duration", "8m"), ("faults[0].at", "2m"), ("faults[0].for", "2m"), ("faults[1].at", "4m")]
      case .blackout:
        [("clock.duration", "8m"), ("faults[0].at", "2m"), ("faults[0].for", "1m"), ("faults[1].at", "3m")]
      case .fullDisk: [("clock.duration", "8m"), ("faults[0].at", "2m"), ("faults[0].for", "2m")]
      case .expiryWave: [("clock.duration", "8m"), ("faults[0].at", "3m"), ("faults[1].at", "5m")]
      }
    }

    /// With five devices, or as many as the scenario has.
    func read() throws -> ScenarioReader.Result {
      let text = try #require(BuiltInScenario.named(rawValue)).text
      let overrides = changes.map { Override(origin: "the test", path: $0.path, value: $0.value) }
      var result = try ScenarioReader(overrides: overrides).read(text)
      if self != .firstDrive { result.scenario = result.scenario.scaled(toDevices: 5) }
      return result
    }
  }

  @Test(arguments: Short.allCases)
  func aBatchThatIsAcknowledgedAndForgottenIsFound(scenario: Short) throws {
    try expectFound(.forgetsBatch(each: 7), breaking: .ackedIsDurable, in: scenario)
  }

  @Test(arguments: Short.interrupted)
  func anAcknowledgementBeforeTheCommitIsFound(scenario: Short) throws {
    try expectFound(.commitsLater(crashEach: 20), breaking: .ackedIsDurable, in: scenario)
  }

  @Test(arguments: Short.batching)
  func aLastRecordThatIsDroppedIsFound(scenario: Short) throws {
    try expectFound(.dropsLast(each: 2), breaking: .ackedIsDurable, in: scenario)
  }

  @Test(arguments: Short.repeating)
  func aRecordThatIsStoredTwiceIsFound(scenario: Short) throws {
    try expectFound(.storesTwice(each: 5), breaking: .noPhantom, in: scenario)
  }

  @Test func aWorthlessTokenThatIsTakenIsFound() throws {
    let store = try expectFound(.takesAnyToken, breaking: .auth, in: .expiryWave)
    #expect(store.disobeyed == 5)
  }

  @Test func theStoryOfAVictimIsWhole() throws {
    let setup = Runs.setup(seed: 3, faults: [.tunnel(120..<600)], Runs.drivers(3))
    let newStore = { try LyingStore(.dropsLast(each: 2)) }
    let report = try Investigation.explain(FleetRun(setup, store: newStore()).run(), of: setup, store: newStore)
    let violation = try #require(report.violations.first { $0.rule == .ackedIsDurable })
    let words = ["created record", "sent request", "served request", ", with 200: ", "delivered row", "server: "]
    var lines = violation.story[...]
    for word in words {
      let place = try #require(lines.firstIndex { $0.contains(word) }, "'\(word)' in \(violation.text)")
      lines = lines[(place + 1)...]
    }
  }

  @discardableResult
  private func expectFound(
    _ lie: LyingStore.Lie, breaking invariant: Invariant, in scenario: Short
  ) throws -> LyingStore {
    let read = try scenario.read()
    let setup = try RunSetup(read.scenario)
    let store = try LyingStore(lie)
    let report = try FleetRun(setup, store: store).run()
    let found = report.violations.filter { $0.rule == invariant }
    let first = try #require(found.first, "\(report.invariants)")
    for violation in found where invariant != .auth {
      #expect(store.violations.contains(try #require(violation.uuid)), "\(violation.text)")
    }
    #expect(report.sums.isBalanced)
    let plan = FailurePlan(
      document: read.document.adopting(read.scenario), invariant: first.invariantName, device: first.device,
      instant: first.instant, hash: report.hash.text, product: "0.0.0")
    // Devices are among the first that it takes away.
    var shrinker = Shrinker(plan, runsMax: 16) { try FleetRun($0, store: LyingStore(lie), watchers: $1).run() }
    let small = try shrinker.shrink()
    let left = try RunSetup(ScenarioReader.read(small.document).scenario)
    #expect((1...3).contains(left.fleets.flatMap(\.simulated).count), "\(small.document.text)")
    return store
  }
}
