import DeviceLog
import Testing

@testable import Fidelity

/// The engine is held against logs whose every line is known.
@Suite struct ReplayTests {
  private func report(_ log: SmallLog) throws -> FidelityReport {
    FidelityReport(try #require(LogReader(log.text)))
  }

  @Test func anEngineDoesWhatTheLogOfATripSays() throws {
    let report = try report(.trip)
    for agreement in report.agreements {
      #expect(agreement.missing.isEmpty && agreement.extra.isEmpty, "\(agreement)")
    }
    let counts = FidelityClass.allCases.map { report[$0].matched }
    #expect(counts == [4, 2, 2, 2, 0, 4])
    #expect(!report.isConfigured)
  }

  @Test func aRecordThatTheLogLacksIsShownWithTheLineOfItsFix() throws {
    var log = SmallLog.trip
    log.remove("(type: 1", occurrence: 1)
    let records = try report(log)[.records]
    #expect(records.matched == 3 && records.missing.isEmpty)
    #expect(records.extra.map(\.what) == ["tracking, moving"])
    #expect(records.extra.map(\.line) == [log.line(of: "<45.503,")])
  }

  @Test func aRecordThatTheEngineLacksIsShownWithItsOwnLine() throws {
    var log = SmallLog.trip
    log.remove("<45.503,")
    let records = try report(log)[.records]
    #expect(records.missing.map(\.line) == [log.line(of: "(type: 1", occurrence: 1)])
    #expect(records.share == 0.75)
  }

  @Test func whatHappensTooLateDoesNotMatch() throws {
    var log = SmallLog.trip
    log.lines = log.lines.map { $0.replacing("10:08:00.01", with: "10:08:06.01") }
    let report = try report(log)
    #expect(report[.transitions].missing.count == 1 && report[.transitions].extra.count == 1)
    #expect(report[.stopTimers].missing.map(\.what) == ["fired"])
  }

  @Test func anotherDistanceDoesNotMatch() throws {
    var log = SmallLog.trip
    log.lines = log.lines.map { $0.replacing("new: 20.000000", with: "new: 40.000000") }
    let distance = try report(log)[.distanceFilter]
    #expect(distance.missing.map(\.what) == ["from 30 to 40 m"])
    #expect(distance.extra.map(\.what) == ["from 30 to 20 m"])
  }

  /// As in the log of a real iPhone: `unknown` begins the time-out when it is sure.
  @Test func aSureUnknownBeginsTheStop() throws {
    var log = SmallLog.trip
    log.lines = log.lines.map { $0.replacing("still/100", with: "unknown/100") }
    for agreement in try report(log).agreements {
      #expect(agreement.missing.isEmpty && agreement.extra.isEmpty, "\(agreement)")
    }
  }

  @Test func anActivityThatCallsTheStopOffIsFollowed() throws {
    var log = SmallLog.trip
    let fired = try #require(log.lines.firstIndex { $0.contains("fired") })
    log.lines.removeSubrange(fired...)
    log.lines += [
      "2026-07-28 10:05:00.000 \n║ -[TSTrackingService onMotionActivityChange:] | in_vehicle/100 | isMoving: 1",
      "2026-07-28 10:05:00.001 🔴 -[TSTimerService stop] ⏰ [stopTimeout]",
    ]
    let timers = try report(log)[.stopTimers]
    #expect(timers.matched == 2 && timers.missing.isEmpty && timers.extra.isEmpty, "\(timers)")
  }

  @Test func theConfigurationOfTheLogCounts() throws {
    var log = SmallLog.trip
    log.lines.append(
      """
      2026-07-28 11:00:00.000 🔵 -[TSLocationManager init]\u{20}
      ║ TSLocationManager (build 388)
      ╠══════
      {
          geolocation =     {
              stopTimeout = 1;
          };
      }
      """)
    let report = try report(log)
    #expect(report.isConfigured)
    #expect(report[.stopTimers].extra.map(\.what).contains("engaged for 60 s"))
  }

  /// Dates without sense, each on a line of its own.
  @Test(arguments: ["0001", "2426", "9999"]) func aWrongYearIsSurvived(year: String) throws {
    for index in SmallLog.trip.lines.indices {
      var log = SmallLog.trip
      log.lines[index] = log.lines[index].replacing("2026", with: year)
      #expect(try report(log).agreements.count == FidelityClass.allCases.count)
    }
  }

  @Test func everyCutOfALogIsSurvived() throws {
    let text = Array(SmallLog.trip.text)
    for end in stride(from: 0, to: text.count, by: 61) {
      guard let log = LogReader(String(text[..<end])) else { continue }
      let report = FidelityReport(log)
      #expect(report.agreements.count == FidelityClass.allCases.count)
    }
  }
}
