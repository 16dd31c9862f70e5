import BackgroundGeolocation
import FoundationEssentials
import Support
import Testing

/// Programs of our own in the shape of the SDK's documents: what they call must compile as it does on a phone.
@Suite struct DocumentedShapeTests {
  private func instance() throws -> BGGeo {
    try BGGeo(folder: nil, platform: LinuxPlatform(clock: DeviceClock(startingAt: Bench.start), transport: .none))
  }

  @Test func everyEventHasItsListener() throws {
    let bgGeo = try instance()
    var subscriptions = Set<EventSubscription>()
    bgGeo.onLocation { print("\($0)", $0.sample, $0.isMoving) }.store(in: &subscriptions)
    bgGeo.onMotionChange { event in print(event.isMoving) }.store(in: &subscriptions)
    bgGeo.onActivityChange { event in print("\(event.activity) \(event.confidence)") }.store(in: &subscriptions)
    bgGeo.onAuthorization { event in
      if event.isSuccess { print(event.response ?? [:]) } else { print(event.status, event.error ?? "") }
    }.store(in: &subscriptions)
    bgGeo.onConnectivityChange { event in print(event.hasConnection) }.store(in: &subscriptions)
    bgGeo.onEnabledChange { event in print(event.enabled) }.store(in: &subscriptions)
    bgGeo.onGeofence { event in
      print(event.identifier, event.action == "ENTER", event.timestamp, event.extras ?? [:], event.location)
    }.store(in: &subscriptions)
    bgGeo.onGeofencesChange { event in
      event.on.forEach { geofence in print(geofence.identifier) }
      event.off.forEach { identifier in print(identifier) }
    }.store(in: &subscriptions)
    bgGeo.onHeartbeat { event in print("\(event)", event.location) }.store(in: &subscriptions)
    bgGeo.onHttp { response in
      print(response.statusCode, response.isSuccess, response.responseText)
    }.store(in: &subscriptions)
    bgGeo.onPowerSaveChange { event in print(event.isPowerSaveMode) }.store(in: &subscriptions)
    bgGeo.onProviderChange { event in
      switch event.status {
      case .denied, .authorizedAlways, .authorizedWhenInUse: print(event.enabled, event.gps, event.network)
      default: break
      }
    }.store(in: &subscriptions)
    bgGeo.onSchedule { event in print(event.enabled) }.store(in: &subscriptions)
    #expect(subscriptions.count == 13)
    bgGeo.removeListeners()
  }

  @Test func everyGroupIsConfiguredInReady() throws {
    let bgGeo = try instance()
    bgGeo.ready { config in
      config.geolocation.desiredAccuracy = kCLLocationAccuracyBest
      config.geolocation.distanceFilter = 20
      config.app.stopOnTerminate = false
      config.app.startOnBoot = true
      config.app.heartbeatInterval = 60
      config.app.preventSuspend = true
      config.app.schedule = ["1 17:30-21:00", "2-6 09:00-17:00 geofence"]
      config.http.url = "https://example.com/locations"
      config.http.method = .put
      config.http.headers = ["Authorization": "Bearer secret", "X-FOO": "BAR"]
      config.http.params = ["user_id": 1234, "device_id": "abc123"]
      config.http.rootProperty = "data"
      config.http.timeout = 3000
      config.http.autoSync = true
      config.http.autoSyncThreshold = 10
      config.http.batchSync = true
      config.http.maxBatchSize = 25
      config.http.disableAutoSyncOnCellular = true
      config.persistence.maxDaysToPersist = 7
      config.persistence.extras = ["route": ["id": 7]]
      config.logger.logLevel = .debug
    }
    let config = bgGeo.config
    #expect(config.geolocation.desiredAccuracy == -1 && config.geolocation.distanceFilter == 20)
    #expect(!config.app.stopOnTerminate && config.app.startOnBoot && config.app.preventSuspend)
    #expect(config.app.heartbeatInterval == 60)
    #expect(config.app.schedule as? [String] == ["1 17:30-21:00", "2-6 09:00-17:00 geofence"])
    #expect(config.http.url == "https://example.com/locations" && config.http.method == .put)
    #expect(config.http.headers as? [String: String] == ["Authorization": "Bearer secret", "X-FOO": "BAR"])
    #expect(config.http.params["user_id"] as? Int == 1234 && config.http.params["device_id"] as? String == "abc123")
    #expect(config.http.rootProperty == "data" && config.http.timeout == 3000)
    #expect(config.http.autoSync && config.http.autoSyncThreshold == 10 && config.http.batchSync)
    #expect(config.http.maxBatchSize == 25 && config.http.disableAutoSyncOnCellular)
    #expect(config.persistence.maxDaysToPersist == 7)
    #expect((config.persistence.extras["route"] as? [String: Any])?["id"] as? Int == 7)
    #expect(bgGeo.logger.logLevel == .debug)
  }

