import BackgroundGeolocation
import FoundationEssentials
import Testing

/// The document of AppConfig but for its schedule: defaults, heartbeats, the end of the app and of the phone. Comments
/// name the lines of the document.
@Suite struct AppConfigDocumentTests {
  // MARK: Defaults

  // AppConfig 29, 34, 36, 43, 52
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android])
  func `AppConfig: all switches are off but stopOnTerminate`(profile: LinuxPlatform.Profile) throws {
    let app = try Phone(profile).app.config.app
    #expect(app.stopOnTerminate)
    #expect(!app.startOnBoot && !app.enableHeadless && !app.preventSuspend && !app.scheduleUseAlarmManager)
    #expect(app.schedule.isEmpty)
  }

  // AppConfig 91, 95
  @Test func `AppConfig: heartbeats come each minute on iOS and not at all on Android unless configured`() throws {
    #expect(try Phone(.iOS).app.config.app.heartbeatInterval == 60)
    #expect(try Phone(.android).app.config.app.heartbeatInterval == -1)
  }

  // MARK: Heartbeats

  /// At rest in the background, with so many heartbeats in so many minutes.
  private func beats(
    _ profile: LinuxPlatform.Profile, minutes: Double, _ configure: @escaping (Config) -> Void
  ) async throws -> Int {
    let phone = try Phone(profile)
    try await phone.start(configure)
    phone.platform.setBattery(level: 0.5, isCharging: true)
    phone.platform.enterBackground()
    phone.pass(minutes: 5)
    phone.heard.forget()
    phone.pass(minutes: minutes)
    return phone.heard.heartbeats.count
  }

  // AppConfig 41, 87
  @Test func `AppConfig: with preventSuspend iOS beats in the background at each interval`() async throws {
    let count = try await beats(.iOS, minutes: 10) { config in
      config.app.preventSuspend = true
      config.app.heartbeatInterval = 60
    }
    #expect((9...10).contains(count))
  }

  // AppConfig 99
  @Test func `AppConfig: without preventSuspend iOS does not beat in the background`() async throws {
    let count = try await beats(.iOS, minutes: 10) { config in config.app.heartbeatInterval = 60 }
    #expect(count == 0)
  }

  // AppConfig 99; a watch keeps the app awake (BGGeo 648).
  @Test(arguments: [true, false])
  func `AppConfig: preventSuspend has no effect where iOS may not pause updates`(pauses: Bool) async throws {
    let phone = try Phone(.iOS)
    try await phone.start { config in
      config.app.preventSuspend = true
      config.app.heartbeatInterval = 60
      config.geolocation.pausesLocationUpdatesAutomatically = pauses
    }
    phone.platform.setBattery(level: 0.5, isCharging: true)
    let watch = phone.app.watchPosition(success: { _ in }, failure: { _ in })
    phone.platform.enterBackground()
    phone.pass(minutes: 5)
    phone.heard.forget()
    phone.pass(minutes: 10)
    #expect(phone.heard.heartbeats.isEmpty == !pauses)
    phone.app.stopWatchPosition(watch)
  }

  // AppConfig 41
  @Test func `AppConfig: Android beats in the background without preventSuspend`() async throws {
    #expect(try await beats(.android, minutes: 10) { config in config.app.heartbeatInterval = 120 } == 5)
  }

  // AppConfig 95
  @Test func `AppConfig: Android does not beat unless an interval is configured`() async throws {
    #expect(try await beats(.android, minutes: 60) { _ in } == 0)
  }

  // AppConfig 41, 100
  @Test func `AppConfig: Android never beats more often than each minute`() async throws {
    #expect(try await beats(.android, minutes: 10) { config in config.app.heartbeatInterval = 20 } <= 10)
  }

  // AppConfig 75
  @Test func `AppConfig: a new interval takes effect at runtime`() async throws {
    let phone = try Phone(.android)
    try await phone.start { config in config.app.heartbeatInterval = 60 }
    phone.pass(minutes: 10)
    #expect(phone.heard.heartbeats.count == 10)
    phone.app.config.batchUpdate { config in config.app.heartbeatInterval = 120 }
    phone.heard.forget()
    phone.pass(minutes: 10)
    #expect(phone.heard.heartbeats.count == 5)
  }

  /// In the background, unplugged, with a dark screen, for ten minutes.
  private func throttled() async throws -> Phone {
    let phone = try Phone(.iOS)
    try await phone.start { config in
      config.app.preventSuspend = true
      config.app.heartbeatInterval = 30
    }
    phone.platform.setBattery(level: 0.5, isCharging: false)
    phone.platform.setScreen(isOn: false)
    phone.platform.enterBackground()
    phone.pass(minutes: 1)
    #expect(!phone.heard.heartbeats.isEmpty, "not throttled yet")
    phone.pass(minutes: 9)
    phone.heard.forget()
    return phone
  }

  // AppConfig 134
  @Test func `AppConfig: unplugged with the screen off iOS holds heartbeats back after two minutes`() async throws {
    let phone = try await throttled()
    phone.pass(minutes: 10)
    // Held back, which need not mean none at all.
    #expect(phone.heard.heartbeats.count < 10)
  }

  // AppConfig 134
  @Test func `AppConfig: heartbeats resume when the screen turns on`() async throws {
    let phone = try await throttled()
    phone.platform.setScreen(isOn: true)
    phone.pass(31)
    #expect(!phone.heard.heartbeats.isEmpty)
  }

  // AppConfig 134
  @Test func `AppConfig: heartbeats resume when the device moves`() async throws {
    let phone = try await throttled()
    phone.push(activity: "on_foot", confidence: 60)
    phone.pass(31)
    #expect(!phone.heard.heartbeats.isEmpty)
  }

  // AppConfig 134
  @Test func `AppConfig: a charging phone is not held back`() async throws {
    let phone = try await throttled()
    phone.platform.setBattery(level: 0.5, isCharging: true)
    phone.pass(minutes: 1)
    phone.heard.forget()
    phone.pass(minutes: 10)
    #expect(phone.heard.heartbeats.count >= 19)
  }
}

