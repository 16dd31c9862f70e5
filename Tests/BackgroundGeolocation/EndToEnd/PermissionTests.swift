import FoundationEssentials
import Support
import Testing

@testable import BackgroundGeolocation

/// SDK §19.5: while positions may not be used, there are none.
@Suite struct PermissionTests {
  enum Refusal: CaseIterable {
    case denied, restricted, notDetermined, servicesOff

    func tell(_ platform: LinuxPlatform) {
      switch self {
      case .denied: platform.setAuthorization(.denied)
      case .restricted: platform.setAuthorization(.restricted)
      case .notDetermined: platform.setAuthorization(.notDetermined)
      case .servicesOff: platform.setAuthorization(.authorizedAlways, servicesEnabled: false)
      }
    }

    var code: Int { self == .servicesOff ? 503 : 1 }
  }

  private func drive(_ bench: Bench, from start: Double, metres: Double = 600) {
    bench.drive(from: start, to: start + metres, speed: 10)
  }

  @Test(arguments: [LinuxPlatform.Profile.iOS, .android], Refusal.allCases)
  func nothingIsToldOrStoredUntilItIsGranted(profile: LinuxPlatform.Profile, refusal: Refusal) async throws {
    let bench = try Bench(profile)
    let heard = Inbox<LocationEvent>()
    let seen = Inbox<LocationEvent>()
    let errors = Inbox<Int>()
    let sub = bench.bgGeo.onLocation { heard.add($0) }
    try await bench.startAtRest { config in
      config.activity.disableStopDetection = true
      config.http.autoSync = false
    }
    let home = Geofence(identifier: "home", radius: 200, latitude: 45.5, longitude: -73.6)
    try await bench.bgGeo.geofences.add(home)
    bench.bgGeo.changePace(true)
    drive(bench, from: 10, metres: 90)
    let id = bench.bgGeo.watchPosition(
      success: { seen.add($0) }, failure: { errors.add(($0 as? LocationError)?.code ?? -1) })
    await bench.bgGeo.callbackQueue.drained()
    let (before, stored, watched) = (heard.all.count, bench.bgGeo.store.count, seen.all.count)
    #expect(before > 3 && stored > 3 && watched > 0 && errors.all.isEmpty)

    refusal.tell(bench.platform)
    drive(bench, from: 110)
    await bench.bgGeo.callbackQueue.drained()
    bench.bgGeo.stopWatchPosition(id)
    let late = bench.bgGeo.watchPosition(
      success: { seen.add($0) }, failure: { errors.add(($0 as? LocationError)?.code ?? -1) })
    bench.clock.advance(by: 30)
    await bench.bgGeo.callbackQueue.drained()
    #expect(heard.all.count == before && bench.bgGeo.store.count == stored && seen.all.count == watched)
    #expect(errors.all.filter { $0 != 408 } == [refusal.code, refusal.code], "once for each watch")

    bench.platform.setAuthorization(.authorizedAlways)
    drive(bench, from: 720, metres: 100)
    await bench.bgGeo.callbackQueue.drained()
    #expect(heard.all.count > before + 3 && bench.bgGeo.store.count > stored + 3 && seen.all.count > watched + 3)
    bench.bgGeo.stopWatchPosition(late)
    sub.remove()
  }

  /// BGGeo 35: the user is asked behind `ready`; a task that is cancelled before asks nothing.
  @Test func aPermissionIsAskedForBehindReady() async throws {
    let bench = try Bench()
    let authorization = bench.bgGeo.authorization
    let given = Task { try await authorization.requestPermission() }
    given.cancel()
    await #expect(throws: LocationError.self) { try await given.value }
    let accuracy = Task { try await authorization.requestTemporaryFullAccuracy(purpose: "delivery") }
    accuracy.cancel()
    await #expect(throws: LocationError.self) { try await accuracy.value }
    let status = Task { try await authorization.requestPermission() }
    bench.bgGeo.ready { _ in }
    #expect(try await status.value == .authorizedAlways)
  }

  /// It is at rest and has no place, and nothing but the permission changes.
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android])
  func aStartThatWasRefusedFindsItsPlaceWhenItIsGranted(profile: LinuxPlatform.Profile) async throws {
    let bench = try Bench(profile)
    let moved = Inbox<Bool>()
    let sub = bench.bgGeo.onMotionChange { moved.add($0.isMoving) }
    bench.platform.setAuthorization(.denied)
    try await bench.startAtRest()
    bench.clock.advance(by: 600)
    await bench.bgGeo.callbackQueue.drained()
    #expect(moved.all.isEmpty && bench.bgGeo.store.count == 0)
    bench.platform.setAuthorization(.authorizedAlways)
    bench.clock.advance(by: 10)
    await bench.bgGeo.callbackQueue.drained()
    #expect(moved.all == [false])
    sub.remove()
  }

  /// An app that does not run is not started either.
  @Test func aRegionThatIsLeftWithoutPermissionStartsNoApp() async throws {
    let folder = try TemporaryFolder()
    let bench = try Bench(.iOS, folder: folder.path)
    try await bench.startAtRest { $0.app.stopOnTerminate = false }
    bench.bgGeo.terminate()
    let launches = Inbox<Bool>()
    bench.platform.onRelaunch { launches.add(true) }
    bench.platform.setAuthorization(.denied)
    bench.drive(from: 0, to: 3_000, speed: 30)
    #expect(launches.all.isEmpty)
    bench.platform.setAuthorization(.authorizedAlways)
    bench.push(north: 3_000)
    #expect(!launches.all.isEmpty)
  }
}
