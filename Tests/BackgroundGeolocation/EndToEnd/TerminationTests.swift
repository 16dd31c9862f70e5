import FoundationEssentials
import Support
import Synchronization
import Testing

@testable import BackgroundGeolocation

/// SDK §19: an app that is closed, killed or switched off with its phone, and what brings it back.
@Suite struct TerminationTests {
  /// One phone, and the apps on it, one after the other.
  private final class Phone: Sendable {
    let folder: String
    let clock = DeviceClock(startingAt: Bench.start)
    let platform: LinuxPlatform
    let requests = Inbox<String>()
    let moved = Inbox<Bool>()
    let crossed = Inbox<String>()
    let enabled = Inbox<Bool>()
    let errors = Inbox<Int>()
    private let state = Mutex((app: BGGeo?.none, launches: UInt64(0), subscriptions: Set<EventSubscription>()))

    init(_ profile: LinuxPlatform.Profile, folder: String) {
      let requests = requests
      self.folder = folder
      platform = LinuxPlatform(
        profile, clock: clock,
        transport: HTTPTransport { request, completion in
          requests.add(request.url)
          completion(.answered(status: 200, body: []))
        })
    }

    var app: BGGeo {
      get throws { try #require(state.withLock { $0.app }) }
    }
    var launches: UInt64 { state.withLock { $0.launches } }

    /// The app starts and listens.
    @discardableResult
    func launch() throws -> BGGeo {
      let seed = state.withLock { state in
        state.launches += 1
        return state.launches
      }
      let app = try BGGeo(folder: folder, platform: platform, seed: seed)
      let subscriptions = [
        app.onMotionChange { [moved] in moved.add($0.isMoving) },
        app.onGeofence { [crossed] in crossed.add("\($0.identifier) \($0.action)") },
        app.onEnabledChange { [enabled] in enabled.add($0.enabled) },
        app.onLocation({ _ in }, failure: { [errors] in errors.add($0.code) }),
      ]
      state.withLock { state in
        state.app = app
        state.subscriptions = Set(subscriptions)
      }
      return app
    }

    func push(north metres: Double, speed: Double = 0) {
      platform.push(
        CLLocation(
          coordinate: CLLocationCoordinate2D(latitude: 45.5 + metres / 111_130, longitude: -73.6), altitude: 40,
          horizontalAccuracy: 5, verticalAccuracy: 4, course: 0, speed: speed, timestamp: clock.now))
    }

    /// A position each second, ten metres apart.
    func drive(from start: Double, to end: Double) {
      for metres in stride(from: start, through: end, by: 10) {
        clock.advance(by: 1)
        push(north: metres, speed: 10)
      }
    }
  }

  private func configure(_ stopOnTerminate: Bool, startOnBoot: Bool = false) -> @Sendable (Config) -> Void {
    { config in
      config.app.stopOnTerminate = stopOnTerminate
      config.app.startOnBoot = startOnBoot
      config.http.url = "http://server.example/locations"
    }
  }

  /// At rest at 0, on.
  private func start(_ phone: Phone, _ configure: @escaping (Config) -> Void) async throws {
    let app = try phone.launch()
    app.ready(configure)
    try await app.start()
    phone.push(north: 0)
    await app.callbackQueue.drained()
  }

  @Test(arguments: [LinuxPlatform.Profile.iOS, .android])
  func withStopOnTerminateTrackingIsOffUntilTheNextStart(profile: LinuxPlatform.Profile) async throws {
    let folder = try TemporaryFolder()
    let phone = Phone(profile, folder: folder.path)
    phone.platform.onRelaunch { Issue.record("nothing is watched") }
    try await start(phone, configure(true))
    let first = try phone.app
    first.terminate()
    await first.callbackQueue.drained()
    #expect(phone.enabled.last == false && phone.errors.all.isEmpty)
    phone.drive(from: 10, to: 2_000)
    let app = try phone.launch()
    let count = app.store.count
    app.ready(configure(true))
    phone.drive(from: 2_010, to: 3_000)
    #expect(!app.enabled && app.store.count == count)
    app.close()
  }

