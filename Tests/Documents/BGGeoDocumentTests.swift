import BackgroundGeolocation
import FoundationEssentials
import Testing

/// The document of BGGeo: what happens before `ready`, tracking, positions on demand. Comments name the lines of the
/// document.
@Suite struct BGGeoDocumentTests {
  private func upload(_ config: Config) { config.http.url = Server.url }

  // MARK: Before ready

  // BGGeo 33
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android])
  func `BGGeo: without ready nothing is told or recorded or uploaded`(profile: LinuxPlatform.Profile) async throws {
    let phone = try Phone(profile)
    try await phone.start { config in
      config.http.url = Server.url
      config.app.stopOnTerminate = false
      config.app.heartbeatInterval = 60
    }
    phone.drive(from: 0, to: 300)
    phone.kill()
    phone.heard.forget()
    phone.server.forget()
    try phone.launch()
    let count = phone.app.store.count
    phone.move(from: 300, to: 2_000)
    phone.platform.setConnectivity(hasConnection: false)
    phone.platform.setConnectivity(hasConnection: true)
    phone.platform.setPowerSaveMode(true)
    phone.platform.enterBackground()
    phone.platform.enterForeground()
    phone.platform.fetchInBackground()
    phone.pass(minutes: 30)
    #expect(phone.heard.names.isEmpty && phone.server.requests.isEmpty && phone.app.store.count == count)
  }

  // BGGeo 27, 33
  @Test func `BGGeo: what happened before ready is told after it`() async throws {
    let phone = try Phone()
    let configure: @Sendable (Config) -> Void = { $0.app.stopOnTerminate = false }
    try await phone.app.geofences.add(GeofenceDocumentTests.circle("HOME", at: 0))
    try await phone.start(configure)
    phone.pass(minutes: 2)
    #expect(phone.heard.transitions == ["HOME ENTER"])
    phone.kill()
    phone.heard.forget()
    try phone.launch()
    phone.push(3_000)
    phone.callListeners()
    #expect(phone.heard.names.isEmpty)
    phone.ready(configure)
    phone.push(3_000)
    #expect(phone.heard.transitions == ["HOME EXIT"])
  }

  // BGGeo 35
  @Test func `BGGeo: what only reads the database works before ready`() async throws {
    let phone = try Phone()
    try await phone.start { $0.app.stopOnTerminate = false }
    try await phone.app.geofences.add(GeofenceDocumentTests.circle("HOME"))
    phone.kill()
    try phone.launch()
    #expect(phone.app.state.enabled && phone.app.store.count == 1)
    #expect(try await phone.app.store.all().count == 1)
    #expect(phone.app.geofences.getAll().map(\.identifier) == ["HOME"])
  }

  // BGGeo 35, 550
  @Test func `BGGeo: geofences are added and removed before ready`() async throws {
    let phone = try Phone()
    try await phone.app.geofences.add(GeofenceDocumentTests.circle("HOME"))
    #expect(await phone.app.geofences.exists("HOME"))
    try await phone.app.geofences.removeAll()
    #expect(phone.app.geofences.getAll().isEmpty)
    phone.ready()
    #expect(phone.app.geofences.getAll().isEmpty)
  }

  // MARK: Launches

  // BGGeo 31
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android])
  func `BGGeo: tracking that was on goes on with ready alone`(profile: LinuxPlatform.Profile) async throws {
    let phone = try Phone(profile)
    let configure: @Sendable (Config) -> Void = { $0.app.stopOnTerminate = false }
    try await phone.start(configure)
    phone.drive(from: 0, to: 300)
    phone.kill()
    try phone.launchReady(configure)
    #expect(phone.app.enabled)
    phone.heard.forget()
    phone.move(from: 300, to: 1_500)
    #expect(phone.heard.locations.count > 20)
  }

  // BGGeo 31
  @Test func `BGGeo: tracking that was off stays off`() throws {
    let phone = try Phone()
    phone.ready()
    phone.kill()
    try phone.launchReady { _ in }
    #expect(!phone.app.enabled && phone.app.state.isFirstBoot == false)
  }

  // BGGeo 29, 440
  @Test func `BGGeo: ready applies the configuration and keeps it`() throws {
    let phone = try Phone()
    phone.ready { config in
      config.geolocation.distanceFilter = 50
      config.http.url = Server.url
      config.persistence.maxDaysToPersist = 7
    }
    #expect(phone.app.config.geolocation.distanceFilter == 50)
    phone.kill()
    try phone.launch().ready(reset: false) { _ in }
    #expect(phone.app.config.geolocation.distanceFilter == 50 && phone.app.config.http.url == Server.url)
    #expect(phone.app.config.persistence.maxDaysToPersist == 7)
  }

  // BGGeo 440, 460
  @Test func `BGGeo: ready and a reset begin with the defaults`() throws {
    let phone = try Phone()
    phone.ready { $0.geolocation.distanceFilter = 50 }
    phone.app.config.reset()
    #expect(phone.app.config.geolocation.distanceFilter == 10)
    phone.app.config.batchUpdate { $0.geolocation.distanceFilter = 30 }
    phone.kill()
    try phone.launchReady { $0.http.url = Server.url }
    #expect(phone.app.config.geolocation.distanceFilter == 10 && phone.app.config.http.url == Server.url)
  }

  // MARK: Tracking

  // BGGeo 13, 520
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android])
  func `BGGeo: start takes a position and rests until the device moves`(profile: LinuxPlatform.Profile) async throws {
    let phone = try Phone(profile)
    try await phone.start()
    #expect(phone.heard.locations.map(\.event) == ["motionchange"] && !phone.app.state.isMoving)
    for step in 0..<300 {
      phone.pass(1)
      phone.push(Double(step % 3))
    }
    #expect(phone.heard.locations.count == 1, "location services are off")
    phone.push(activity: "in_vehicle")
    phone.move(from: 0, to: 1_000)
    #expect(phone.app.state.isMoving && phone.heard.motion.map(\.isMoving) == [false, true])
    #expect(phone.heard.locations.count > 15)
  }

  // BGGeo 13, 291: the stop time-out, five minutes of a device that is still.
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android])
  func `BGGeo: a device that is still comes to rest`(profile: LinuxPlatform.Profile) async throws {
    let phone = try Phone(profile)
    try await phone.start()
    phone.push(activity: "in_vehicle")
    phone.move(from: 0, to: 1_000)
    phone.push(activity: "still")
    for _ in 0..<600 {
      phone.pass(1)
      phone.push(1_000)
    }
    #expect(!phone.app.state.isMoving && phone.heard.motion.map(\.isMoving) == [false, true, false])
  }

  // BGGeo 390
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android])
  func `BGGeo: changePace says whether the device moves`(profile: LinuxPlatform.Profile) async throws {
    let phone = try Phone(profile)
    try await phone.start()
    phone.drive(from: 0, to: 300)
    #expect(phone.app.state.isMoving && phone.heard.locations.count > 5)
    phone.rest(at: 300)
    #expect(!phone.app.state.isMoving)
    let count = phone.heard.locations.count
    phone.move(from: 300, to: 380, speed: 2)
    #expect(phone.heard.locations.count == count)
  }

  // BGGeo 291
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android])
  func `BGGeo: changePace to the pace that there is already is no motion change`(
    profile: LinuxPlatform.Profile
  ) async throws {
    let phone = try Phone(profile)
    try await phone.start()
    phone.drive(from: 0, to: 300)
    phone.app.changePace(true)
    phone.move(from: 300, to: 600)
    #expect(phone.heard.motion.map(\.isMoving) == [false, true])
  }

  // BGGeo 598, 29
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android])
  func `BGGeo: stop ends tracking and geofences and start resumes them for the same listeners`(
    profile: LinuxPlatform.Profile
  ) async throws {
    let phone = try Phone(profile)
    try await phone.start()
    try await phone.app.geofences.add(GeofenceDocumentTests.circle("WORK"))
    phone.drive(from: 0, to: 300)
    phone.app.stop()
    phone.callListeners()
    phone.heard.forget()
    phone.move(from: 300, to: 3_000)
    #expect(phone.heard.names.isEmpty && !phone.app.enabled)
    try await phone.app.start()
    phone.drive(from: 3_000, to: 3_300)
    #expect(phone.heard.locations.count > 5)
    phone.move(from: 3_300, to: 0)
    #expect(phone.heard.transitions == ["WORK ENTER", "WORK EXIT"])
  }

  // BGGeo 544, 546
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android])
  func `BGGeo: start and startGeofences change the mode without stop`(profile: LinuxPlatform.Profile) async throws {
    let phone = try Phone(profile)
    try await phone.startGeofences()
    #expect(phone.app.enabled && phone.app.state.trackingMode == .geofence)
    try await phone.app.start()
    #expect(phone.app.enabled && phone.app.state.trackingMode == .location)
    phone.drive(from: 0, to: 500)
    #expect(phone.heard.locations.count > 10)
    try await phone.app.startGeofences()
    #expect(phone.app.enabled && phone.app.state.trackingMode == .geofence)
    phone.pass(2)
    phone.callListeners()
    let count = phone.app.store.count
    phone.move(from: 500, to: 2_000)
    #expect(phone.app.store.count == count)
    phone.app.stop()
    #expect(!phone.app.enabled)
  }

  // BGGeo 720, 20
  @Test func `BGGeo: the state and the store say what there is`() async throws {
    let phone = try Phone()
    try await phone.start()
    phone.drive(from: 0, to: 500)
    let state = phone.app.state
    #expect(state.enabled && state.isMoving && state.odometer > 300)
    let records = try await phone.app.store.all()
    #expect(records.count == phone.app.store.count)
    #expect(Set(records.compactMap { $0["uuid"] as? String }).isSubset(of: phone.heard.locations.compactMap(\.uuid)))
    phone.app.store.destroy(try #require(phone.heard.locations.first?.uuid))
    #expect(phone.app.store.count == records.count - 1)
    try await phone.app.store.destroyAll()
    #expect(phone.app.store.count == 0)
  }
}
