import Base
import Contract
import Engine
import Host
import JSON
import Oracle
import Queue
import Scenario
import Store
import Synchronization
import Testing
import Threads
import Upload
import Vocabulary

@testable import FleetSimulator

/// What a person does to a run, and the scenario that repeats it.
@Suite struct SteeringTests {
  private static func text(seed: UInt64) -> String {
    """
    { version: 1, name: "session", seed: \(seed),
      clock: { duration: "20m", settle: "10m" },
      target: { auth: { strategy: "jwt", accessTokenTtl: "15m" } },
      fleets: {
        cars: { devices: 6 },
        vans: { executor: "ramping-devices", startDevices: 2, stages: [{ duration: "8m", target: 6 }, { duration: "8m", target: 2 }] },
        visitors: { executor: "constant-arrival-rate", rate: 20, timeUnit: "1h", maxDevices: 40, trip: { distance: "2km" } },
      } }
    """
  }

  /// Submits what a list says, each after so many events of the run.
  private final class Hand: Watcher {
    var steering: RunSteering?
    private var acts: [(after: Int, act: RunAct)]
    private var events = 0

    init(_ acts: [(after: Int, act: RunAct)]) { self.acts = acts }

    func see(_ event: SimulationEvent, _ context: EventContext) {
      events += 1
      while let next = acts.first, next.after <= events, let steering {
        acts.removeFirst()
        do throws(RunActError) { _ = try steering.submit(next.act) } catch {
          Issue.record("\(next.act.text): \(error)")
        }
      }
    }
  }

  private struct Session {
    let report: RunReport
    let events: [UInt8]
    let steering: RunSteering?
  }

  private func run(
    _ text: String, _ acts: [(after: Int, act: RunAct)]? = nil, shard: Shard? = nil
  ) throws -> Session {
    let read = try ScenarioReader().read(text)
    var setup = try RunSetup(read.scenario)
    if let shard { setup = setup.part(shard) }
    let hand = Hand(acts ?? [])
    let steering = acts.map { _ in RunSteering(read.scenario, &setup, document: read.document, places: 40) }
    hand.steering = steering
    var lines: [UInt8] = []
    let events = EventLog(setup, share: 1) { lines += $0 }
    let report = try FleetRun(
      setup, to: .inside(Runs.store()), watchers: [events, hand], steering: steering
    ).run()
    events.finish()
    return Session(report: report, events: lines, steering: steering)
  }

  private func randomActs(_ seed: UInt64) -> [(after: Int, act: RunAct)] {
    var draws = RandomStream(seed: seed, device: 0, concern: 1)
    var after = 200
    return (0..<14).map { _ in
      // Some at the same instant.
      if draws.uniform() < 0.6 { after += Int(draws.uniform() * 700) }
      let fleet = draws.uniform() < 0.5 ? "cars" : "vans"
      let acts: [RunAct] = [
        .addPhones(1 + Int(draws.uniform() * 4), fleet: fleet), .removePhones(1, fleet: fleet),
        .changeRate(0.5 + draws.uniform(), fleet: fleet), .changeRate(0.5 + draws.uniform() * 1.5, fleet: "visitors"),
        .dropNetwork(RunAct.NetworkDrop(for: .seconds(20 + Int64(draws.uniform() * 200)), fleet: fleet)),
        .expireTokens(fleet: nil), .expireTokens(fleet: fleet), .killApps(RunAct.AppKill(.share(0.4))),
        .killApps(RunAct.AppKill(.count(3), fleet: fleet)),
      ]
      return (after, acts[min(acts.count - 1, Int(draws.uniform() * Double(acts.count)))])
    }
  }

