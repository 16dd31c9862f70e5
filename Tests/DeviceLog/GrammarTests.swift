import Base
import Contract
import DeviceLog
import Testing
import Vocabulary

/// The lines that SDK §20.2 and §20.3 show.
struct GrammarTests {
  private let start = WallInstant(millisecondsSince1970: 1_785_249_226_653)

  private func write(_ entry: LogEntry, _ platform: DevicePlatform, offset: Int = 0) -> String {
    var bytes: [UInt8] = []
    LogText(platform: platform, utcOffsetMinutes: offset).append(entry, at: start, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func aLineOfIOSIsTimeIconSelectorMessageAndABlankLine() {
    let line = write(.timerStarted(name: "stopTimeout", seconds: 60, isRepeating: false), .ios)
    #expect(
      line == "2026-07-28 14:33:46.653 🟢 -[TSTimerService startWithInterval:repeating:callback:] "
        + "⏰ [stopTimeout] Starting timer: 60.00s repeating: 0\n\n")
  }

  @Test func aBoxOfIOSStandsBelowItsTime() {
    let lines = write(.proximity(found: 1, of: 1, withinMetres: 2_000), .ios).split(
      separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count == 6)
    #expect(lines[0] == "2026-07-28 14:33:46.653 ")
    #expect(lines[1].first == "╔" && lines[3].first == "╚")
    #expect(lines[2] == "║ -[TSGeofenceManager evaluateProximity:] Found 1 / 1 within 2000 m")
  }

  @Test func aLineOfAndroidNamesItsLevelAndItsMessageStandsBelow() {
    let line = write(.connectivity(.wifi), .android)
    #expect(line.hasPrefix("07-28 14:33:46.653 INFO [HttpService handleConnectivityChange] \n"))
    #expect(line.contains("║ 📶  Connectivity change: connected? true"))
    #expect(
      write(.response(status: 401, reason: "Unauthorized"), .android).hasSuffix("\n  🔵  Response: 401, Unauthorized\n"))
  }

  @Test func timesAreThoseOfTheDevicesZone() {
    #expect(write(.heartbeat, .ios, offset: -14 * 60 - 34).hasPrefix("2026-07-27 23:59:46.653 "))
    #expect(write(.heartbeat, .android, offset: 10 * 60).hasPrefix("07-29 00:33:46.653 "))
  }

  @Test(arguments: [
    (0.0, "0.00"), (-0.004, "0.00"), (-1.0, "-1.00"), (507.544, "507.54"), (0.05, "0.05"), (12_345.678, "12345.68"),
    (Double.infinity, "-1.00"), (.nan, "-1.00"),
  ]) func metresHaveTwoDigits(value: Double, text: String) {
    let line = write(.odometer(metres: value, errorMetres: 1), .ios)
    #expect(line.contains(" \(text)m ±1.00m"), "\(line)")
  }

  @Test(arguments: [(10.0, "10.000000"), (1e11, "100000000000.000000"), (1e13, "-1.000000"), (.infinity, "-1.000000")])
  func aDistanceFilterHasSixDigits(value: Double, text: String) {
    let line = write(.distanceFilter(new: value, old: 10), .ios)
    #expect(line.contains("new: \(text), old: 10.000000"), "\(line)")
  }

  @Test func thePlatformsUseTheirOwnCaseForUUIDs() {
    let entry = LogEntry.destroyed(uuid: UUID128(high: 0xABCD_EF01_2345_4678, low: 0x89AB_CDEF_0123_4567))
    #expect(write(entry, .ios).contains("DESTROY: ABCDEF01-2345-4678-89AB-CDEF01234567"))
    #expect(write(entry, .android).contains("DESTROY: abcdef01-2345-4678-89ab-cdef01234567"))
  }
}
