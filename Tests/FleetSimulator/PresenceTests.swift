import Base
import Oracle
import Queue
import Store
import Testing
import Vocabulary
import World

@testable import FleetSimulator
@testable import Scenario

/// When devices are there, and who makes which trip.
@Suite struct PresenceTests {
  private func scenario(_ fleet: String, minutes: Int = 60) throws -> Scenario {
    let text = """
      { version: 1, name: "presence", seed: 3,
        clock: { start: "2026-03-02T07:30:00Z", duration: "\(minutes)m", settle: "5m" },
        fleets: { a: { \(fleet) } } }
      """
    return try ScenarioReader().read(text).scenario
  }

  @Test(arguments: ["linear", "heaviside"])
  func aRampHasAsManyDevicesAsThePlanSays(shape: String) throws {
    let scenario = try scenario(
      "executor: 'ramping-devices', startDevices: 3, shape: '\(shape)', startTime: '5m', "
        + "stages: [{ duration: '10m', target: 20 }, { duration: '0s', target: 8 }, { duration: '20m', target: 0 }]")
    let fleet = try RunSetup(scenario).fleets[0]
    #expect(fleet.devices == 20)
    for second in stride(from: 30.0, to: 3_600, by: 61) {
      let instant = MonotonicInstant(secondsRoundedUp: second)
      let present = (0..<fleet.devices).filter { isPresent($0, at: instant, fleet.presence) }.count
      let planned = FleetPlan.devices(of: scenario.fleets[0].value, at: second / 3_600, in: scenario)
      #expect(Double(present) == planned.rounded(), "second \(second)")
    }
  }

  /// By the changes that a device goes through, as the simulator does.
  private func isPresent(_ index: Int, at instant: MonotonicInstant, _ presence: Presence) -> Bool {
    guard var change = presence.first(of: index), change <= instant else { return false }
    var isPresent = true
    while let next = presence.change(of: index, after: change), next <= instant {
      isPresent.toggle()
      change = next
    }
    return isPresent
  }

  @Test func aDeviceThatHasLeftRecordsAndLosesNothing() throws {
    let scenario = try scenario(
      "executor: 'ramping-devices', startDevices: 4, stages: [{ duration: '10m', target: 4 }, { duration: '0s', target: 0 }]"
    )
    let watcher = Tracker()
    let run = try FleetRun(
      RunSetup(scenario), store: SQLiteStore(StoreConfiguration(folder: ":memory:")), watchers: [watcher])
    let report = try run.run()
    #expect(report.isRight && report.sums.created > 20 && report.sums.stored == report.sums.created)
    #expect(watcher.inserts.allSatisfy { $0.seconds <= 601 })
  }

  @Test(arguments: ["poisson", "even"])
  func tripsBeginAsOftenAsTheirRateSays(pattern: String) throws {
    let scenario = try scenario(
      "executor: 'ramping-arrival-rate', startRate: 0, timeUnit: '1h', arrivals: '\(pattern)', maxDevices: 500, "
        + "stages: [{ duration: '20m', target: 60 }, { duration: '20m', target: 60 }], trip: { distance: '2km' }")
    let fleet = try RunSetup(scenario).fleets[0]
    guard case .scheduled(_, let trips) = fleet.movement else { throw Missing.trips }
    let starts = trips.joined().map(\.start.seconds).sorted()
    // Half of 20, then 20, and the last rate stays for another 20 minutes.
    #expect(starts.count == 50 && fleet.droppedTrips == 0)
    #expect(starts.filter { $0 < 1_200 }.count == 10)
    #expect(trips.joined().allSatisfy { $0.metres == 2_000 })
    #expect(trips.count < 30 && trips.allSatisfy { !$0.isEmpty })
  }

