import Base
import Contract
import DeviceLog
import JSON
import Testing
import Vocabulary

/// The shapes that devices in the field write: obfuscated places, batches, the phone's own decimal sign, cut dumps.
struct AndroidGrammarTests {
  private func facts(_ lines: String...) throws -> [LogFact.Content] {
    try #require(LogReader(lines.joined(separator: "\n"))).facts.map(\.content)
  }

  private func box(_ place: String, _ title: String, _ rows: String...) -> String {
    "07-28 14:33:46.653 INFO [\(place)] \n╔═════\n║ \(title)\n╠═════\n"
      + rows.map { "╟─ \($0)\n" }.joined() + "╚═════\n"
  }

  private func fixes(_ rows: String...) throws -> [Fix] {
    let box =
      "07-28 14:33:46.653 DEBUG [TrackingService b] \n╔═════\n║ TrackingService: LocationResult\n╠═════\n"
      + rows.map { "╟─ \($0)\n" }.joined()
    return try facts(box).compactMap { if case .fix(let fix, number: 0, _) = $0 { fix } else { nil } }
  }

  @Test func aFixIsReadFromItsBox() throws {
    let fix = try #require(
      try fixes(
        "📍  Location[fused 45.518019,-116.297214 hAcc=5.1 et=+1d1h5m31s938ms alt=30.5 vAcc=1.0 vel=2.5E-1 sAcc=??? "
          + "bear=31.5 bAcc=??? {Bundle[{mock=[1 acc=9]}]}], age: 53ms, time: 1785256426600"
      ).first)
    #expect(fix.coords.latitude == 45.518019 && fix.coords.longitude == -116.297214)
    #expect(fix.coords.accuracy == 5.1 && fix.coords.speed == 0.25 && fix.coords.heading == 31.5)
    // The stamp is of UTC, the head of a zone two hours ahead of it or behind.
    #expect(fix.timestamp.millisecondOfDay == ((14 * 60 + 33) * 60 + 46) * 1_000 + 600)
    #expect(!fix.isMock)
  }

  @Test func aPhoneWithCommasWritesThemHereToo() throws {
    let fix = try #require(
      try fixes("📍  Location[gps -2,544111,-54,654483 hAcc=20,5 vel=1,5 et=+2h16m mock], age: 153ms, time: 1").first)
    #expect(fix.coords.latitude == -2.544111 && fix.coords.longitude == -54.654483)
    #expect(fix.coords.accuracy == 20.5 && fix.coords.speed == 1.5 && fix.isMock)
  }

  @Test func aBatchHasAllItsFixesAndRedactedOnesAreNone() throws {
    let row = "📍  Location[fused 45.5,-116.3 hAcc=5 vel=1.0]"
    let all = try fixes(
      row, "Age: 2053ms, time: 1785249224600", "📍  Location[fused 49******,-123****** hAcc=5], age: 9ms, time: 5",
      "📍  Location[fused 45.6,-116.3 acc=7], age: 53ms, time: 07-28 14:33:46.600")
    #expect(all.map(\.coords.latitude) == [45.5, 45.6])
    #expect(all.map(\.timestamp.millisecondOfDay) == [52_424_600, 52_426_600])
    #expect(all.map(\.coords.accuracy) == [5, 7])
  }

  /// A corrupt log may contain any number.
  @Test(arguments: ["-9223372036854775808", "-999999999999999", "999999999999999", "9223372036854775807", "1e308"])
  func aFixOfATimeThatDoesNotExistIsNone(age: String) throws {
    let row = "📍  Location[fused 45.5,-116.3 hAcc=5 vel=1.0], age: "
    #expect(try fixes(row + "\(age)ms", row + "53ms").map(\.timestamp.millisecondOfDay) == [52_426_600])
    let trigger = try facts(
      box(
        "TSGeofenceManager a", "Ignoring duplicate geofence ENTER", "id=home",
        "Trigger=Location[fused 45.5,-116.3 hAcc=5], triggerAge=\(age)ms"))
    #expect(trigger == [.geofenceCrossing(identifier: "home", isEntry: true)], "\(trigger)")
  }

  /// The zone of the head is not known: its minute and second count, whatever the stamp is.
  @Test func aStampMayBeFarFromTheHead() throws {
    // 2000-07-28T14:33:46.600Z
    let head: Int64 = 964_794_826_600
    let greatest = (0..<8).map { head - (Int64.max - $0 * 150_000) }
    for stamp in greatest + [.min, -999_999_999_999_999, 0, 999_999_999_999_999, .max] {
      let found = try fixes("📍  Location[fused 45.5,-116.3 hAcc=5 vel=1.0], age: 53ms, time: \(stamp)")
      #expect(found.map { abs($0.timestamp.millisecondsSince1970 - head) <= 450_000 } == [true], "\(stamp)")
    }
  }

  @Test func transitionsAndReadingsAreActivities() throws {
    let line =
      "07-28 14:33:46.653 DEBUG [ActivityRecognitionService a] \n  🚘 ️DetectedActivity [type=ON_BICYCLE, confidence=81]"
    #expect(
      try facts(
        box("ActivityRecognitionService a", "Motion Transition Result", "🔴  EXIT: still", "🎾  ENTER: on_foot"), line)
        == [
          .activity(Activity(.onFoot, confidence: 100)), .activity(Activity(.onBicycle, confidence: 81)),
        ])
  }

  @Test func obfuscatedPlacesDoNotMatter() throws {
    func line(_ place: String, _ text: String) -> String { "07-28 14:33:46.653 INFO [\(place)] \n  \(text)" }
    #expect(
      try facts(
        line("b persist", "✅  INSERT: 9fae7e32"), line("c0 a", "💾 ✅ 95ca9afc"),
        line("TrackingService changePace", "🔵  setPace: false → false"),
        line("TSScheduleManager a[λ]", "⏰ Scheduled OneShot: STOP_TIMEOUT in 900000ms (jobID: -2)"),
        line("TSScheduleManager a", "⏰ Cancel OneShot: STOP_TIMEOUT"),
        "07-28 14:33:46.653 DEBUG [TSLocationManager incrementOdometer] Odometer: 31.5",
        line("HttpService onResponse", "🔵  Response: 200"),
        line("TSGeofenceManager a", "🎾  Start monitoring stationary region (radius: 150.0m 21.2,72.9 hAcc=20.0)"),
        line("TSLocationManager a", "🔵  Re-scaled distanceFilter: 10.0->30.0)"))
        == [
          .inserted(uuid: "9fae7e32", kind: nil), .inserted(uuid: "95ca9afc", kind: nil),
          .paceChange(isMoving: false, wasMoving: false), .stopTimeoutEngaged(seconds: 900),
          .timerStopped(name: "stopTimeout"), .odometer(metres: 31.5, errorMetres: 0), .response(status: 200),
          .stationaryRegion(radiusMetres: 150), .distanceFilter(new: 30, old: 10),
        ])
  }

  @Test func boxesAreToldByTheirTitles() throws {
    #expect(
      try facts(
        box("ScheduleEvent onOneShot", "⏰ OneShot event fired: STOP_TIMEOUT"),
        box("GeofencingService a", "GeofencingService: Stationary geofence EXIT", "📍  Location[fused 1.0,2.0 hAcc=3]"),
        box("GeofencingProcessor a", "Geofencing Event: ENTER", "📍  Location[fused 1.0,2.0 hAcc=3]", "home"),
        box("HttpService b", "HTTP Service (count: 3)"),
        box("HttpService a", "📶  Connectivity change: connected? false"))
        == [
          .stopTimeoutFired, .regionExit, .geofenceCrossing(identifier: "home", isEntry: true),
          .geofenceEvent(identifier: "home", action: "ENTER"), .flushBegan(queued: 3),
          .connectivity(.none),
        ])
  }

  @Test func aCutDumpGivesWhatIsWhole() throws {
    let dump =
      box("TSConfig print", "TSLocationManager version: 4.5.0 (4500)") + "{\n  \"activity\": {\n"
      + "    \"disableStopDetection\": true\n  },\n  \"distanceFilter\": 30,\n  \"url\": \"a,b}\",\n  \"heartbeatEna"
    guard case .configuration(let document)? = try facts(dump).first else {
      Issue.record("no configuration")
      return
    }
    var configuration = Configuration(platform: .android)
    _ = configuration.apply(document)
    #expect(configuration.geolocation.distanceFilterMetres == 30 && configuration.activity.disableStopDetection)
  }

  @Test func januaryComesAfterDecember() throws {
    let log = try #require(
      LogReader("12-31 23:59:59.900 INFO [A b] x\n01-01 00:00:00.100 INFO [A b] x\n03-01 00:00:00.000 INFO [A b] x"))
    let times = log.facts.map(\.time)
    #expect(times[1].milliseconds(since: times[0]) == 200)
    #expect(times[2] > times[1])
  }
}