  @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
  func theSavedSessionRepeatsItself(seed: UInt64) throws {
    let session = try run(Self.text(seed: seed), randomActs(seed))
    let saved = try #require(session.steering).scenarioText
    let replay = try run(saved)
    #expect(session.report.hash == replay.report.hash, "seed \(seed)")
    #expect(session.events == replay.events && session.events.count > 10_000, "seed \(seed)")
    #expect(session.report.devices == replay.report.devices && session.report.sums == replay.report.sums)
    #expect(session.report.isRight, "\(session.report.violations.map(\.text))")
    #expect(
      session.steering?.entries.contains { if case .applied = $0.outcome { true } else { false } } == true)
  }

  /// The trips between two changes would take more phones than those that stay.
  @Test func aRateThatRisesAndFallsLeavesNoPhonesBehind() throws {
    let session = try run(
      Self.text(seed: 3),
      [(300, .changeRate(6, fleet: "visitors")), (300, .changeRate(0.05, fleet: "visitors"))])
    let replay = try run(try #require(session.steering).scenarioText)
    #expect(session.report.hash == replay.report.hash && session.events == replay.events)
    #expect(session.report.fleetDevices == replay.report.fleetDevices && session.report.isRight)
  }

  @Test func theShardsOfASavedSessionAddUp() throws {
    let session = try run(Self.text(seed: 9), randomActs(9))
    let saved = try #require(session.steering).scenarioText
    var sum = TraceHash.zero
    for index in 0..<3 {
      let shard: Shard = try #require(Shard(index: index, count: 3))
      sum.add(try run(saved, shard: shard).report.hash)
    }
    #expect(sum == session.report.hash)
  }

  @Test func aRunThatIsOnlyWatchedGoesAsItWould() throws {
    let (watched, alone) = (try run(Self.text(seed: 4), []), try run(Self.text(seed: 4)))
    #expect(watched.report.hash == alone.report.hash && watched.events == alone.events)
    #expect(watched.report.devices == alone.report.devices)
  }

  @Test func phonesComeAndGo() throws {
    let session = try run(
      Self.text(seed: 2), [(300, .addPhones(10, fleet: "cars")), (3_000, .removePhones(12, fleet: "cars"))])
    #expect(session.report.fleetDevices[0] == 16 && session.report.isRight)
    let steering = try #require(session.steering)
    #expect(steering.scenarioText.contains("addPhones") && steering.scenarioText.contains("removePhones"))
    let moment = try #require(steering.recording).moment(at: .seconds(1_200))
    #expect(moment.fleets[0].phones == 16 && moment.fleets[0].present == 4)
  }

  @Test func closedAppsAreCounted() throws {
    let acts: [RunAct] = [1, 0].map { .killApps(RunAct.AppKill(.share($0), fleet: "cars")) }
    let session = try run(Self.text(seed: 2), [(400, acts[0]), (400, acts[0]), (4_000, acts[1])])
    let words = try #require(session.steering).entries.map { entry in
      if case .applied(let words) = entry.outcome { words } else { "\(entry.outcome)" }
    }
    #expect(
      words.map { $0.prefix { $0 != "(" } } == ["6 apps are closed ", "6 apps are closed ", "0 apps are closed "])
  }

  /// An app sends what it has before it stops its SDK, however little that is.
  @Test func phonesThatLeaveWithRecordsBreakNoRule() throws {
    let text = Self.text(seed: 2).replacing(
      "fleets:",
      with: "sdk: { config: { http: { batchSync: true, autoSyncThreshold: 50, maxBatchSize: 50 } } }, fleets:")
    let session = try run(text, [(900, .removePhones(5, fleet: "cars"))])
    #expect(session.report.isRight, "\(session.report.violations.map(\.text))")
    #expect(session.events.count > 10_000)
  }

  /// Also more than come at once by the machine's clock, and while the run is paused: the next act finds them.
  @Test func actsTakeEffectInTheirOrder() throws {
    let acts: [RunAct] = [
      .pause, .addPhones(1_000, fleet: "cars"), .addPhones(1, fleet: "cars"), .removePhones(1_006, fleet: "cars"),
      .addPhones(600, fleet: "cars"), .resume, .abort,
    ]
    let read = try ScenarioReader().read(Self.text(seed: 6))
    var setup = try RunSetup(read.scenario)
    let steering = RunSteering(read.scenario, &setup, document: read.document, places: 1_000)
    for act in acts { _ = try steering.submit(act) }
    _ = try FleetRun(setup, to: .inside(Runs.store()), watchers: [], steering: steering).run()
    let outcomes = steering.entries.map { entry in
      switch entry.outcome {
      case .applied(let words): words
      case .refused(let error): error.description
      case .waiting: "waiting"
      }
    }
    #expect(
      outcomes.prefix(5) == [
        "paused at 00:00:00.000", "1000 phones join cars",
        "addPhones: cars would have 1007 phones, and this run is limited to 1006; add at most 0",
        "1006 phones leave cars", "600 phones join cars",
      ])
    #expect(outcomes.suffix(2) == ["resumed at 00:00:00.000", "the run ends"])
  }

  @Test func whatCannotBeDoneSaysSo() throws {
    let session = try run(
      Self.text(seed: 2), [(300, .addPhones(500, fleet: "cars")), (301, .removePhones(7, fleet: "cars"))])
    let refusals = try #require(session.steering).entries.map { entry in
      if case .refused(let error) = entry.outcome { error.description } else { "" }
    }
    #expect(
      refusals == [
        "addPhones: cars would have 506 phones, and this run is limited to 46; add at most 40",
        "removePhones.count: cars has 6 phones now; write at most 6",
      ])
  }

  @Test(arguments: [RunAct.stop, .abort])
  func aRunEndsBeforeItsTime(act: RunAct) throws {
    let session = try run(Self.text(seed: 3), [(2_000, act)])
    let replay = try run(try #require(session.steering).scenarioText)
    #expect(session.report.hash == replay.report.hash && session.events == replay.events)
    let ending = act == .abort ? RunSummary.Ending.aborted : .stopped
    #expect(session.report.ending == ending && replay.report.ending == ending)
    #expect(session.report.sums.isBalanced, "each record is in one place, also where nothing is judged")
    #expect(act == .abort || session.report.sums.pending == 0 && session.report.isRight)
  }

  @Test func aRunStandsStillUntilItIsResumed() throws {
    let read = try ScenarioReader().read(Self.text(seed: 5))
    var setup = try RunSetup(read.scenario)
    let steering = RunSteering(read.scenario, &setup, document: read.document, places: 1)
    steering.beginWatching()
    _ = try steering.submit(.pause)
    let frozen = setup
    let done = Semaphore()
    let ended = Mutex<Result<TraceHash, any Error>?>(nil)
    let thread = NamedThread.started("run") {
      let result = Result<TraceHash, any Error> {
        try FleetRun(frozen, to: .inside(Runs.store()), watchers: [], steering: steering).run().hash
      }
      ended.withLock { $0 = result }
      done.signal()
    }
    while steering.view?.isPaused != true, ended.withLock({ $0 == nil }) { _ = done.wait(milliseconds: 5) }
    #expect(steering.isPaused && ended.withLock { $0 == nil })
    _ = try steering.submit(.resume)
    thread.join()
    #expect(try ended.withLock { $0 }?.get() == run(Self.text(seed: 5)).report.hash)
    #expect(throws: RunActError.self) { try steering.submit(.stop) }
  }

  /// The phone that a finding is about came by an act.
  @Test func aFindingOfASteeredRunIsExplainedWithItsActs() throws {
    let text = """
      { version: 1, name: "session", seed: 7, clock: { duration: "20m", settle: "10m" }, fleets: { cars: { devices: 1 } } }
      """
    let read = try ScenarioReader().read(text)
    var setup = try RunSetup(read.scenario)
    let steering = RunSteering(read.scenario, &setup, document: read.document, places: 40)
    let hand = Hand([(5, .addPhones(6, fleet: "cars"))])
    hand.steering = steering
    func store() throws -> LyingStore { try LyingStore(.forgetsBatch(each: 3)) }
    let report = try FleetRun(setup, to: .inside(store()), watchers: [hand], steering: steering).run()
    func stories(_ setup: RunSetup) throws -> [String: [String]] {
      let explained = try Investigation.explain(report, of: setup, store: store)
      return Dictionary(explained.violations.map { ($0.device, $0.story) }) { first, _ in first }
    }
    let added = try #require(report.violations.map(\.device).first { $0 != "cars-0" })
    #expect(try stories(setup)[added]?.contains { $0.contains("queue.inserted") } == false, "the run as it was planned")
    #expect(try stories(steering.repeating(setup))[added]?.isEmpty == false)
  }

  /// Against a count of its own.
  @Test func theRecordingKnowsEveryInstant() throws {
    let read = try ScenarioReader().read(Self.text(seed: 6))
    var setup = try RunSetup(read.scenario)
    let steering = RunSteering(read.scenario, &setup, document: read.document, places: 1)
    let counter = QueueCounter(phones: setup.deviceNames.count)
    _ = try FleetRun(setup, to: .inside(Runs.store()), watchers: [counter], steering: steering).run()
    let recording = try #require(steering.recording)
    #expect(counter.depths.count >= 39)
    #expect(counter.known.last.map { $0.contains { $0 != nil } } == true)
    for ((instant, depths), known) in zip(counter.depths, counter.known) {
      let moment = recording.moment(at: instant)
      #expect(moment.isExact && moment.instant == instant)
      for phone in moment.phones {
        #expect(phone.queue == depths[phone.number])
        #expect(phone.known == known[phone.number])
      }
      #expect(moment.fleets.reduce(0) { $0 + $1.backlog } == depths.reduce(0, +))
    }
  }

  @Test func aFullRecordingShowsAnEarlierInstantAndSaysSo() throws {
    let setup = try RunSetup(ScenarioReader().read(Self.text(seed: 6)).scenario)
    let recording = RunRecording(setup, bytesMax: 100_000, changesMax: 500)
    _ = try FleetRun(setup, to: .inside(Runs.store()), watchers: [recording]).run()
    #expect(recording.bytes < 200_000)
    let (early, late) = (recording.moment(at: .seconds(600)), recording.moment(at: recording.end))
    #expect(!early.isExact && early.instant <= .seconds(600) && late.isExact)
  }
}

