import Testing

@testable import Scenario

@Suite struct PlanTests {
  @Test func constantDevicesAreCountedInHours() throws {
    let plan = RunPlan(try read(scenario("clock: { duration: '30m' }", fleet: "devices: 8")))
    #expect(plan.peakDevices == 8 && (plan.fleets[0].deviceHours - 4).magnitude < 1e-9)
  }

  @Test func thousandsAreSeparated() throws {
    let text = RunPlan(try read(scenario("clock: { duration: '30m' }", fleet: "devices: 2468"))).text
    #expect(text.contains(" 1,234.0") && text.contains("at most 2,468 devices"))
    #expect(!text.contains("2468"))
  }

  @Test func aRampIsATriangle() throws {
    let fleet = "executor: 'ramping-devices', stages: [{ duration: '10m', target: 60 }]"
    let plan = RunPlan(try read(scenario(fleet: fleet)))
    #expect((plan.fleets[0].deviceHours - 5).magnitude < 0.01 && plan.peakDevices == 60)
  }

  @Test func aJumpIsAJump() throws {
    let fleet = "executor: 'ramping-devices', shape: 'heaviside', stages: [{ duration: '5m', target: 60 }]"
    let plan = RunPlan(try read(scenario(fleet: fleet)))
    #expect((plan.fleets[0].deviceHours - 5).magnitude < 0.01)
  }

  /// Ten trips a minute of two minutes each: twenty devices are on the way.
  @Test func arrivalsObeyLittlesLaw() throws {
    let fleet = """
      executor: 'constant-arrival-rate', rate: 10, timeUnit: '1m', motion: 'm', trip: { distance: '1200m' }
      """
    let text = scenario("motion: { m: { speed: { model: 'constant', mean: '10m/s' } } }", fleet: fleet)
    #expect(RunPlan(try read(text)).peakDevices == 20)
  }

  /// 10 m/s and a filter of 10 m × (1 + round(10 / 5)): a record every three seconds on the way.
  @Test func recordsFollowTheElasticDistanceFilter() throws {
    let fleet = """
      executor: 'constant-arrival-rate', rate: 1, timeUnit: '1s', maxDevices: 1, motion: 'm', trip: { distance: '1000km' }
      """
    let more =
      "motion: { m: { speed: { model: 'constant', mean: '10m/s' } } }, sdk: { config: { http: { batchSync: true, autoSyncThreshold: 4 } } }"
    let plan = RunPlan(try read(scenario(more, fleet: fleet))).fleets[0]
    #expect((plan.records - 200).magnitude < 1)
    #expect((plan.requests - plan.records / 4).magnitude < 1e-9)
  }

  @Test func aScaleKeepsWhatThereWas() throws {
    let scaled = try read(EveryKey.text).scaled(by: 0.01)
    #expect(scaled.fleets.map(\.value.executor.peakDevices) == [1, 1, 10, 1])
    #expect(scaled.faults.last?.selection.count == 1)
  }

  @Test func noFleetIsScaledAway() throws {
    let text = "fleets: { a: { devices: 100 }, b: { devices: 1 } }"
    let scaled = try read("{ version: 1, name: 'x', \(text) }").scaled(toDevices: 2)
    #expect(scaled.fleets.map(\.value.executor.peakDevices) == [2, 1])
  }

  @Test(arguments: [20, 100, 1_143, 5_000])
  func aNumberOfDevicesIsMetExactlyWhenEachFleetHasItsShare(count: Int) throws {
    let text = "fleets: { a: { devices: 100 }, b: { devices: 33 }, c: { devices: 10 } }"
    let scaled = try read("{ version: 1, name: 'x', \(text) }").scaled(toDevices: count)
    #expect(scaled.fleets.map(\.value.executor.peakDevices).reduce(0, +) == count)
  }

  @Test func oneFleetTakesOnlyItsOwnAlong() throws {
    let text = try read(EveryKey.text)
    let few = try #require(text.only(fleet: "few"))
    #expect(few.fleets.map(\.name) == ["few"] && few.faults.count == 15 && few.thresholds.count == 3)
    #expect(text.only(fleet: "nobody") == nil)
  }
}