  @Test func configurationChangesLaterToo() throws {
    let bgGeo = try instance()
    #expect(bgGeo.config.isFirstBoot)
    bgGeo.ready(reset: true) { _ in }
    bgGeo.config.batchUpdate { config in
      config.http.autoSync = false
      config.app.heartbeatInterval = 120
    }
    bgGeo.config.edit { config in config.geolocation.filter.policy = .adjust }
    #expect(!bgGeo.config.http.autoSync && bgGeo.config.app.heartbeatInterval == 120)
    #expect(bgGeo.config.geolocation.filter.policy == .adjust)
    #expect((bgGeo.config.toDictionary()["http"] as? [String: Any])?["autoSync"] as? Bool == false)
    #expect(bgGeo.config.toJson().contains(#""autoSync":false"#))
    bgGeo.config.reset()
    #expect(bgGeo.config.http.autoSync && bgGeo.config.app.heartbeatInterval == 60)
  }

  @Test func everyMethodOfTheLifeCycleIsThere() async throws {
    let bgGeo = try instance()
    bgGeo.ready { _ in }
    if !bgGeo.enabled { try await bgGeo.start() }
    #expect(bgGeo.enabled && bgGeo.state.trackingMode == .location)
    bgGeo.changePace(true)
    bgGeo.changePace(false)
    try await bgGeo.startGeofences()
    #expect(bgGeo.state.trackingMode == .geofence)
    bgGeo.startSchedule()
    bgGeo.stopSchedule()
    bgGeo.stop()
    #expect(!bgGeo.state.enabled && !bgGeo.state.isMoving && bgGeo.state.odometer == 0)
    let task = bgGeo.app.startBackgroundTask()
    bgGeo.app.stopBackgroundTask(task)
    #expect(!bgGeo.deviceSettings.isPowerSaveMode && bgGeo.sensors.hasAccelerometer)
    #expect(bgGeo.authorization.getState().status == .authorizedAlways)
    #expect(try await bgGeo.authorization.requestPermission() == .authorizedAlways)
  }

  @Test func aWatchIsStartedAndStopped() throws {
    let bgGeo = try instance()
    bgGeo.ready { _ in }
    var watchId: Int?
    watchId = bgGeo.watchPosition(
      interval: 1000, extras: ["foo": "bar"],
      success: { location in print("\(location)") }, failure: { error in print("\(error)") })
    if let id = watchId { bgGeo.stopWatchPosition(id) }
    #expect(watchId != nil)
  }

  @Test func geofencesAreManaged() async throws {
    let bgGeo = try instance()
    bgGeo.ready { _ in }
    let circle = Geofence(
      identifier: "Home", radius: 200, latitude: 45.51921926, longitude: -73.61678581, notifyOnEntry: true,
      notifyOnExit: true, extras: ["route_id": 1234])
    let polygon = Geofence(
      identifier: "Park",
      vertices: [[45.5189, -73.6050], [45.5183, -73.6034], [45.5171, -73.6043], [45.5177, -73.6060]],
      notifyOnEntry: true, notifyOnExit: true)
    try await bgGeo.geofences.add(circle)
    try await bgGeo.geofences.addAll([polygon])
    #expect(bgGeo.geofences.getAll().map(\.identifier) == ["Home", "Park"])
    let home = try await bgGeo.geofences.get("Home")
    #expect(home.extras?["route_id"] as? Int == 1234 && home.entryState == .outside && home.hits == 0)
    #expect(home.stateUpdatedAt == nil && home.loiteringDelay == 0 && !home.notifyOnDwell && home.vertices == nil)
    #expect(await bgGeo.geofences.exists("Park"))
    try await bgGeo.geofences.remove("Home")
    try await bgGeo.geofences.removeAll()
    #expect(bgGeo.geofences.getAll().isEmpty)
    await #expect(throws: BGGeoError.self) { try await bgGeo.geofences.get("Home") }
  }

  @Test func theStoreAndTheLogAreRead() async throws {
    let bgGeo = try instance()
    bgGeo.ready { config in config.logger.logLevel = .verbose }
    let uuid = try await bgGeo.store.insert(["coords": ["latitude": 45.5, "longitude": -73.6], "trip": 7])
    #expect(bgGeo.store.count == 1)
    let records = try await bgGeo.store.all(limit: 10)
    #expect(records.first?["uuid"] as? String == uuid && records.first?["trip"] as? Int == 7)
    bgGeo.store.destroy(uuid)
    #expect(bgGeo.store.count == 0)
    try await bgGeo.store.destroyAll()
    bgGeo.logger.notice("a line of the app")
    #expect(try await bgGeo.logger.getLog().contains("a line of the app"))
    bgGeo.logger.destroyLog()
    #expect(try await bgGeo.logger.getLog() == "")
  }
}
