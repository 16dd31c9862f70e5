import AnswerCheck
import Base
import Contract
import Drive
import JSON
import Scenario
import Testing
import Upload
import Vocabulary

/// One phone that is steered by hand, in virtual time.
@Suite struct DriveTests {
  @Test func aDriveIsTrackedAndUploaded() throws {
    var ride = try Ride()
    try ride.press(.drive)
    try ride.wait(300)
    #expect(ride.notes.contains("moving") && ride.status.contains(" · moving · "))
    #expect(ride.sent.count > 20 && ride.drive.queuedCount == 0)
    #expect(ride.drive.account == "\(ride.sent.count) records made, \(ride.sent.count) uploaded, 0 still on the phone")
    #expect(ride.drive.checker.scorecard.keptCount == ride.drive.checker.scorecard.seenCount)
    try ride.press(.stop)
    try ride.wait(900)
    #expect(ride.notes.last == "stationary" && ride.status.hasPrefix("at rest · stationary · odometer"))
  }

  /// A captive portal answers 200 with its page; the SDK deletes the records.
  @Test func recordsThatAPageSwallowedAreNotUploaded() throws {
    var ride = try Ride()
    ride.outcome = .answered(status: 200, reason: "OK", body: Array("<!DOCTYPE html><title>Log in</title>".utf8))
    try ride.press(.drive)
    try ride.wait(120)
    let count = ride.sent.count
    #expect(count > 5)
    #expect(
      ride.drive.account
        == "\(count) records made, 0 uploaded, \(count) deleted after an HTML page with a success, 0 still on the phone"
    )
  }

  /// SDK §12.6.6, whatever the sensor thought on the way, and after `changePace(true)` on a phone that is parked.
  @Test(arguments: [DevicePlatform.ios, .android], 1...12 as ClosedRange<UInt64>)
  func aPhoneThatRestsComesToRest(platform: DevicePlatform, seed: UInt64) throws {
    var ride = try Ride(platform, seed: seed)
    try ride.press(.drive)
    try ride.wait(40)
    try ride.press(.stop)
    try ride.wait(900)
    #expect(ride.status.contains(" · stationary · "), "after 40 s of driving")
    try ride.press(.pace)
    try ride.wait(30)
    #expect(ride.status.contains(" · moving · "))
    try ride.wait(870)
    #expect(ride.status.contains(" · stationary · "), "parked, after changePace(true)")
  }

  /// SDK §16: the clock of the ride begins on a Saturday, at 17:20 UTC.
  @Test(arguments: [("1-7 17:00-17:30", true), ("1-7 18:00-18:30", false)])
  func anAppWithAScheduleFollowsIt(schedule: String, tracks: Bool) throws {
    var ride = try Ride(.android, ["app": .object(["schedule": .array([.string(schedule)])])])
    #expect(ride.notes.contains { $0.hasPrefix("startSchedule()") && $0.hasSuffix(schedule) })
    #expect(ride.status.contains("tracking off") != tracks)
    try ride.wait(1_800)
    #expect(ride.status.contains("tracking off"), "between the two")
    try ride.wait(1_800)
    #expect(ride.status.contains("tracking off") == tracks)
  }

  /// SDK §25.
  @Test func aDriveIsAsObservedUnlessItFollowsTheDocuments() throws {
    func odometers(_ behaviour: SDKBehaviour?) throws -> [Double?] {
      var ride = try Ride(behaviour: behaviour)
      for key in [DriveKey.drive, .stop, .drive] {
        try ride.press(key)
        try ride.wait(key == .stop ? 900 : 300)
      }
      return try ride.sent.map { request in
        let body = request.body
        return try JSONValue(parsing: body.span)["location"]?["odometer"]?.metres
      }
    }
    let observed = try odometers(.observed)
    #expect(try odometers(nil) == observed && odometers(.documented) != observed)
  }

  /// AppConfig `stopOnTerminate`: true by default.
  @Test(arguments: [DevicePlatform.ios, .android]) func anAppOfItsDeveloperHasTheDefaultsOfTheSDK(
    platform: DevicePlatform
  ) throws {
    for hasOwnApp in [true, false] {
      var ride = try Ride(platform, hasOwnApp: hasOwnApp)
      try ride.press(.drive)
      try ride.wait(100)
      try ride.press(.kill)
      let before = ride.sent.count
      try ride.wait(300)
      #expect((ride.sent.count == before) == hasOwnApp)
      #expect(ride.notes.contains { $0.hasSuffix("stopOnTerminate is true") } == hasOwnApp)
    }
  }

  /// In the background nothing else wakes the app.
  @Test func anIPhoneFetchesAboutEveryQuarterOfAnHour() throws {
    var ride = try Ride()
    ride.outcome = .answered(status: 500, reason: "", body: [])
    try ride.wait(60)
    try ride.press(.home, .screen)
    #expect(ride.notes.contains("the screen goes dark"))
    // Until heartbeats are held back.
    try ride.wait(180)
    let before = ride.sent.count
    try ride.wait(30 * 60)
    #expect(ride.sent.count == before + 2)
  }

  /// SDK §5.1: iOS counts the altitude from the sea, Android from the ellipsoid.
  @Test(arguments: [DevicePlatform.ios, .android]) func aRecordSaysHowHighItIs(platform: DevicePlatform) throws {
    var ride = try Ride(platform)
    try ride.press(.drive)
    try ride.wait(120)
    #expect(ride.sent.count > 5)
    for request in ride.sent {
      let body = request.body
      let coords = try #require(try JSONValue(parsing: body.span)["location"]?["coords"])
      let (altitude, ellipsoidal) = (coords["altitude"]?.metres, coords["ellipsoidal_altitude"]?.metres)
      let above = try #require(ellipsoidal) - #require(altitude)
      #expect(platform == .ios ? (30...60).contains(above) : above == 0, "\(coords)")
      #expect(try #require(altitude) > 300)
    }
  }

  @Test func aSeedAlwaysGoesTheSameWay() throws {
    let bodies = try (0..<2).map { _ in
      var ride = try Ride(seed: 5)
      try ride.press(.cycle)
      try ride.wait(200)
      return ride.sent.map(\.body)
    }
    #expect(bodies[0] == bodies[1] && bodies[0].count > 5)
    var other = try Ride(seed: 6)
    try other.press(.cycle)
    try other.wait(200)
    #expect(other.sent.map(\.body) != bodies[0])
  }

  @Test func underTheTunnelNothingIsMeasuredAndInTheAirplaneNothingIsSent() throws {
    var ride = try Ride()
    try ride.press(.drive)
    try ride.wait(120)
    try ride.press(.tunnel)
    let before = ride.sent.count
    try ride.wait(60)
    #expect(ride.sent.count == before && ride.drive.queuedCount == 0 && ride.status.contains("tunnel"))
    try ride.press(.airplane, .tunnel)
    try ride.wait(60)
    #expect(ride.sent.count == before && ride.drive.queuedCount > 5 && ride.status.contains("airplane mode"))
    try ride.press(.airplane)
    #expect(ride.drive.queuedCount == 0 && ride.sent.count > before + 5)
  }

  @Test func aChangeOfNetworkEndsWhatIsUnderWay() throws {
    var ride = try Ride()
    ride.outcome = nil
    try ride.wait(30)
    #expect(ride.sent.count == 1 && ride.drive.hasRequestsInFlight && ride.status.contains("Wi-Fi ↑"))
    try ride.press(.cellular)
    #expect(ride.notes.contains("request 1 has ended: the network has changed"))
    #expect(ride.status.contains("queue 1 · mobile · "))
    try ride.press(.sync)
    #expect(ride.sent.count == 2 && ride.sent[1].body == ride.sent[0].body && ride.status.contains("mobile ↑"))
    // The answer to the first one comes too late and means nothing.
    try ride.drive.answer(
      1, .answered(status: 200, reason: "", body: []), head: nil, duration: .milliseconds(1), at: ride.now)
    #expect(ride.drive.checker.scorecard.answers == 0)
  }

  @Test func iOSStartsTheAppAgainWhenThePhoneLeaves() throws {
    var ride = try Ride(.ios)
    try ride.wait(60)
    try ride.press(.kill)
    #expect(ride.status.contains("app closed"))
    try ride.wait(600)
    #expect(ride.status.contains("app closed"), "nothing has moved")
    try ride.press(.drive)
    try ride.wait(200)
    #expect(ride.notes.contains("the phone has left the region that the app watches: it is started in the background"))
    #expect(ride.status.contains(" · moving · ") && ride.sent.count > 5)
  }

  @Test func androidGoesOnByItself() throws {
    var ride = try Ride(.android)
    try ride.press(.drive)
    try ride.wait(120)
    try ride.press(.kill)
    #expect(ride.notes.last == "the app is closed; its service goes on" && ride.status.contains("service on · moving"))
    let before = ride.sent.count
    try ride.wait(10)
    #expect(ride.sent.count > before, "without a gap")
    try ride.press(.sync, .kill, .launch)
    #expect(
      ride.notes.suffix(3) == [
        "the app is closed; l opens it", "the app is closed already", "you open the app",
      ])
    #expect(!ride.status.contains("closed") && ride.status.contains("moving"))
    let after = ride.sent.count
    try ride.wait(60)
    #expect(ride.sent.count > after)
  }

  /// SDK §19.4.
  @Test(arguments: [false, true]) func iOSWaitsAfterARebootUntilThePhoneLeavesOrTheAppMayFetch(leaves: Bool) throws {
    var ride = try Ride(.ios)
    try ride.wait(60)
    try ride.press(.reboot)
    #expect(ride.status.contains("phone restarts"))
    if leaves { try ride.press(.drive) }
    try ride.wait(19)
    #expect(ride.status.contains("phone restarts"))
    if !leaves {
      try ride.wait(800)
      #expect(ride.status.contains("app closed"))
    }
    try ride.wait(200)
    let reason = leaves ? "the phone has left the region that the app watches" : "the app may fetch"
    #expect(ride.notes.contains("\(reason): it is started in the background"))
    #expect(ride.status.contains(leaves ? " · moving · " : " · stationary · "))
  }

  @Test func whatWasUnderWayWhenTheAppDiedIsSentAgain() throws {
    var ride = try Ride(.android)
    ride.outcome = nil
    try ride.wait(60)
    try ride.press(.reboot)
    #expect(!ride.drive.hasRequestsInFlight && ride.drive.queuedCount == 1)
    ride.outcome = .answered(status: 200, reason: "", body: [])
    try ride.wait(21)
    #expect(ride.drive.queuedCount == 0 && ride.sent.count == 2 && ride.sent[0].body == ride.sent[1].body)
  }

  @Test func aRebootComesBackAsConfigured() throws {
    var on = try Ride(.android)
    try on.wait(60)
    try on.press(.reboot, .launch)
    #expect(on.notes.suffix(2) == ["the phone restarts, 20 s", "the phone is still restarting"])
    try on.wait(30)
    #expect(on.status.contains("stationary"))
    var off = try Ride(.android, ["app": .object(["startOnBoot": .bool(false)])])
    try off.wait(60)
    try off.press(.reboot)
    #expect(off.notes.last == "the phone restarts, 20 s; the app will refuse to track then")
    try off.wait(30)
    #expect(off.status.contains("tracking off"))
    try off.press(.track)
    #expect(!off.status.contains("tracking off"))
  }

  @Test func whoStopsOnTerminateStaysStopped() throws {
    var ride = try Ride(.ios, ["app": .object(["stopOnTerminate": .bool(true)])])
    try ride.wait(60)
    try ride.press(.kill, .sync)
    #expect(ride.notes.suffix(2).first?.contains("stopOnTerminate is true") == true)
    #expect(ride.notes.last == "the app is closed; l opens it")
    try ride.press(.drive)
    try ride.wait(300)
    #expect(ride.status.contains("app closed"))
    try ride.press(.launch)
    try ride.wait(200)
    #expect(ride.notes.contains("moving"))
  }

  @Test func aFenceAroundHereIsLeftAndEntered() throws {
    var ride = try Ride()
    try ride.wait(30)
    try ride.press(.geofence, .drive)
    try ride.wait(240)
    #expect(ride.notes.contains("geofence here-1: EXIT"))
  }

  @Test func theAppCanBeAskedForAllItDoes() throws {
    var ride = try Ride()
    try ride.wait(60)
    try ride.press(.pace)
    try ride.wait(30)
    #expect(ride.status.contains(" · moving · "))
    try ride.press(.home, .home, .sync, .battery)
    #expect(
      ride.notes.suffix(5) == [
        "the app goes to the background", "the app comes to the foreground", "sync()", "sync: 0 records uploaded",
        "battery 80 %",
      ])
    for _ in 0..<8 { try ride.press(.battery) }
    #expect(ride.notes.last == "battery 100 %, charging")
    try ride.press(.track)
    #expect(ride.status.contains("tracking off"))
  }

  @Test(arguments: [
    (#"{"http":{"batchSinc":true}}"#, "Unknown configuration key: http.batchSinc (did you mean http.batchSync?)"),
    (#"{"http":{"method":"FETCH"}}"#, "http.method must be one of POST, PUT, PATCH; the SDK would use POST"),
  ])
  func mistakesOfAConfigurationAreTold(text: String, mistake: String) throws {
    let place = try #require(Coordinate(latitude: 0, longitude: 0))
    let document = try JSONValue(parsing: Array(text.utf8).span)
    let settings = DriveSettings(
      platform: .ios, start: place, seed: 1, target: "http://a", deviceName: "d", documents: [document])
    #expect(settings.mistakes == [mistake])
  }

  /// An hour after the last look at its age a record is overdue as soon as it is made (SDK §7.4.2).
  @Test func aRecordThatIsOverdueIsLookedAtNow() throws {
    var ride = try Ride()
    try ride.wait(3_720)
    ride.outcome = nil
    try ride.press(.pace)
    try ride.wait(60)
    #expect(ride.drive.queuedCount > 0 && !ride.wentBack)
  }

  /// Whatever is pressed and however the network answers, for half a day.
  @Test(arguments: 1...8 as ClosedRange<UInt64>) func timeNeverGoesBack(seed: UInt64) throws {
    let batches: JSONObject = [
      "http": .object(["batchSync": .bool(true)]), "activity": .object(["stopTimeout": .integer(1)]),
    ]
    var chance = RandomStream(seed: seed, device: 0, concern: 0)
    var ride = try Ride(seed % 3 == 0 ? .android : .ios, seed: seed, seed % 2 == 0 ? batches : [:])
    let ends: [RequestOutcome] = [
      .answered(status: 200, reason: "OK", body: []), .answered(status: 500, reason: "", body: []),
      .failed(.refused, message: "refused"),
    ]
    let keys = DriveKey.allCases.filter { $0 != .quit }
    while ride.now.monotonic < Ride.start.monotonic + .seconds(12 * 3_600) {
      ride.outcome = chance.chance(0.5) ? nil : ends[chance.index(below: ends.count)]
      for _ in 0..<chance.index(below: 3) { try ride.press(keys[chance.index(below: keys.count)]) }
      try ride.wait(Int64(chance.index(below: 4) == 0 ? chance.index(below: 5_000) : chance.index(below: 120)))
      if chance.chance(0.5) { try ride.answerAll(ends[chance.index(below: ends.count)]) }
    }
    ride.outcome = ends[0]
    try ride.answerAll(ends[0])
    #expect(!ride.wentBack, "seed \(seed)")
  }

  @Test func theClockWaitsForTheNetwork() {
    let zero = MonotonicInstant(nanoseconds: 0)
    func after(_ seconds: Int64) -> MonotonicInstant { zero + .seconds(seconds) }
    var clock = DriveClock(factor: 60, wall: Ride.start.wall, real: after(5))
    #expect(clock.now(at: after(6)).monotonic == after(60))
    clock.waitsForNetwork(true, at: after(6))
    #expect(clock.now(at: after(8)).monotonic == after(62))
    #expect(clock.span(until: after(70), at: after(8)) == .seconds(8))
    clock.waitsForNetwork(false, at: after(8))
    #expect(clock.now(at: after(9)) == Ride.start.advanced(by: .seconds(122)))
    #expect(clock.span(until: after(2), at: after(9)) == .zero)
  }
}

extension JSONValue {
  fileprivate var metres: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .double(let number): number
    case .null, .bool, .string, .array, .object: nil
    }
  }
}
