import FoundationEssentials
import Support
import Testing

@testable import BackgroundGeolocation

/// Fences over the end of the process (SDK §15.4, §15.7), as an app sees them.
@Suite struct GeofenceRestartTests {
  private static let circle = Geofence(
    identifier: "Home", radius: 200, latitude: 45.5, longitude: -73.6, notifyOnEntry: true, notifyOnExit: true)
  private static let square = Geofence(
    identifier: "Home",
    vertices: [[45.498, -73.603], [45.498, -73.597], [45.502, -73.597], [45.502, -73.603]], notifyOnEntry: true,
    notifyOnExit: true)

  @Test(arguments: [LinuxPlatform.Profile.iOS, .android], [false, true])
  func aFenceThatIsLeftWhileTheAppIsDownHasItsExit(profile: LinuxPlatform.Profile, isPolygon: Bool) async throws {
    for (onlyGeofences, endsItself, metres) in [
      (false, false, 3_000.0), (true, false, 3_000), (false, true, 3_000), (true, true, 3_000), (true, false, 0),
    ] {
      let folder = try TemporaryFolder()
      let told = Inbox<String>()
      do {
        let bench = try Bench(profile, folder: folder.path, seed: 1)
        let sub = bench.bgGeo.onGeofence { told.add($0.action) }
        bench.bgGeo.ready { $0.app.stopOnTerminate = false }
        try await bench.bgGeo.geofences.add(isPolygon ? Self.square : Self.circle)
        if onlyGeofences { try await bench.bgGeo.startGeofences() } else { try await bench.bgGeo.start() }
        bench.push()
        await bench.bgGeo.callbackQueue.drained()
        #expect(told.all == ["ENTER"])
        sub.remove()
        // On Android a closed app leaves its service behind, which goes on with the folder.
        if endsItself && profile == .iOS { bench.bgGeo.terminate() } else { bench.bgGeo.close() }
      }
      let bench = try Bench(profile, folder: folder.path, seed: 2)
      let sub = bench.bgGeo.onGeofence { told.add($0.action) }
      bench.bgGeo.ready { $0.app.stopOnTerminate = false }
      bench.push(north: metres)
      bench.clock.advance(by: 1)
      bench.push(north: metres)
      await bench.bgGeo.callbackQueue.drained()
      #expect(told.all == ["ENTER"] + (metres > 0 ? ["EXIT"] : []), "\(endsItself) \(metres)")
      let fence = try await bench.bgGeo.geofences.get("Home")
      #expect(fence.entryState == (metres > 0 ? .outside : .inside) && fence.hits == told.all.count)
      sub.remove()
      bench.bgGeo.close()
    }
  }

