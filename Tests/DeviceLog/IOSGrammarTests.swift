import Base
import Contract
import DeviceLog
import Testing
import Vocabulary

/// What phones of other languages and older versions write.
struct IOSGrammarTests {
  private func facts(_ entries: String...) throws -> [LogFact.Content] {
    let text = entries.map { "2026-07-28 \($0)" }.joined(separator: "\n\n")
    return try #require(LogReader(text)).facts.map(\.content)
  }

  private func fix(_ spoken: String, at clock: String = "14:34:22.563") throws -> Fix {
    let found = try facts(
      "\(clock) \n📍<+45.51801900,-116.29721400> +/- 5.00m (speed -0.50 mps / course -1.00) @ \(spoken)")
    guard case .fix(let fix, number: 0, _)? = found.first else {
      Issue.record("no fix in \(spoken)")
      throw MissingFix()
    }
    return fix
  }

  private struct MissingFix: Error {}

  @Test(arguments: [
    "2026-07-28, 2:34:21 PM Eastern Daylight Time | age: 1563 ms",
    "2026-07-28, 2:34:21\u{202F}PM Eastern Daylight Time", "28.07.26, 14:34:21 Mitteleuropäische Sommerzeit",
    "28.7.2026 klo 14.34.21 UTC+3 | age: 1563 ms", "2026/07/28 14:34:21 Japan Standard Time",
    "28/07/2026, 14:34:21 Central European Summer Time", "28/07/26, 2:34:21 pm India Standard Time",
    "2026/7/28 下午2:34:21 [台北標準時間]", "28/7/26, 2:34:21 μ.μ. Θερινή ώρα", "٢٨‏/٧‏/٢٠٢٦، ٢:٣٤:٢١ م توقيت",
    "7/28/26, 2:34:21 PM GMT+5:30",
  ]) func theClockIsReadInAnyLanguage(spoken: String) throws {
    let fix = try fix(spoken)
    #expect(fix.timestamp.millisecondsSince1970 % WallInstant.millisecondsPerDay == 52_461_000, "\(spoken)")
    #expect(fix.timestamp.civilDate.day == 28)
    #expect(fix.coords.speed == nil && fix.coords.heading == nil && fix.coords.latitude == 45.518019)
  }

  @Test func aFixOfBeforeMidnightIsOfTheDayBefore() throws {
    let fix = try fix("2026-07-27, 11:59:58 PM Eastern Daylight Time", at: "00:00:01.000")
    #expect(fix.timestamp.civilDate.day == 27)
    let old = try self.fix("2026-07-27, 2:34:21 PM Eastern Daylight Time | age: 86401563 ms")
    #expect(old.timestamp.civilDate.day == 27 && old.timestamp.millisecondOfDay == 52_461_000)
  }

  /// A corrupt log may contain any number.
  @Test(arguments: ["-9223372036854775808", "-999999999999999", "999999999999999", "9223372036854775807", "1e308"])
  func aFixOfATimeThatDoesNotExistIsNone(age: String) throws {
    let found = try facts(
      "14:34:22.563 \n📍<+45.5,-116.2> +/- 5.00m (speed 1.85 mps / course 31.06) @ 28/07/26, 2:34:21 PM | age: \(age) ms"
    )
    #expect(found.allSatisfy { if case .other = $0 { true } else { false } } && !found.isEmpty, "\(found)")
  }

  @Test func olderVersionsHaveOtherNames() throws {
    #expect(
      try facts(
        "10:00:00.000 \n╔══\n║ -[TSHttpService flush:] \n╚══",
        "10:00:00.000 ⚠️-[TSHttpService flush:] Busy with previous request",
        "10:00:00.001 \n╔══\n║ -[TSHttpService finish:error:] Success: 1\n╚══",
        "10:00:00.002 ✅-[TSLocationManager persistLocation:]_block_invoke INSERT: D1FA",
        "10:00:00.003 🎾-[TSLocationManager startUpdatingLocation] Location-services: ON",
        "10:00:00.004 ℹ️-[TSLocationManager doStart:] trackingMode: 1",
        "10:00:00.005 🔵-[TSLocationManager beginStopDetection] ⏲Stop-timeout engaged: 300 s...",
        "10:00:00.006 \n╔══\n║ -[TSLocationManager createMotionTypeChangedHandler]_block_invoke | cycling/100 | isMoving: 1",
        "10:00:00.007 🔵-[TSConfig incrementOdometer:] 1245.4",
        "10:00:00.008 \n╔══\n║ -[TSLocationManager locationManager:didUpdateLocations:] Enabled: 1 | isMoving: 1 | df: 70.0m | age: 0.0s"
      ).filter { if case .other = $0 { false } else { true } } == [
        .flushBegan(queued: nil), .flushFinished(queuedBefore: nil), .inserted(uuid: "D1FA", kind: nil),
        .locationUpdates(isOn: true), .started(trackingMode: 1), .stopTimeoutEngaged(seconds: 300),
        .activity(Activity(.onBicycle, confidence: 100)), .odometer(metres: 1_245.4, errorMetres: 0),
        .tracking(isEnabled: true, isMoving: true, distanceFilter: 70),
      ])
  }

  @Test func anAcquiredPositionIsASampleOfItsRequest() throws {
    let found = try facts(
      "17:42:22.086 ✅-[TSLocationManager locationManager:didUpdateLocations:] Acquired motionchange position: "
        + "<+45.5,-116.3> +/- 4.82m (speed 0.31 mps / course 7.03) @ 1/27/22, 5:42:21 PM Central Standard Time")
    guard case .fix(let fix, number: 1, nil)? = found.first else {
      Issue.record("no sample in \(found)")
      return
    }
    #expect(fix.coords.accuracy == 4.82)
    #expect(found.last == .acquired(.motionChange(isMoving: nil)))
  }
}
