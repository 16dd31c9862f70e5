import Testing

@testable import CommandLine

/// Whatever a file says, at the ends of the calendar and of numbers, ends no process.
@Suite struct CalendarEndTests {
  private static let days = ["0001-01-01", "9999-12-31"]
  private static let numbers = ["\(Int64.min)", "-\(Int64.max)", "\(Int64.max)", "1e30", "-1e308", "1e308"]

  private static func log(_ day: String, _ number: String) -> String {
    """
    \(day) 00:00:00.000 🔵 -[TSTrackingService locationManager:didExitRegion:] Exit stationary region

    \(day) 00:00:01.000 \n📍<45.5,-116.2> +/- 5.00m (speed 1.85 mps / course 31.06) @ 1/1/1, 12:00:01 AM | age: 0 ms

    \(day) 00:00:02.000 ✅-[TSOdometer incrementOdometer] -1e308 ±5

    \(day) 00:00:02.001 ✅-[TSOdometer incrementOdometer] \(number) ±5

    \(day) 23:59:59.998 🔵-[TSTrackingService beginStopDetection] ⏲Stop-timeout engaged: \(number) s...

    \(day) 23:59:59.999 \n📍<45.5,-116.2> +/- 5.00m (speed 1.85 mps / course 31.06) @ 1/1/1, 11:59:59 PM | age: \(number) ms

    """
  }

  @Test(arguments: days, numbers) func aLogIsCountedAndReplayed(day: String, number: String) {
    let files = ["drive.log": Self.log(day, number)]
    let counted = CommandCall(["trace", "drive.log"], files: files)
    #expect(
      counted.code == .ok && counted.output.hasPrefix("ios log: 14 lines, 6 entries, 1 without "), "\(counted.output)")
    let replayed = CommandCall(["trace", "drive.log", "--fidelity"], files: files)
    #expect(replayed.code == .ok && replayed.output.contains("\nodometer "), "\(replayed.output)\(replayed.error)")
  }

  @Test(arguments: days) func aRunIsRefused(day: String) {
    let scenario =
      "{ version: 1, name: 'x', clock: { duration: '1m', start: '\(day)T23:59:30Z' }, fleets: { a: { devices: 1 } } }"
    let call = CommandCall(["simulate", "x.json5"], files: ["x.json5": scenario])
    #expect(call.code == .badScenario && call.error.contains("x.json5:1:58: clock.start: "), "\(call.error)")
  }
}
