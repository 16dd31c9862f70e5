import Base
import Contract
import Oracle
import Scenario
import Testing
import World

@testable import FleetSimulator

/// SDK §19.3 and §19.4: people close their apps and restart their phones.
@Suite struct TerminationTests {
  private func run(
    _ platform: DevicePlatform, stops: Bool, boots: Bool = false, relaunchAfter seconds: Double = 180,
    _ edit: (inout LifecycleFault) -> Void
  ) throws -> (RunReport, SeenEvents) {
    var configuration = Runs.configuration(platform)
    configuration.app.stopOnTerminate = stops
    configuration.app.startOnBoot = boots
    var fault = LifecycleFault()
    fault.relaunchAfter = .constant(seconds)
    edit(&fault)
    let fleet = Runs.drivers(4, configuration: configuration, radio: .constant(.lte))
    return try Runs.watch(
      Runs.setup(
        seed: 21, minutes: 20, faults: [Fault(name: "end", start: .seconds(300), action: .lifecycle(fault))], fleet))
  }

  private func close(_ fault: inout LifecycleFault) { fault.terminate = true }
  private func reboot(_ fault: inout LifecycleFault) { fault.reboot = true }

  @Test(arguments: DevicePlatform.allCases) func withStopOnTerminateTrackingStaysOff(platform: DevicePlatform) throws {
    let (report, seen) = try run(platform, stops: true, close)
    #expect(report.isRight && report.violations == [])
    #expect(seen.inserts(from: 0, to: 300) > 40 && seen.inserts(from: 300, to: 1_200) == 0)
    #expect(seen.kills == 4 && seen.launches == 8, "opened again, and not started")
  }

  @Test func androidGoesOnRecordingWithoutItsApp() throws {
    let (report, seen) = try run(.android, stops: false, close)
    #expect(report.isRight && report.violations == [])
    #expect(seen.kills == 0 && seen.launches == 4)
    #expect(seen.inserts(from: 300, to: 480) > 20 && seen.inserts(from: 480, to: 1_200) > 40)
  }

  @Test func iOSStartsTheAppWhenThePhoneHasLeftTheRegion() throws {
    let (report, seen) = try run(.ios, stops: false, relaunchAfter: 900, close)
    #expect(report.isRight && report.violations == [])
    #expect(seen.kills == 4 && seen.launches == 8)
    #expect(seen.inserts(from: 300, to: 305) == 0, "nothing is recorded before the region is left")
    #expect(seen.inserts(from: 305, to: 1_200) > 40, "long before their users open them")
  }

  @Test(arguments: [(false, false), (false, true), (true, true)])
  func androidComesBackFromARebootAsConfigured(stops: Bool, boots: Bool) throws {
    let (report, seen) = try run(.android, stops: stops, boots: boots, relaunchAfter: 60, reboot)
    #expect(report.isRight && report.violations == [])
    #expect(seen.kills == 4 && seen.launches == 8)
    #expect((seen.inserts(from: 360, to: 1_200) > 40) == (!stops && boots))
  }

  /// Fences need more than "When in use" (SDK §15.3, §19.5).
  @Test(arguments: [(LocationAuthorizationRequest.always, true), (.whenInUse, false)])
  func usersGiveThePermissionThatIsAskedFor(asked: LocationAuthorizationRequest, areWatched: Bool) throws {
    var configuration = Runs.configuration(.android)
    configuration.geolocation.locationAuthorizationRequest = asked
    var fleet = Runs.drivers(2, configuration: configuration)
    fleet.geofences = [
      Geofence(
        identifier: "city",
        shape: .circle(center: Geofence.Vertex(latitude: 48.137, longitude: 11.575), radiusMetres: 20_000))
    ]
    let report = try Runs.run(Runs.setup(seed: 21, minutes: 10, fleet))
    #expect(report.isRight && report.violations == [])
    #expect(report.invariants.contains { $0.invariant == .geofence && $0.verdict == .held } == areWatched)
  }

  /// The end of all faults does not wait until something starts the app.
  @Test func aPhoneThatIsOffAtTheEndRunsAgain() throws {
    let (report, seen) = try run(.ios, stops: false, relaunchAfter: 3_000, reboot)
    #expect(report.isRight && report.violations == [])
    #expect(seen.kills == 4 && seen.launches == 8)
  }

  /// What happens before a device is there does not happen to it.
  @Test func aPhoneCannotBeSwitchedOffBeforeItIsThere() throws {
    var fleet = Runs.drivers(2, configuration: Runs.configuration(.android), radio: .constant(.lte))
    fleet.presence = Presence.from(MonotonicInstant(nanoseconds: 400_000_000_000))
    var fault = LifecycleFault()
    fault.reboot = true
    let (report, seen) = try Runs.watch(
      Runs.setup(
        seed: 21, minutes: 20, faults: [Fault(name: "end", start: .seconds(300), action: .lifecycle(fault))], fleet))
    #expect(report.isRight && report.violations == [])
    #expect(seen.kills == 0 && seen.launches == 2)
  }

  @Test(arguments: [false, true]) func iOSWaitsAfterARebootForAReason(stops: Bool) throws {
    let (report, seen) = try run(.ios, stops: stops, relaunchAfter: 60, reboot)
    #expect(report.isRight && report.violations == [])
    #expect(seen.kills == 4 && seen.launches == 8)
    #expect(seen.inserts(from: 300, to: 361) == 0)
    #expect((seen.inserts(from: 361, to: 1_200) > 40) == !stops)
  }
}