  @Test func tripsWithoutAFreeDeviceAreDroppedAndCounted() throws {
    let scenario = try scenario(
      "executor: 'constant-arrival-rate', rate: 60, timeUnit: '1h', maxDevices: 2, trip: { distance: '20km' }")
    let fleet = try RunSetup(scenario).fleets[0]
    guard case .scheduled(_, let trips) = fleet.movement else { throw Missing.trips }
    #expect(fleet.devices == 2)
    #expect(trips.joined().count + fleet.droppedTrips == 60 && fleet.droppedTrips > 30)
    let report = try Runs.run(RunSetup(scenario))
    #expect(report.isRight && report.sums.created > 0)
  }

  /// On open ground a trip has no end of its own; the first draws of this tail are longer than a light-year.
  @Test func aTripThatDoesNotEndInTheRunIsPlannedToItsEnd() throws {
    let text = """
      { version: 1, name: "far", seed: 3, clock: { start: "2026-03-02T07:30:00Z", duration: "10m", settle: "5m" },
        routes: { open: { type: "generate", model: "gauss-markov" } },
        fleets: { a: { executor: "constant-arrival-rate", rate: 1, timeUnit: "1m", maxDevices: 20, routes: "open",
          trip: { distance: { dist: "pareto", min: "1km", alpha: 0.1 } } } } }
      """
    let report = try Runs.run(RunSetup(ScenarioReader().read(text).scenario))
    #expect(report.isRight && report.sums.created > 0)
  }

  @Test func stopsOfACenturyAreLongerThanTheRun() throws {
    let text = """
      { version: 1, name: "halt", seed: 3, clock: { start: "2026-03-02T07:30:00Z", duration: "30m", settle: "5m" },
        motion: { m: { extends: "driving", speed: { stops: { perKm: 20, duration: "36500d" } } } },
        fleets: { a: { devices: 3, motion: "m" } } }
      """
    let report = try Runs.run(RunSetup(ScenarioReader().read(text).scenario))
    #expect(report.isRight && report.sums.created > 0)
  }

  @Test(arguments: ["50ms", "36500d"])
  func aWalkHasStepsThatAreRefused(step: String) throws {
    let text = """
      { version: 1, name: "step", seed: 3, clock: { start: "2026-03-02T07:30:00Z", duration: "30m", settle: "5m" },
        routes: { open: { type: "generate", model: "gauss-markov", step: "\(step)" } },
        fleets: { a: { devices: 3, routes: "open" } } }
      """
    let refused = try #require(throws: ScenarioErrors.self) { try ScenarioReader().read(text) }
    #expect(refused.all.map(\.path) == ["routes.open.step"])
  }

  /// The order that the plan of trips relies on: a body makes them as they were planned.
  @Test func tripsBeginWhenTheyArePlanned() throws {
    let scenario = try scenario(
      "executor: 'constant-arrival-rate', rate: 20, timeUnit: '1h', maxDevices: 9, trip: { distance: '3km' }")
    let setup = try RunSetup(scenario)
    guard case .scheduled(_, let trips) = setup.fleets[0].movement else { throw Missing.trips }
    for index in trips.indices {
      let clock = DayClock(secondsAfterMidnight: 0, firstWeekday: 2)
      var body = setup.fleets[0].movement.body(
        seed: setup.seed, device: setup.fleets[0].key(of: index), index: index, clock: clock,
        start: trips[index][0].start)
      var starts: [MonotonicInstant] = []
      for planned in trips[index] {
        // A body is told of its trip a millisecond before.
        body.advance(to: planned.start + .milliseconds(2))
        if case .trip(let trip) = body.episode {
          starts.append(trip.start)
          #expect((trip.motion.path.lengthMetres - 3_000).magnitude < 400)
        }
        if let end = body.episode.end { body.advance(to: end) }
      }
      #expect(zip(starts, trips[index]).allSatisfy { ($0 - $1.start) <= .milliseconds(2) })
      #expect(starts.count == trips[index].count)
    }
  }

  private enum Missing: Error { case trips }
}

/// When records came into being.
private final class Tracker: Watcher {
  var inserts: [MonotonicInstant] = []

  func see(_ event: SimulationEvent, _ context: EventContext) {
    if case .queue(.inserted) = event { inserts.append(context.now.monotonic) }
  }
}