  @Test func androidGoesOnWithoutListenersAndTheNextAppTakesOver() async throws {
    let folder = try TemporaryFolder()
    let phone = Phone(.android, folder: folder.path)
    try await start(phone, configure(false))
    let first = try phone.app
    first.changePace(true)
    phone.drive(from: 10, to: 200)
    await first.callbackQueue.drained()
    first.terminate()
    let (told, sent) = (phone.moved.all.count, phone.requests.all.count)
    phone.drive(from: 210, to: 1_900)
    await first.callbackQueue.drained()
    #expect(phone.requests.all.count > sent + 50 && phone.moved.all.count == told)

    let app = try phone.launch()
    #expect(app.enabled && app.state.isMoving && app.odometer > 1_500)
    app.ready(configure(false))
    #expect(!app.state.isFirstBoot)
    let before = phone.requests.all.count
    phone.drive(from: 1_910, to: 2_100)
    #expect(phone.requests.all.count > before + 5)
    app.changePace(false)
    phone.push(north: 2_100)
    await app.callbackQueue.drained()
    #expect(phone.moved.all.count == told + 1 && phone.moved.last == false)
    // What the old instance is asked for has no effect any more.
    first.close()
    first.changePace(true)
    #expect(!app.state.isMoving && app.enabled)
    app.close()
    phone.drive(from: 2_110, to: 2_300)
    #expect(!app.enabled)
  }

  @Test func aServiceEndsWithClose() async throws {
    let folder = try TemporaryFolder()
    let phone = Phone(.android, folder: folder.path)
    try await start(phone, configure(false))
    let first = try phone.app
    first.changePace(true)
    first.terminate()
    #expect(throws: BGGeoError.self) { try BGGeo(folder: nil, platform: phone.platform) }
    phone.drive(from: 10, to: 100)
    first.close()
    let count = phone.requests.all.count
    phone.drive(from: 110, to: 500)
    #expect(phone.requests.all.count == count)
    try BGGeo(folder: folder.path, platform: phone.platform).close()
  }

  @Test func iOSStartsTheAppWhenTheDeviceHasLeftTheRegion() async throws {
    let folder = try TemporaryFolder()
    let phone = Phone(.iOS, folder: folder.path)
    let configure = configure(false)
    try await start(phone, configure)
    try phone.app.terminate()
    phone.platform.onRelaunch {
      do { try phone.launch().ready(configure) } catch { Issue.record(error) }
    }
    phone.drive(from: 10, to: 190)
    #expect(phone.launches == 1, "still inside")
    phone.drive(from: 200, to: 260)
    let app = try phone.app
    await app.callbackQueue.drained()
    #expect(phone.launches == 2 && app.state.didLaunchInBackground && app.state.isMoving)
    #expect(phone.moved.all == [false, true], "no second rest")
    let count = phone.requests.all.count
    phone.drive(from: 270, to: 600)
    #expect(phone.requests.all.count > count + 10)
    app.close()
  }

  /// The phone was placed before the app came, and its system has seen no position since: the first one is no large move.
  @Test func aPhoneThatRestsStartsNoApp() async throws {
    let folder = try TemporaryFolder()
    let phone = Phone(.iOS, folder: folder.path)
    let configure = configure(false)
    phone.push(north: 0)
    let first = try phone.launch()
    first.ready(configure)
    try await first.start()
    phone.clock.advance(by: 10)
    phone.platform.onRelaunch {
      do { try phone.launch().ready(configure) } catch { Issue.record(error) }
    }
    first.terminate()
    for _ in 0..<100 {
      phone.clock.advance(by: 5)
      phone.push(north: 2)
    }
    #expect(phone.launches == 1)
    phone.drive(from: 10, to: 190)
    #expect(phone.launches == 1, "still inside")
    phone.drive(from: 200, to: 300)
    #expect(phone.launches == 2)
    try phone.app.close()
  }

