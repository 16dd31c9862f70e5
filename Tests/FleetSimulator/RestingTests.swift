import Base
import Contract
import Engine
import Host
import Oracle
import Scenario
import Testing
import Vocabulary
import World

@testable import FleetSimulator

/// A phone that has come to rest comes to rest for its SDK too, whatever its sensor thought on the way.
@Suite struct RestingTests {
  /// How many devices still moved for their SDK a quarter of an hour after they had come to rest, and of how many rests.
  private func measure(_ name: String, seed: UInt64, devices: Int) throws -> (moving: Int, rests: Int) {
    let builtIn = try #require(BuiltInScenario.named(name))
    let text = builtIn.text.replacing("devices: 1000", with: "devices: \(devices)")
    let files = RouteFiles(beside: nil, read: { _ in nil }, list: { _ in nil })
    var setup = try RunSetup(ScenarioReader().read(text).scenario, files: files)
    setup.seed = seed
    let rests = Rests(end: MonotonicInstant(nanoseconds: 0) + setup.duration)
    _ = try FleetRun(setup, store: Runs.store(), watchers: [rests]).run()
    return (rests.moving.count, rests.count)
  }

  @Test(arguments: [3 as UInt64]) func nobodyMovesAQuarterOfAnHourLater(seed: UInt64) throws {
    let (moving, rests) = try measure("commuters", seed: seed, devices: 80)
    #expect(rests > 80 && moving == 0, "\(moving) of 80 phones, in \(rests) rests")
  }
}

private final class Rests: Watcher {
  private struct Phone {
    /// What the SDK told last.
    var isMoving = false
    /// Since when it rests, and its app runs.
    var since: MonotonicInstant?
  }

  private let end: MonotonicInstant
  private var phones: [Int: Phone] = [:]
  private(set) var moving: Set<Int> = []
  private(set) var count = 0

  init(end: MonotonicInstant) { self.end = end }

  func see(_ event: SimulationEvent, _ context: EventContext) {
    let now = context.now.monotonic
    switch event {
    case .moves(let episode):
      close(context.device, at: now)
      // Where no position is to be had a rest is none that could be told (SDK §12.6.4).
      if case .stay(let stay) = episode, stay.cover != .tunnel {
        phones[context.device, default: Phone()].since = stay.start
      }
    case .killed: close(context.device, at: now)
    case .launched:
      if phones[context.device]?.since != nil { phones[context.device]?.since = now }
    case .told(.engine(.motionChange(let record))):
      phones[context.device, default: Phone()].isMoving = record.isMoving
    default: break
    }
  }

  func drivesEnded() {
    for device in phones.keys { close(device, at: end) }
  }

  /// The end of a rest: by now its SDK has told of it.
  private func close(_ device: Int, at now: MonotonicInstant) {
    guard let phone = phones[device], let since = phone.since else { return }
    phones[device]?.since = nil
    guard now - since > .seconds(900) else { return }
    count += 1
    if phone.isMoving { moving.insert(device) }
  }
}
