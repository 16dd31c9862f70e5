import FoundationEssentials
import Support
import Testing

@testable import BackgroundGeolocation

/// A device from the first call to the last, on a clock of the test and without a network.
@Suite struct TrackingTests {
  @Test func theFirstRecordIsThatOfTheRest() async throws {
    let bench = try Bench()
    let motion = Inbox<LocationEvent>()
    let subscription = bench.bgGeo.onMotionChange { motion.add($0) }
    try await bench.startAtRest()
    await bench.bgGeo.callbackQueue.drained()
    #expect(motion.all.count == 1)
    let event = try #require(motion.last)
    #expect(event.event == "motionchange" && !event.isMoving && event.coords?.latitude == 45.5)
    #expect(event.timestamp == Bench.start && event.coords?.floor == nil && event.mock == nil)
    #expect(event.data["event"] as? String == "motionchange")
    #expect((event.data["coords"] as? [String: Any])?["accuracy"] as? Double == 5)
    #expect(bench.bgGeo.store.count == 1)
    subscription.remove()
  }

  @Test func aDriveBringsLocationsAndMovesTheOdometer() async throws {
    let bench = try Bench()
    let locations = Inbox<LocationEvent>()
    let subscription = bench.bgGeo.onLocation { locations.add($0) }
    try await bench.startAtRest()
    bench.bgGeo.changePace(true)
    bench.drive(from: 10, to: 500, speed: 10)
    await bench.bgGeo.callbackQueue.drained()
    let tracked = locations.all.filter { !$0.sample && $0.event == nil }
    #expect(tracked.count > 5)
    #expect(bench.bgGeo.state.isMoving && bench.bgGeo.odometer > 300 && bench.bgGeo.odometer < 600)
    #expect(bench.bgGeo.odometer == bench.bgGeo.state.odometer)
    subscription.remove()
  }