  /// The folder tells a platform that was not there what the system watches.
  @Test(arguments: [false, true])
  func withoutAHandlerTheNextInstanceHearsOfIt(isNewPlatform: Bool) async throws {
    let folder = try TemporaryFolder()
    let phone = Phone(.iOS, folder: folder.path)
    try await start(phone, configure(false))
    try phone.app.terminate()
    let next = isNewPlatform ? Phone(.iOS, folder: folder.path) : phone
    if !isNewPlatform { next.push(north: 250) }
    next.platform.setLaunch(inBackground: true, afterReboot: false)
    let app = try next.launch()
    if isNewPlatform { next.push(north: 250) }
    app.ready(configure(false))
    await app.callbackQueue.drained()
    #expect(next.moved.last == true && app.state.isMoving)
    app.close()
  }

  @Test(arguments: [false, true])
  func aFenceThatIsLeftBeforeReadyIsToldAfterIt(isNewPlatform: Bool) async throws {
    let folder = try TemporaryFolder()
    let phone = Phone(.iOS, folder: folder.path)
    try await start(phone, configure(false))
    try await phone.app.geofences.add(Geofence(identifier: "HOME", radius: 200, latitude: 45.5, longitude: -73.6))
    phone.push(north: 1)
    await (try phone.app).callbackQueue.drained()
    #expect(phone.crossed.all == ["HOME ENTER"])
    try phone.app.close()
    let next = isNewPlatform ? Phone(.iOS, folder: folder.path) : phone
    let app = try next.launch()
    next.push(north: 3_000)
    await app.callbackQueue.drained()
    #expect(next.crossed.all.last != "HOME EXIT")
    app.ready(configure(false))
    for _ in 0..<3 {
      next.clock.advance(by: 1)
      next.push(north: 3_000)
    }
    await app.callbackQueue.drained()
    #expect(next.crossed.all.last == "HOME EXIT")
    app.close()
  }

  @Test(
    arguments: [LinuxPlatform.Profile.iOS, .android], [(false, false), (false, true), (true, false), (true, true)])
  func aRebootGoesOnAsConfigured(profile: LinuxPlatform.Profile, terms: (stops: Bool, boots: Bool)) async throws {
    let folder = try TemporaryFolder()
    let phone = Phone(profile, folder: folder.path)
    let configure = configure(terms.stops, startOnBoot: terms.boots)
    try await start(phone, configure)
    phone.platform.onRelaunch {
      do { try phone.launch().ready(configure) } catch { Issue.record(error) }
    }
    phone.platform.reboot()
    #expect(phone.launches == (profile == .iOS ? 1 : 2), "iOS has no reason yet")
    phone.push(north: 300)
    let app = try phone.app
    await app.callbackQueue.drained()
    #expect(phone.launches == 2 && app.state.didDeviceReboot && app.state.didLaunchInBackground)
    let goesOn = !terms.stops && (terms.boots || profile == .iOS)
    #expect(app.enabled == goesOn)
    #expect(phone.enabled.last == (goesOn ? true : false), "a refusal changes the state, and is told")
    app.close()
  }

  /// iOS lets an app fetch after a crash and after a reboot, and not when its user has closed it.
  @Test(arguments: [false, true])
  func aFetchStartsTheAppUnlessItsUserHasClosedIt(isClosed: Bool) async throws {
    let folder = try TemporaryFolder()
    let phone = Phone(.iOS, folder: folder.path)
    let configure = configure(false)
    try await start(phone, configure)
    if isClosed { try phone.app.terminate() } else { try phone.app.close() }
    phone.platform.onRelaunch {
      do { try phone.launch().ready(configure) } catch { Issue.record(error) }
    }
    phone.platform.fetchInBackground()
    #expect(phone.launches == (isClosed ? 1 : 2))
    try phone.app.close()
  }

  @Test func aPlatformThatIsTakenStaysWithItsInstance() async throws {
    let phone = Phone(.iOS, folder: try TemporaryFolder().path)
    let bench = try Bench()
    #expect(throws: BGGeoError.self) { try BGGeo(folder: nil, platform: bench.platform) }
    try await bench.startAtRest()
    #expect(bench.bgGeo.store.count == 1 && phone.launches == 0)
  }
}
