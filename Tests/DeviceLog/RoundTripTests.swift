import Base
import Contract
import DeviceLog
import Support
import Testing
import Vocabulary

/// What the writer wrote, the reader understands.
struct RoundTripTests {
  private let start = WallInstant(millisecondsSince1970: 1_785_249_226_653)

  private func text(_ entries: [LogEntry], _ platform: DevicePlatform) -> String {
    let log = LogText(platform: platform)
    var bytes: [UInt8] = []
    for entry in entries { log.append(entry, at: start, to: &bytes) }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func facts(_ entries: [LogEntry], _ platform: DevicePlatform) throws -> [LogFact.Content] {
    try #require(LogReader(text(entries, platform))).facts.map(\.content)
  }

  @Test(arguments: DevicePlatform.allCases) func everyEntryIsALineOfItsPlatform(platform: DevicePlatform) throws {
    for entry in EveryLogEntry.all(at: start) {
      let text = text([entry], platform)
      if text.isEmpty { continue }
      let reader = try #require(LogReader(text), "\(entry)")
      #expect(reader.platform == platform)
      #expect(reader.facts.allSatisfy { $0.time.millisecondOfDay == start.millisecondOfDay }, "\(entry)")
      #expect(text.hasSuffix("\n"))
    }
  }

  /// SDK §20.2: a line names the method that it comes from.
  @Test func aWarningOfIOSNamesItsPart() {
    let lines = LogPart.allCases.map { text([.warning("a warning", from: $0)], .ios) }
    #expect(Set(lines).count == LogPart.allCases.count && lines.allSatisfy { $0.contains(" a warning\n") })
    #expect(text([.warning("no task 7", from: .backgroundTasks)], .ios).contains("⚠️ -[TSBackgroundTaskManager "))
    #expect(text([.error("no such fence", from: .geofences)], .ios).contains("‼️ -[TSGeofenceManager "))
  }

  /// HttpConfig, Logging: "HTTP POST/PUT". A page is still read as a whole.
  @Test(arguments: UploadMethod.allCases) func aLineOfAndroidNamesTheMethod(method: UploadMethod) throws {
    let uuid = EveryLogEntry.uuid
    let entries: [LogEntry] = [
      .posting(method, uuid: uuid, count: 1, url: ""), .posting(method, uuid: nil, count: 3, url: ""),
      .response(status: 200, reason: "OK"),
    ]
    let text = text(entries, .android)
    #expect(text.contains("HTTP \(method.rawValue): "))
    #expect(text.contains("HTTP \(method.rawValue) batch (3)\n"))
    #expect(try facts(entries, .android).last == .response(status: 200))
  }

  /// SDK §11.2.
  @Test(arguments: DevicePlatform.allCases) func a401WithoutARefreshURLNamesItsReason(platform: DevicePlatform) {
    let line = text([.refreshSkipped(.noURL)], platform)
    #expect(line.contains("⚠️") && line.contains("cannot resolve HTTP 401 since authorizationUrl is not defined\n"))
    #expect(text([.refreshSkipped(.refreshedAlready)], platform).contains("max_refresh_retries=1"))
  }

  /// SDK §12.3, §20.3, and the words of a log from the field.
  @Test func theTimersOfAndroidHaveTheirNames() throws {
    let entries: [LogEntry] = [
      .timerStarted(name: "heartbeat", seconds: 60, isRepeating: true), .timerStopped(name: "heartbeat"),
      .timerStarted(name: "motionTriggerDelay", seconds: 5, isRepeating: false),
      .timerStopped(name: "motionTriggerDelay"),
    ]
    let text = text(entries, .android)
    for words in [
      "[HeartbeatService start] \n  🟢  Start heartbeat (60s)\n", "Scheduled OneShot: HEARTBEAT in 60000ms",
      "[HeartbeatService stop] \n  🔴  Stop heartbeat\n", "Cancel OneShot: HEARTBEAT\n",
      "Scheduled OneShot: MOTION_TRIGGER_DELAY in 5000ms", "Cancel OneShot: MOTION_TRIGGER_DELAY\n",
    ] {
      #expect(text.contains(words), "\(text)")
    }
    #expect(try facts(entries, .android).contains(.timerStarted(name: "HEARTBEAT", seconds: 60)))
  }

  @Test func theWatchdogOfIOSSaysWhatItUnlocks() {
    #expect(text([.watchdogFired(locked: 5, isBatch: true)], .ios).contains("force_unlock=1 locked_count=5 batch=1"))
    #expect(text([.watchdogFired(locked: 1, isBatch: false)], .ios).contains("force_unlock=1 locked_count=1 batch=0"))
  }

  @Test(arguments: [false, true]) func theEndOfTheAppSaysWhetherTrackingStops(stopsTracking: Bool) {
    let line = text([.terminated(stopsTracking: stopsTracking)], .ios)
    #expect(line.contains("-[TSTrackingService onAppTerminate] stopOnTerminate? \(stopsTracking ? 1 : 0)\n"))
  }

  @Test func aFixKeepsWhatTheExportOfIOSShows() throws {
    var coords = Coordinates(latitude: 45.518019, longitude: -116.297214)
    coords.accuracy = 5
    coords.speed = 1.85
    coords.heading = 31.06
    let fix = Fix(coords: coords, timestamp: WallInstant(millisecondsSince1970: 1_785_249_226_000))
    let entry = LogEntry.location(fix, number: 2, ageMilliseconds: 653)
    #expect(try facts([entry], .ios) == [.fix(fix, number: 2, ageMilliseconds: 653)])
    let tracked = LogEntry.location(fix, number: 0, ageMilliseconds: 653)
    #expect(try facts([tracked], .ios) == [.fix(fix, number: 0, ageMilliseconds: 653)])
  }

  @Test func aMissingSpeedIsMinusOneInTheTextAndNothingToTheReader() throws {
    let fix = Fix(coords: Coordinates(latitude: 0, longitude: 0), timestamp: start)
    let text = text([.location(fix, number: 1, ageMilliseconds: 0)], .ios)
    #expect(text.contains("(speed -1.00 mps / course -1.00)"))
    guard case .fix(let read, _, _)? = LogReader(text)?.facts.first?.content else {
      Issue.record("no fix in \(text)")
      return
    }
    #expect(read.coords.speed == nil && read.coords.heading == nil)
  }

  @Test func theStoryOfARecordIsReadOnBothPlatforms() throws {
    let uuid = EveryLogEntry.uuid
    let story: [LogEntry] = [
      .inserted(uuid: uuid, kind: .geofence, persistMode: 2, maxRecords: -1), .flushBegan(trigger: .insert, queued: 1),
      .response(status: 200, reason: "OK"), .destroyed(uuid: uuid), .unlocked(uuid: uuid),
    ]
    let upper = "12345678-9ABC-4DEF-8123-456789ABCDEF"
    #expect(
      try facts(story, .ios) == [
        .inserted(uuid: upper, kind: .geofence), .flushBegan(queued: nil), .response(status: 200),
        .destroyed(uuid: upper),
        .unlocked(uuid: upper),
      ])
    let lower = upper.lowercased()
    #expect(
      try facts(story, .android) == [
        .inserted(uuid: lower, kind: nil), .flushBegan(queued: 1), .response(status: 200), .destroyed(uuid: lower),
        .unlocked(uuid: lower),
      ])
  }

  @Test(arguments: DevicePlatform.allCases) func theBannerGivesTheConfigurationBack(platform: DevicePlatform) throws {
    var configuration = Configuration(platform: platform)
    configuration.geolocation.distanceFilterMetres = 50
    configuration.geolocation.stopTimeoutMinutes = 1
    configuration.http.url = "https://example.com/locations?a=b;c"
    configuration.authorization.accessToken = "secret-access-token"
    var bytes: [UInt8] = []
    LogText(platform: platform).appendBanner(configuration, at: start, to: &bytes)
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(!text.contains("secret-access-token") && text.contains("secre<redacted>"))
    guard case .configuration(let document)? = LogReader(text)?.facts.first?.content else {
      Issue.record("no configuration in \(text)")
      return
    }
    var read = Configuration(platform: platform)
    _ = read.apply(document)
    #expect(read.geolocation == configuration.geolocation)
    #expect(read.http == configuration.http)
  }
}