/// How many records wait in each phone, and which of its places the server has acknowledged last, just after every half
/// minute.
private final class QueueCounter: Watcher {
  private(set) var depths: [(instant: Nanoseconds, depths: [Int])] = []
  private(set) var known: [[Coordinate?]] = []
  private var now: [Int]
  private var places: [UUID128: Coordinate] = [:]
  private var underWay: [Int: OutgoingRequest] = [:]
  private var acknowledged: [Coordinate?]
  private var next = Nanoseconds.seconds(30)

  init(phones: Int) {
    now = Array(repeating: 0, count: phones)
    acknowledged = Array(repeating: nil, count: phones)
  }

  func see(_ event: SimulationEvent, _ context: EventContext) {
    let instant = context.now.monotonic - MonotonicInstant(nanoseconds: 0)
    while instant > next, depths.count < 40 {
      depths.append((next, now))
      known.append(acknowledged)
      next = next + .seconds(30)
    }
    switch event {
    case .queue(.inserted): now[context.device] += 1
    case .queue(.deleted): now[context.device] -= 1
    case .told(.engine(.location(let record))), .told(.engine(.motionChange(let record))):
      places[record.uuid] = Coordinate(latitude: record.coords.latitude, longitude: record.coords.longitude)
    case .sent(let request) where request.purpose == .records: underWay[context.device] = request
    case .ended(let id, let outcome):
      guard (200..<300).contains(outcome.status), let request = underWay[context.device], request.id == id
      else { return }
      if let place = request.payload?.uuids.compactMap({ places[$0] }).last { acknowledged[context.device] = place }
    default: break
    }
  }
}
