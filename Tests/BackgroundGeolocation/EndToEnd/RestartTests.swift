import FoundationEssentials
import Support
import Testing

@testable import BackgroundGeolocation

/// What survives the process.
@Suite struct RestartTests {
  @Test func aKillKeepsTheQueueAndTheStateAndTrackingGoesOn() async throws {
    let folder = try TemporaryFolder()
    let uuids: [String]
    do {
      let bench = try Bench(folder: folder.path, seed: 1)
      try await bench.startAtRest { config in
        config.app.stopOnTerminate = false
        config.http.params = ["user_id": 1]
      }
      bench.bgGeo.changePace(true)
      bench.drive(from: 10, to: 300, speed: 10)
      try await bench.bgGeo.geofences.add(Geofence(identifier: "Home", radius: 200, latitude: 1, longitude: 2))
      uuids = try await bench.bgGeo.store.all().compactMap { $0["uuid"] as? String }
      bench.bgGeo.close()
    }
    #expect(uuids.count > 3)
    let bench = try Bench(folder: folder.path, seed: 2)
    #expect(try await bench.bgGeo.store.all().compactMap { $0["uuid"] as? String } == uuids)
    #expect(bench.bgGeo.state.enabled && bench.bgGeo.state.odometer > 100 && !bench.bgGeo.state.isFirstBoot)
    #expect(bench.bgGeo.geofences.getAll().map(\.identifier) == ["Home"])
    bench.bgGeo.ready(reset: false) { _ in Issue.record("what was kept counts") }
    #expect(bench.bgGeo.config.http.params["user_id"] as? Int == 1)
    bench.push(north: 400)
    bench.drive(from: 410, to: 600, speed: 10)
    #expect(bench.bgGeo.store.count > uuids.count)
  }

  @Test func readyResetsTheConfigurationAndNothingElse() async throws {
    let folder = try TemporaryFolder()
    do {
      let bench = try Bench(folder: folder.path, seed: 1)
      try await bench.startAtRest { config in config.geolocation.distanceFilter = 99 }
      _ = try await bench.bgGeo.setOdometer(500)
      bench.bgGeo.close()
    }
    let bench = try Bench(folder: folder.path, seed: 2)
    bench.bgGeo.ready { config in
      #expect(config.geolocation.distanceFilter == 10 && !config.isFirstBoot)
      config.http.autoSync = false
    }
    #expect(bench.bgGeo.config.geolocation.distanceFilter == 10 && !bench.bgGeo.config.http.autoSync)
    #expect(bench.bgGeo.odometer == 500)
  }

  /// `stopAfterElapsedMinutes`: "Calls stop() this long after start()", however the process ends in between.
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android], [false, true])
  func theTimeOfTrackingGoesOn(profile: LinuxPlatform.Profile, isTerminated: Bool) async throws {
    let folder = try TemporaryFolder()
    let configure: @Sendable (Config) -> Void = { config in
      config.app.stopOnTerminate = false
      config.geolocation.stopAfterElapsedMinutes = 10
    }
    let bench = try Bench(profile, folder: folder.path)
    try await bench.startAtRest(configure)
    var app = bench.bgGeo
    for seed: UInt64 in [2, 3] {
      bench.clock.advance(by: 240)
      if isTerminated { app.terminate() } else { app.close() }
      app = try BGGeo(folder: folder.path, platform: bench.platform, seed: seed)
      app.ready(configure)
    }
    bench.clock.advance(by: 119)
    #expect(app.enabled)
    bench.clock.advance(by: 1)
    #expect(!app.enabled)
    app.close()
  }

  @Test func aFolderBelongsToOneInstanceAtATime() throws {
    let folder = try TemporaryFolder()
    let first = try Bench(folder: folder.path)
    #expect(throws: BGGeoError.self) { try Bench(folder: folder.path) }
    first.bgGeo.close()
    _ = try Bench(folder: folder.path)
  }

  @Test func aPlatformCarriesOneInstanceAtATime() throws {
    let bench = try Bench()
    #expect(throws: BGGeoError.self) { try BGGeo(folder: nil, platform: bench.platform) }
    bench.bgGeo.close()
    _ = try BGGeo(folder: nil, platform: bench.platform)
  }

  @Test func anEndOfTheAppStopsTracking() async throws {
    let folder = try TemporaryFolder()
    do {
      let bench = try Bench(folder: folder.path, seed: 1)
      try await bench.startAtRest()
      bench.bgGeo.terminate()
    }
    #expect(!(try Bench(folder: folder.path, seed: 2).bgGeo.enabled))
  }
}