/// The end of the app.
extension AppConfigDocumentTests {
  // AppConfig 265, 267
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android])
  func `AppConfig: by default tracking stops when the user closes the app`(profile: LinuxPlatform.Profile) async throws
  {
    let phone = try Phone(profile)
    try await phone.start()
    phone.terminate()
    let launches = phone.launches
    phone.platform.onRelaunch { Issue.record("nothing starts the app") }
    phone.move(from: 0, to: 1_000)
    try phone.launchReady { _ in }
    #expect(phone.launches == launches + 1 && !phone.app.enabled)
    phone.platform.onRelaunch(nil)
  }

  private func goOn(_ config: Config) {
    config.app.stopOnTerminate = false
    config.http.url = Server.url
  }

  // AppConfig 31, 271
  @Test func `AppConfig: iOS starts the closed app when the device has left the region and tracking goes on`()
    async throws
  {
    let phone = try Phone(.iOS)
    try await phone.start(goOn)
    phone.platform.onRelaunch { [weak phone] in
      do {
        try phone?.launchReady { config in
          config.app.stopOnTerminate = false
          config.http.url = Server.url
        }
      } catch { Issue.record(error) }
    }
    phone.terminate()
    phone.move(from: 0, to: 100)
    #expect(phone.launches == 1, "still inside")
    phone.move(from: 110, to: 400)
    #expect(phone.launches == 2 && phone.app.enabled)
    phone.heard.forget()
    phone.server.forget()
    phone.move(from: 410, to: 900)
    #expect(phone.app.state.isMoving && phone.heard.locations.count > 10 && phone.server.records.count > 10)
    phone.platform.onRelaunch(nil)
  }

  // AppConfig 32, 277
  @Test func `AppConfig: Android goes on without the app and uploads`() async throws {
    let phone = try Phone(.android)
    try await phone.start(goOn)
    phone.drive(from: 0, to: 200)
    phone.terminate()
    phone.server.forget()
    phone.move(from: 210, to: 1_000)
    #expect(phone.server.records.count > 10)
    try phone.launchReady(goOn)
    #expect(phone.app.enabled)
  }

  // AppConfig 257
  @Test func `AppConfig: with startOnBoot Android goes on after a reboot`() async throws {
    let phone = try await rebooted(.android, startOnBoot: true)
    #expect(phone.launches == 2 && phone.app.enabled)
  }

  // AppConfig 34, 249
  @Test func `AppConfig: without startOnBoot Android does not go on after a reboot`() async throws {
    let phone = try await rebooted(.android, startOnBoot: false)
    if phone.launches == 1 { try phone.launchReady(goOn) }
    #expect(!phone.app.enabled)
  }

  // AppConfig 34, 253
  @Test func `AppConfig: iOS waits after a reboot until the device leaves the region`() async throws {
    let phone = try await rebooted(.iOS, startOnBoot: true)
    #expect(phone.launches == 1)
    phone.move(from: 0, to: 500)
    #expect(phone.launches == 2 && phone.app.enabled && phone.app.state.didDeviceReboot)
    phone.platform.onRelaunch(nil)
  }

  // AppConfig 34, 253
  @Test func `AppConfig: iOS waits after a reboot until a background fetch`() async throws {
    let phone = try await rebooted(.iOS, startOnBoot: true)
    phone.platform.fetchInBackground()
    #expect(phone.launches == 2 && phone.app.enabled)
    phone.platform.onRelaunch(nil)
  }

  private func rebooted(_ profile: LinuxPlatform.Profile, startOnBoot: Bool) async throws -> Phone {
    let phone = try Phone(profile)
    let configure: @Sendable (Config) -> Void = { config in
      config.app.stopOnTerminate = false
      config.app.startOnBoot = startOnBoot
      config.http.url = Server.url
    }
    try await phone.start(configure)
    phone.platform.onRelaunch { [weak phone] in
      do { try phone?.launchReady(configure) } catch { Issue.record(error) }
    }
    phone.platform.reboot()
    return phone
  }
}
