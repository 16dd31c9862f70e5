import DeviceLog
import Testing

@testable import Fidelity

/// Logs of Android with `useSignificantChangesOnly` (SDK §12.7).
@Suite struct SignificantLogTests {
  private func report(_ log: SignificantLog) throws -> FidelityReport {
    FidelityReport(try #require(LogReader(log.text)))
  }

  @Test func anEngineDoesWhatTheLogOfADaySays() throws {
    let report = try report(.day)
    for agreement in report.agreements {
      #expect(agreement.missing.isEmpty && agreement.extra.isEmpty, "\(agreement)")
    }
    let counts = FidelityClass.allCases.map { report[$0].matched }
    #expect(counts == [8, 0, 2, 6, 2, 0])
    #expect(report.odometerError == nil, "the log has no line of it")
  }

  @Test func aRecordThatTheLogLacksIsShown() throws {
    var log = SignificantLog.day
    log.remove("💾", occurrence: 1)
    let records = try report(log)[.records]
    #expect(records.missing.isEmpty && records.extra.map(\.what) == ["geofence, stationary"])
  }

  @Test func aPositionThatTheLogTakesForNoiseAndTheEngineDoesNotIsShown() throws {
    var log = SignificantLog.day
    log.change("09:40:00.000", at: 8.9)
    let records = try report(log)[.records]
    #expect(records.extra.map(\.what) == ["tracking, stationary"])
  }

  @Test func theSystemDeliversAnAlarmWhenItLikes() throws {
    var log = SignificantLog.day
    log.remove("OneShot event fired")
    let transitions = try report(log)[.transitions]
    #expect(transitions.missing.map(\.what) == ["to stationary"] && transitions.extra.isEmpty)
  }

  @Test func theNoiseOfALogTellsWithWhichPositionItCompares() throws {
    var log = SignificantLog.day
    log.remove("acy: 20.0m")
    // 11 m from the last position with 24 m of doubt, and kilometres from the one from which the check counts.
    log.change("10:00:00.000", at: 40, accuracy: 10, recorded: "10:00:00.010")
    let plain = try report(log)[.records].share
    log.change("10:01:00.000", at: 40.1, accuracy: 14, recorded: "10:01:00.010")
    #expect(try plain == 1 && report(log)[.records].share == 1)
  }

  @Test func aLaunchInTheBackgroundGoesOn() throws {
    var log = SignificantLog.day
    log.line(
      "09:50:00.000", "BackgroundGeolocation BackgroundGeolocation",
      "✅  Google Play Services: connected (version code:1)")
    log.change("09:50:01.000", at: 60, recorded: "09:50:01.030")
    let report = try report(log)
    #expect(report[.records].share == 1 && report[.transitions].share == 1, "\(report.agreements)")
  }

  @Test func theSystemTellsWhenADeviceDwells() throws {
    var log = SignificantLog.day
    log.cross("09:40:00.000", "ENTER", "office", at: 31, recorded: "09:40:00.030")
    log.cross("09:43:00.000", "DWELL", "office", at: 31, recorded: "09:43:00.030")
    let report = try report(log)
    #expect(report[.records].share == 1 && report[.geofences].share == 1, "\(report.agreements)")
    #expect(report[.geofences].matched == 4)
  }

  @Test func aLogWithUploadsCountsThem() throws {
    var log = SignificantLog.day
    log.box("09:30:00.040", "HttpService flush", "HTTP Service (count: 1)")
    let uploads = try report(log)[.uploads]
    #expect(uploads.matched == 1 && !uploads.extra.isEmpty)
  }

  @Test func everyCutOfALogIsSurvived() throws {
    let text = Array(SignificantLog.day.text)
    for end in stride(from: 0, to: text.count, by: 211) {
      guard let log = LogReader(String(text[..<end])) else { continue }
      #expect(FidelityReport(log).agreements.count == FidelityClass.allCases.count)
    }
  }
}
