// The control room without sockets.
//   room-bench sessions [COUNT]   random sessions, each replayed from the scenario file that it saves: the same hash, the same events
//   room-bench recording [PHONES] any instant of a day: time of an answer, memory
import Base
import FleetSimulator
import Oracle
import Scenario
import Store

func rounded(_ number: Double) -> Double { (number * 100).rounded() / 100 }

let scenarioText = """
  { version: 1, name: "session", seed: SEED,
    clock: { duration: "40m", settle: "10m" },
    target: { auth: { strategy: "jwt", accessTokenTtl: "15m" } },
    fleets: {
      cars: { devices: 12 },
      vans: { executor: "ramping-devices", startDevices: 3,
        stages: [{ duration: "15m", target: 12 }, { duration: "15m", target: 4 }] },
      visitors: { executor: "constant-arrival-rate", rate: 20, timeUnit: "1h", maxDevices: 40, trip: { distance: "2km" } },
    },
    faults: [{ name: "gap", at: "10m", for: "3m", select: { fraction: 0.3 }, network: "none" }] }
  """

/// Does random acts to the run that it watches, several at one instant now and then.
final class RandomHand: Watcher {
  var steering: RunSteering?
  private var draws: RandomStream
  private var events = 0
  private var next = 500
  private(set) var acts = 0

  init(seed: UInt64) { draws = RandomStream(seed: seed, device: 0, concern: 1) }

  func see(_ event: SimulationEvent, _ context: EventContext) {
    events += 1
    guard events >= next, acts < 24, let steering else { return }
    next += 200 + Int(draws.uniform() * 1_500)
    for _ in 0..<1 + Int(draws.uniform() * 2.5) {
      acts += 1
      do throws(RunActError) { _ = try steering.submit(act()) } catch { print("refused: \(error)") }
    }
  }

  private func act() -> RunAct {
    let fleet = draws.uniform() < 0.5 ? "cars" : "vans"
    let all: [RunAct] = [
      .addPhones(1 + Int(draws.uniform() * 9), fleet: fleet), .removePhones(1 + Int(draws.uniform() * 4), fleet: fleet),
      .changeRate(draws.uniform() * 2, fleet: fleet), .changeRate(0.3 + draws.uniform() * 2, fleet: "visitors"),
      .dropNetwork(RunAct.NetworkDrop(for: .seconds(20 + Int64(draws.uniform() * 200)), fleet: fleet)),
      .dropNetwork(RunAct.NetworkDrop(for: .seconds(60))), .expireTokens(fleet: nil), .expireTokens(fleet: fleet),
      .killApps(RunAct.AppKill(.share(0.4))), .killApps(RunAct.AppKill(.count(3), fleet: fleet)),
      .killApps(RunAct.AppKill(.count(4))), acts > 20 ? .stop : .expireTokens(fleet: "visitors"),
    ]
    return all[min(all.count - 1, Int(draws.uniform() * Double(all.count)))]
  }
}

struct Outcome: Equatable {
  var hash: String
  var events: [UInt8]
  var devices: Int
  var violations: [String]
}

func run(_ text: String, seed: UInt64, steered: Bool, shard: Shard? = nil) throws -> (Outcome, RunSteering?) {
  let result = try ScenarioReader().read(text)
  var setup = try RunSetup(result.scenario)
  if let shard { setup = setup.part(shard) }
  let hand = RandomHand(seed: seed)
  let steering = steered ? RunSteering(result.scenario, &setup, document: result.document) : nil
  hand.steering = steering
  var lines: [UInt8] = []
  let events = EventLog(setup, share: 1) { lines += $0 }
  let run = try FleetRun(
    setup, to: .inside(SQLiteStore(.scratch)), watchers: [events, hand], steering: steering)
  let report = try run.run()
  events.finish()
  return (
    Outcome(
      hash: report.hash.text, events: lines, devices: report.devices, violations: report.violations.map(\.text)),
    steering
  )
}

func sessions(_ count: Int) throws {
  var failures = 0
  for step in 0..<count {
    let seed = UInt64(1 + step)
    let text = scenarioText.split(separator: "SEED", omittingEmptySubsequences: false).joined(separator: "\(seed)")
    let (session, steering) = try run(text, seed: seed, steered: true)
    guard let steering else { continue }
    let saved = steering.scenarioText
    let (replay, _) = try run(saved, seed: seed, steered: false)
    let applied = steering.entries.count { if case .applied = $0.outcome { true } else { false } }
    let isSame = session.hash == replay.hash && session.events == replay.events
    var sum = TraceHash.zero
    for index in 0..<3 {
      guard let shard = Shard(index: index, count: 3) else { continue }
      if let part = TraceHash(text: try run(saved, seed: seed, steered: false, shard: shard).0.hash) { sum.add(part) }
    }
    let addsUp = sum.text == replay.hash
    if !isSame || !addsUp || !session.violations.isEmpty { failures += 1 }
    print(
      "seed \(seed): \(applied) of \(steering.entries.count) acts, \(session.devices) and \(replay.devices) devices, "
        + "\(session.events.count) bytes of events, hash \(session.hash) \(isSame ? "repeated" : "DIFFERS \(replay.hash)")"
        + (addsUp ? ", shards add up" : ", SHARDS DO NOT ADD UP") + " violations \(session.violations.prefix(3))")
    for entry in steering.entries where step == 0 {
      print("  \(entry.act.text) at \(entry.appliedAt.map { "\($0.seconds)" } ?? "-"): \(entry.outcome)")
    }
  }
  print("\(count) sessions, \(failures) failures")
}

func recording(_ phones: Int) throws {
  let text = """
    { version: 1, name: "day", clock: { duration: "24h", settle: "10m" },
      routes: { town: { type: "generate", trips: { model: "plan", plan: "commuter" } } },
      fleets: { commuters: { devices: \(phones), routes: "town" } } }
    """
  let result = try ScenarioReader().read(text)
  let clock = SystemClock()
  for isRecorded in [false, true] {
    var setup = try RunSetup(result.scenario)
    let steering = isRecorded ? RunSteering(result.scenario, &setup, document: result.document, places: 0) : nil
    let begun = clock.monotonicNow
    let run = try FleetRun(setup, to: .inside(SQLiteStore(.scratch)), watchers: [], steering: steering)
    let report = try run.run()
    print(
      "\(isRecorded ? "recorded" : "not recorded"): \(rounded((clock.monotonicNow - begun).seconds)) s, hash \(report.hash.text)"
    )
    guard let recording = steering?.recording else { continue }
    print("\(phones) phones for a day: \(recording.bytes >> 20) MiB")
    var times: [Double] = []
    var draws = RandomStream(seed: 7, device: 0, concern: 2)
    for _ in 0..<300 {
      let instant = Nanoseconds(Int64(draws.uniform() * 86_400e9))
      let asked = clock.monotonicNow
      let moment = recording.moment(at: instant)
      times.append((clock.monotonicNow - asked).seconds * 1_000)
      precondition(moment.phones.count <= phones)
    }
    times.sort()
    print("an instant: median \(rounded(times[150])) ms, largest \(rounded(times[299])) ms")
  }
}

let words = CommandLine.arguments.dropFirst()
let count = words.dropFirst().first.flatMap { Int($0) }
switch words.first {
case "sessions": try sessions(count ?? 10)
case "recording": try recording(count ?? 1_000)
default: print("room-bench sessions [COUNT] | recording [PHONES]")
}