  /// Among more fences than the system watches. The position comes before `ready`, and the exit with it.
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android])
  func aFenceOfManyThatIsLeftWhileTheAppIsDownHasOneExit(profile: LinuxPlatform.Profile) async throws {
    for count in [0, 18, 120] {
      let folder = try TemporaryFolder()
      let told = Inbox<String>()
      for seed in 1...2 as ClosedRange<UInt64> {
        let bench = try Bench(profile, folder: folder.path, seed: seed)
        let sub = bench.bgGeo.onGeofence { told.add($0.action) }
        bench.push(north: seed == 1 ? 0 : 3_000)
        bench.bgGeo.ready { $0.app.stopOnTerminate = false }
        if seed == 1 {
          try await bench.bgGeo.geofences.add(Self.circle)
          for index in 0..<count {
            try await bench.bgGeo.geofences.add(
              Geofence(
                identifier: "\(index)", radius: 200, latitude: 46 + Double(index) / 100, longitude: -73.6,
                notifyOnEntry: true, notifyOnExit: true))
          }
          try await bench.bgGeo.start()
        }
        bench.clock.advance(by: 60)
        await bench.bgGeo.callbackQueue.drained()
        sub.remove()
        if seed == 2 { #expect(try await bench.bgGeo.geofences.get("Home").hits == 2) }
        bench.bgGeo.close()
      }
      #expect(told.all == ["ENTER", "EXIT"], "\(count)")
    }
  }

  @Test func aDwellGoesOnInTheNextProcess() async throws {
    let folder = try TemporaryFolder()
    let told = Inbox<String>()
    for seed in 1...2 as ClosedRange<UInt64> {
      let bench = try Bench(folder: folder.path, seed: seed)
      let sub = bench.bgGeo.onGeofence { told.add($0.action) }
      bench.bgGeo.ready { $0.app.stopOnTerminate = false }
      if seed == 1 {
        try await bench.bgGeo.geofences.add(
          Geofence(
            identifier: "Home", radius: 200, latitude: 45.5, longitude: -73.6, notifyOnDwell: true,
            loiteringDelay: 300_000))
        try await bench.bgGeo.start()
      }
      bench.push()
      // The second process begins where the first one began, by the clock.
      bench.clock.advance(by: seed == 1 ? 200 : 299)
      await bench.bgGeo.callbackQueue.drained()
      #expect(told.all == ["ENTER"])
      if seed == 2 {
        bench.clock.advance(by: 1)
        bench.push(north: 5)
        await bench.bgGeo.callbackQueue.drained()
        #expect(told.all == ["ENTER", "DWELL"])
      }
      sub.remove()
      bench.bgGeo.close()
    }
  }

  @Test(arguments: [LinuxPlatform.Profile.iOS, .android])
  func fencesAreSilentWithoutAlways(profile: LinuxPlatform.Profile) async throws {
    let bench = try Bench(profile)
    let told = Inbox<String>()
    let sub = bench.bgGeo.onGeofence { told.add($0.action) }
    bench.platform.setAuthorization(.authorizedWhenInUse)
    bench.bgGeo.ready { config in
      config.geolocation.locationAuthorizationRequest = .whenInUse
      config.logger.logLevel = .warning
    }
    try await bench.bgGeo.geofences.add(Self.circle)
    try await bench.bgGeo.start()
    bench.platform.enterBackground()
    for metres in [2_000.0, 0, 2_000] {
      bench.clock.advance(by: 60)
      bench.push(north: metres)
    }
    await bench.bgGeo.callbackQueue.drained()
    #expect(told.all.isEmpty)
    #expect(try await bench.bgGeo.logger.getLog().contains("Always"))
    bench.platform.setAuthorization(.authorizedAlways)
    for metres in [2_000.0, 0, 2_000] {
      bench.clock.advance(by: 60)
      bench.push(north: metres)
    }
    await bench.bgGeo.callbackQueue.drained()
    #expect(told.all == ["ENTER", "EXIT"])
    sub.remove()
  }

  /// Geofence `extras`: "attached to each geofence event and included in the payload"; the configured extras are laid flat into
  /// the object of a template (SDK §7.5).
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android])
  func aTemplateHasTheExtrasOfItsFence(profile: LinuxPlatform.Profile) async throws {
    let bench = try Bench(profile)
    let told = Inbox<GeofenceEvent>()
    let sub = bench.bgGeo.onGeofence { told.add($0) }
    try await bench.startAtRest { config in
      config.persistence.extras = ["trip": 7]
      config.persistence.geofenceTemplate =
        #"{"fence":"<%= geofence.identifier %>","of":<%= geofence.extras %>,"all":<%= extras %>}"#
      config.http.autoSync = false
    }
    try await bench.bgGeo.geofences.add(
      Geofence(identifier: "home", radius: 200, latitude: 45.5, longitude: -73.6, extras: ["route_id": 1234]))
    await bench.bgGeo.callbackQueue.drained()
    let record = try #require(try await bench.bgGeo.store.all().last)
    #expect(record["fence"] as? String == "home")
    #expect((record["of"] as? [String: Any])?["route_id"] as? Int == 1234)
    #expect((record["all"] as? [String: Any])?["trip"] as? Int == 7 && record["trip"] as? Int == 7)
    #expect(told.last?.extras?["route_id"] as? Int == 1234)
    sub.remove()
  }

  @Test func aCrossingIsDeliveredAsALocationToo() async throws {
    let bench = try Bench()
    let events = Inbox<String>()
    let sub = bench.bgGeo.onLocation { if $0.event == "geofence" { events.add($0.uuid ?? "") } }
    try await bench.startAtRest()
    try await bench.bgGeo.geofences.add(Self.circle)
    await bench.bgGeo.callbackQueue.drained()
    #expect(events.all.count == 1)
    sub.remove()
  }
}