  /// LocationEvent `odometer`: every pair of accepted positions counts, that of the rest and of the motion change too.
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android], [1.5, 10, 25])
  func theWayOutOfTheStationaryRegionCountsInFull(profile: LinuxPlatform.Profile, speed: Double) async throws {
    let bench = try Bench(profile)
    let motion = Inbox<LocationEvent>()
    let subscription = bench.bgGeo.onMotionChange { if $0.isMoving { motion.add($0) } }
    bench.push()
    bench.bgGeo.ready { _ in }
    try await bench.bgGeo.start()
    bench.clock.advance(by: 60)
    bench.drive(from: speed, to: 1_200, speed: speed)
    await bench.bgGeo.callbackQueue.drained()
    let odometer = try #require(motion.all.first?.odometer)
    #expect((195...260).contains(odometer) && motion.all.count == 1)
    // But for the way since the last record: at 25 m/s, a distance filter of 60 m.
    #expect((1_130...1_205).contains(bench.bgGeo.odometer), "\(bench.bgGeo.odometer)")
    subscription.remove()
  }

  /// LocationEvent 74, SDK §12.4.4: a new process hears what its user was doing, and so does a start after a stop.
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android])
  func anActivityFromBeforeTheStartIsHeardBehindIt(profile: LinuxPlatform.Profile) async throws {
    let bench = try Bench(profile)
    let activities = Inbox<String>()
    let subscription = bench.bgGeo.onActivityChange { activities.add($0.activity) }
    bench.platform.push(activity: "on_foot", confidence: 100)
    try await bench.startAtRest()
    bench.clock.advance(by: 2)
    #expect(try await bench.bgGeo.getCurrentPosition().activity?.type == "on_foot")
    bench.bgGeo.stop()
    bench.platform.push(activity: "on_bicycle", confidence: 100)
    bench.clock.advance(by: 3_600)
    try await bench.bgGeo.start()
    bench.clock.advance(by: 2)
    #expect(try await bench.bgGeo.getCurrentPosition().activity?.type == "on_bicycle")
    await bench.bgGeo.callbackQueue.drained()
    #expect(activities.all == ["on_foot", "on_bicycle"])
    subscription.remove()
  }

  @Test func aGeofenceIsEnteredAndLeft() async throws {
    let bench = try Bench()
    let crossings = Inbox<GeofenceEvent>()
    let subscription = bench.bgGeo.onGeofence { crossings.add($0) }
    try await bench.startAtRest()
    try await bench.bgGeo.geofences.add(
      Geofence(identifier: "Depot", radius: 200, latitude: 45.5 + 1_000 / 111_130, longitude: -73.6, extras: ["n": 1]))
    bench.bgGeo.changePace(true)
    bench.drive(from: 20, to: 2_000, speed: 20)
    await bench.bgGeo.callbackQueue.drained()
    #expect(crossings.all.map(\.action) == ["ENTER", "EXIT"])
    #expect(crossings.all.allSatisfy { $0.identifier == "Depot" && $0.extras?["n"] as? Int == 1 })
    #expect(crossings.last?.location.geofence?.action == "EXIT" && crossings.last?.geofence.hits == 2)
    #expect(try await bench.bgGeo.geofences.get("Depot").entryState == .outside)
    subscription.remove()
  }

  @Test func aPositionIsTheBestOfItsSamples() async throws {
    let bench = try Bench()
    let samples = Inbox<LocationEvent>()
    let subscription = bench.bgGeo.onLocation { samples.add($0) }
    bench.bgGeo.ready { _ in }
    async let position = bench.bgGeo.getCurrentPosition(
      timeout: 30, desiredAccuracy: 1, samples: 3, extras: ["route_id": 123])
    try await waitUntil { bench.platform.isSampling }
    for accuracy in [30.0, 12, 20] {
      bench.clock.advance(by: 1)
      bench.push(accuracy: accuracy)
    }
    let location = try await position
    #expect(location.coords?.accuracy == 12 && location.extras?["route_id"] as? Int == 123 && !location.sample)
    await bench.bgGeo.callbackQueue.drained()
    #expect(samples.all.filter(\.sample).map { $0.coords?.accuracy } == [30, 12, 20], "all of them (BGGeo 416)")
    #expect(bench.bgGeo.store.count == 1)
    subscription.remove()
  }

  @Test func withoutAPositionTheTimeRunsOut() async throws {
    let bench = try Bench()
    bench.bgGeo.ready { _ in }
    let task = Task { try await bench.bgGeo.getCurrentPosition(timeout: 30) }
    try await waitUntil { bench.platform.isSampling }
    bench.clock.advance(by: 31)
    await #expect(throws: LocationError.timeout) { try await task.value }
  }

  @Test func aCancelledTaskGets499() async throws {
    let bench = try Bench()
    bench.bgGeo.ready { _ in }
    let task = Task { try await bench.bgGeo.getCurrentPosition(timeout: 30) }
    try await waitUntil { bench.platform.isSampling }
    task.cancel()
    await #expect(throws: LocationError.cancelled) { try await task.value }
    // The answer of the engine comes later, without a listener.
    bench.push()
  }

  @Test func aClosedInstanceAnswersWith499AndDoesNothing() async throws {
    let bench = try Bench()
    bench.bgGeo.ready { _ in }
    let task = Task { try await bench.bgGeo.getCurrentPosition(timeout: 30) }
    try await waitUntil { bench.platform.isSampling }
    bench.bgGeo.close()
    await #expect(throws: LocationError.cancelled) { try await task.value }
    await #expect(throws: LocationError.cancelled) { try await bench.bgGeo.start() }
    #expect(bench.bgGeo.store.count == 0 && !bench.bgGeo.enabled)
    bench.push()
  }

  /// SDK §12.6.4: four minutes bring none, and then the next sign of life is waited for.
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android])
  func aDeviceWithoutAPlaceComesToRestAtTheFirstPosition(profile: LinuxPlatform.Profile) async throws {
    let bench = try Bench(profile)
    let moved = Inbox<Bool>()
    let sub = bench.bgGeo.onMotionChange { moved.add($0.isMoving) }
    bench.bgGeo.ready { _ in }
    try await bench.bgGeo.start()
    bench.clock.advance(by: 600)
    await bench.bgGeo.callbackQueue.drained()
    #expect(moved.all.isEmpty)
    bench.push()
    bench.clock.advance(by: 10)
    await bench.bgGeo.callbackQueue.drained()
    #expect(moved.all == [false])
    sub.remove()
  }

  @Test func withoutPermissionThereIsNoPosition() async throws {
    let bench = try Bench()
    bench.platform.setAuthorization(.denied)
    bench.bgGeo.ready { _ in }
    do {
      _ = try await bench.bgGeo.getCurrentPosition()
      Issue.record("it was denied")
    } catch let error as LocationError { #expect(error.code == 1) }
    await #expect(throws: BGGeoError.self) { try await bench.bgGeo.authorization.requestPermission() }
  }

  @Test func nonsenseIsRefusedWith400() async throws {
    let bench = try Bench()
    bench.bgGeo.ready { _ in }
    for call in [
      { try await bench.bgGeo.getCurrentPosition(timeout: .nan) },
      { try await bench.bgGeo.getCurrentPosition(samples: 0) },
      { try await bench.bgGeo.getCurrentPosition(extras: ["no": bench.clock]) },
      { try await bench.bgGeo.setOdometer(.infinity) },
    ] as [() async throws -> LocationEvent] {
      do {
        _ = try await call()
        Issue.record("it makes no sense")
      } catch let error as LocationError { #expect(error.code == 400) }
    }
  }

  @Test func theOdometerIsSetWhereTheDeviceIs() async throws {
    let bench = try Bench()
    try await bench.startAtRest()
    let location = try await bench.bgGeo.setOdometer(1234.56)
    #expect(location.odometer == 1234.56 && bench.bgGeo.odometer == 1234.56)
    #expect(try await bench.bgGeo.resetOdometer().odometer == 0)
  }

  @Test func theScheduleSwitchesTracking() async throws {
    // 1785263663 is 2026-07-28, a Tuesday, 18:34:23 UTC.
    let bench = try Bench(.android)
    let switches = Inbox<Bool>()
    let subscription = bench.bgGeo.onSchedule { switches.add($0.enabled) }
    bench.bgGeo.ready { config in
      config.app.schedule = ["3 19:00-20:00"]
      config.app.scheduleUseAlarmManager = true
    }
    bench.bgGeo.startSchedule()
    #expect(!bench.bgGeo.enabled && bench.bgGeo.state.schedulerEnabled)
    bench.clock.advance(by: 30 * 60)
    #expect(bench.bgGeo.enabled)
    bench.clock.advance(by: 60 * 60)
    #expect(!bench.bgGeo.enabled)
    await bench.bgGeo.callbackQueue.drained()
    #expect(switches.all == [true, false])
    subscription.remove()
  }

  @Test func aHeartbeatTellsTheLastLocation() async throws {
    let bench = try Bench()
    let beats = Inbox<HeartbeatEvent>()
    let subscription = bench.bgGeo.onHeartbeat { beats.add($0) }
    try await bench.startAtRest { config in config.app.heartbeatInterval = 60 }
    bench.clock.advance(by: 185)
    await bench.bgGeo.callbackQueue.drained()
    #expect(beats.all.count == 3 && beats.last?.location.event == "heartbeat")
    #expect(bench.bgGeo.store.count == 1)
    subscription.remove()
  }

  @Test func aTransportMayAnswerAtOnceHoweverMuchThereIs() async throws {
    let sent = Inbox<String>()
    let bench = try Bench(
      transport: HTTPTransport { request, end in
        sent.add("\(request.method) \(request.url)")
        end(.answered(status: 200, body: []))
      })
    bench.bgGeo.ready { config in
      config.http.url = "http://server.example/a"
      config.http.autoSync = false
    }
    for number in 0..<2_000 {
      _ = try await bench.bgGeo.store.insert(["coords": ["latitude": 1, "longitude": 2], "number": number])
    }
    let taken = try await bench.bgGeo.store.sync()
    #expect(taken.count == 2_000 && taken.last?["number"] as? Int == 1_999 && bench.bgGeo.store.count == 0)
    #expect(sent.all.count == 2_000 && Set(sent.all) == ["POST http://server.example/a"])
  }

  @Test func aBatchUpdateLeavesOtherGroupsAlone() throws {
    let bench = try Bench()
    bench.bgGeo.ready { _ in }
    bench.bgGeo.config.batchUpdate { config in
      config.http.autoSync = false
      // As a refresh of tokens would, while this function runs.
      bench.bgGeo.config.authorization.accessToken = "new"
    }
    #expect(bench.bgGeo.config.authorization.accessToken == "new" && !bench.bgGeo.config.http.autoSync)
  }

  /// Of one group, too.
  @Test func aBatchUpdateLeavesOtherKeysAlone() throws {
    let bench = try Bench()
    bench.bgGeo.ready { _ in }
    bench.bgGeo.config.batchUpdate { config in
      (config.http.maxBatchSize, config.http.timeout) = (9, -5)
      // As a command of a server would.
      bench.bgGeo.config.http.params = ["from": "server"]
      bench.bgGeo.config.http.maxBatchSize = 7
    }
    #expect(bench.bgGeo.config.http.params["from"] as? String == "server")
    #expect(bench.bgGeo.config.http.maxBatchSize == 9)
  }

  /// What `insert` returns is what `destroy` takes, and what is stored, sent and logged.
  @Test(
    arguments: [LinuxPlatform.Profile.iOS, .android],
    [nil, "my-id", "0D9B5E8C-7A51-4DC5-B8D5-3E2C0F8B9A11", "0d9b5e8c-7a51-4dc5-b8d5-3e2c0f8b9a11"])
  func aRecordOfTheAppIsKnownByTheNameThatItGets(profile: LinuxPlatform.Profile, uuid: String?) async throws {
    let bodies = Inbox<String>()
    let bench = try Bench(
      profile,
      transport: HTTPTransport { request, completion in
        bodies.add(String(decoding: request.body, as: UTF8.self))
        completion(.answered(status: 200, body: []))
      })
    bench.bgGeo.ready { config in
      config.http.url = "http://server.example/"
      config.http.autoSync = false
      config.logger.logLevel = .verbose
    }
    var record: [String: Any] = ["coords": ["latitude": 1.0, "longitude": 2.0]]
    if let uuid { record["uuid"] = uuid }
    let stored = try await bench.bgGeo.store.insert(record)
    #expect((stored == uuid) == (uuid?.count == 36))
    #expect(try await bench.bgGeo.store.all().map { $0["uuid"] as? String } == [stored])
    _ = try await bench.bgGeo.store.sync()
    #expect(bodies.last?.contains(stored) == true)
    let log = try await bench.bgGeo.logger.getLog()
    #expect(uuid?.count == 36 || log.contains(stored))
    #expect(log.contains(#"no UUID and is replaced: "my-id""#) == (uuid == "my-id"))
    let again = try await bench.bgGeo.store.insert(record)
    bench.bgGeo.store.destroy(again)
    #expect(bench.bgGeo.store.count == 0)
  }

  /// PersistenceConfig `maxRecordsToPersist`.
  @Test func aQueueOfNoLengthTakesNoRecordOfTheApp() async throws {
    let bench = try Bench()
    bench.bgGeo.ready { $0.persistence.maxRecordsToPersist = 0 }
    do {
      _ = try await bench.bgGeo.store.insert(["coords": ["latitude": 1.0, "longitude": 2.0]])
      Issue.record("nothing is stored")
    } catch { #expect("\(error)".contains("maxRecordsToPersist must be other than 0")) }
    #expect(bench.bgGeo.store.count == 0)
  }

  /// The uuid identifies a record: a server takes a second one for a repetition, and deleting it would delete the first.
  @Test func aUUIDIsStoredOnce() async throws {
    let bench = try Bench()
    bench.bgGeo.ready { _ in }
    let record: [String: Any] = [
      "uuid": "3F2504E0-4F89-41D3-9A0C-0305E82C3301", "coords": ["latitude": 1.0, "longitude": 2.0],
    ]
    let stored = try await bench.bgGeo.store.insert(record)
    do {
      _ = try await bench.bgGeo.store.insert(record.merging(["uuid": stored.lowercased()]) { $1 })
      Issue.record("it is stored twice")
    } catch { #expect("\(error)".contains("uuid must be that of no record in the store"), "\(error)") }
    #expect(bench.bgGeo.store.count == 1)
    // An acknowledged or deleted record is no longer there.
    bench.bgGeo.store.destroy(stored)
    _ = try await bench.bgGeo.store.insert(record)
    #expect(bench.bgGeo.store.count == 1)
  }

  /// PersistenceConfig `maxRecordsToPersist`.
  @Test(arguments: [(2, 2), (0, 0), (-1, 5)])
  func aLowerLimitTakesFromWhatIsStored(limit: Int, count: Int) async throws {
    let bench = try Bench()
    bench.bgGeo.ready { _ in }
    for _ in 0..<5 { _ = try await bench.bgGeo.store.insert(["coords": ["latitude": 1.0, "longitude": 2.0]]) }
    bench.bgGeo.config.persistence.maxRecordsToPersist = limit
    #expect(bench.bgGeo.store.count == count)
  }

  @Test func theLogBeginsWithTheConfigurationButNotItsTokens() async throws {
    let bench = try Bench()
    bench.bgGeo.ready { config in
      config.logger.logLevel = .info
      config.authorization.accessToken = "abcdefghijklmnop"
    }
    let log = try await bench.bgGeo.logger.getLog()
    #expect(log.hasPrefix("2026-07-28 18:34:23.000") && log.contains("distanceFilter"))
    #expect(!log.contains("abcdefghijklmnop"))
  }
}
