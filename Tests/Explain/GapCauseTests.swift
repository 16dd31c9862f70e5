import Base
import Contract
import DeviceLog
import Testing
import Vocabulary

@testable import Explain

/// Why there was no record, in logs that our own device writes.
@Suite struct GapCauseTests {
  private static let granted = ProviderState(
    isEnabled: true, authorizationStatus: 3, hasGPS: true, hasNetwork: true, accuracyAuthorization: 0)
  private static let denied = ProviderState(
    isEnabled: true, authorizationStatus: 2, hasGPS: true, hasNetwork: true, accuracyAuthorization: 0)

  /// A phone that moves makes a record, has what is between, and makes another one so far from the first.
  private func gap(
    _ platform: DevicePlatform = .ios, nextNorth metres: Double = 40, _ between: (inout WrittenLog) -> Void
  ) throws -> Gap {
    var log = WrittenLog(platform)
    log.begin()
    between(&log)
    log.record(north: metres)
    let gaps = try ReadLog.story(log.bytes).gaps
    #expect(gaps.count == 1, "\(gaps)")
    return try #require(gaps.first)
  }

  @Test(arguments: DevicePlatform.allCases) func aPhoneThatStandsIsBelowItsDistanceFilter(platform: DevicePlatform)
    throws
  {
    let gap = try gap(platform) { $0.wait(90_000) }
    #expect(gap.causes == [.belowDistanceFilter] && gap.reason.contains("40 m from the record before"))
    #expect(gap.from == WrittenLog.start && gap.milliseconds == 90_000)
  }

  /// Location that is switched on again begins with the configured filter.
  @Test func bothDistanceFiltersOfAGapAreTold() throws {
    var log = WrittenLog(.ios)
    log.begin()
    log.wait(10_000)
    log.position(north: 200)
    log.write(.distanceFilter(new: 150, old: 50))
    log.keep()
    log.wait(90_000)
    log.record(north: 240)
    let gap = try #require(try ReadLog.story(log.bytes).gaps.first)
    #expect(gap.causes == [.belowDistanceFilter] && gap.reason.hasSuffix("the distance filter was 150 m, then 50 m"))
  }

  @Test func aPhoneThatWentFarHadNoPosition() throws {
    let gap = try gap(.android, nextNorth: 3_000) { $0.wait(200_000) }
    #expect(gap.causes == [.noFix])
    let failed = try self.gap(nextNorth: 900) { log in
      for _ in 0..<4 {
        log.wait(30_000)
        log.write(.locationRequestFailed(purpose: "motionchange", code: 408))
      }
    }
    #expect(failed.causes == [.noFix] && failed.evidence.contains { $0.words.contains("failed with code 408") })
  }

  @Test func anAppThatWritesNothingWhileThePhoneTravelsWasSuspended() throws {
    #expect(try gap(nextNorth: 30_000) { $0.wait(1_200_000) }.causes == [.suspended])
  }

  @Test(arguments: DevicePlatform.allCases) func refusedPositionsAreTold(platform: DevicePlatform) throws {
    let gap = try gap(platform) { log in
      log.wait(30_000)
      log.position(north: 900, .rejected, "accuracy-threshold")
      log.wait(50_000)
    }
    #expect(gap.causes == [.rejected])
    let told = try #require(gap.evidence.first { $0.words.contains("rejected") })
    #expect(told.words.contains("accuracy-threshold") && told.time == WrittenLog.start.advanced(byMilliseconds: 30_000))
  }

  @Test func aPositionThatBecomesNoRecordIsTold() throws {
    let gap = try gap { log in
      log.wait(30_000)
      log.position(north: 400)
      log.wait(50_000)
    }
    #expect(gap.causes == [.notKept])
  }

  @Test(arguments: DevicePlatform.allCases) func withoutPermissionNothingComes(platform: DevicePlatform) throws {
    let gap = try gap(platform, nextNorth: 5_000) { log in
      log.wait(5_000)
      log.write(.provider(Self.denied))
      log.wait(300_000)
      log.write(.provider(Self.granted))
      log.wait(2_000)
    }
    #expect(gap.causes.first == .noPermission && gap.evidence.contains { $0.words.contains("is denied") })
  }

  @Test(arguments: DevicePlatform.allCases) func theScheduleMayBeOff(platform: DevicePlatform) throws {
    let gap = try gap(platform, nextNorth: 5_000) { log in
      log.wait(5_000)
      log.write(.schedule(window: "2-6 09:00-17:00", isOn: false), .stopped)
      log.wait(600_000)
      log.write(.schedule(window: "2-6 09:00-17:00", isOn: true), .started(isGeofenceMode: false))
      log.wait(2_000)
    }
    #expect(gap.causes.first == .schedule)
  }

  @Test(arguments: DevicePlatform.allCases) func trackingMayBeStopped(platform: DevicePlatform) throws {
    let gap = try gap(platform, nextNorth: 5_000) { log in
      log.wait(5_000)
      log.write(.stopped)
      log.wait(600_000)
      log.write(.started(isGeofenceMode: false))
      log.wait(2_000)
    }
    #expect(gap.causes.first == .stopped)
  }

  private func rest(_ log: inout WrittenLog, heartbeats: Int) {
    log.wait(1_000)
    log.write(.paceChange(from: true, to: false), .locationUpdates(isOn: false))
    log.write(.timerStarted(name: "heartbeat", seconds: 60, isRepeating: true))
    for _ in 0..<heartbeats {
      log.wait(60_000)
      log.write(.heartbeat)
    }
  }

  private func setOff(_ log: inout WrittenLog) {
    log.wait(1_000)
    log.write(.regionExit(identifier: "stationary"), .paceChange(from: false, to: true), .locationUpdates(isOn: true))
  }

  @Test(arguments: DevicePlatform.allCases) func aPhoneAtRestRecordsNothing(platform: DevicePlatform) throws {
    let gap = try gap(platform, nextNorth: 200) { log in
      rest(&log, heartbeats: 5)
      setOff(&log)
    }
    #expect(gap.causes == [.stationary])
    #expect(gap.evidence.contains { $0.words.contains("the first of 5 heartbeats") })
  }

  @Test func missingHeartbeatsShowThatIOSSuspendedTheApp() throws {
    func between(_ log: inout WrittenLog) {
      rest(&log, heartbeats: 2)
      log.wait(300_000)
      log.write(.heartbeat)
      setOff(&log)
    }
    let gap = try gap(nextNorth: 200) { between(&$0) }
    #expect(gap.causes == [.stationary, .suspended])
    #expect(gap.evidence.contains { $0.words == "suspended: no line for 300.0 s" })
    // Android's process lives on.
    #expect(try self.gap(.android, nextNorth: 200) { between(&$0) }.causes == [.stationary])
  }

  @Test(arguments: DevicePlatform.allCases) func aNewProcessShowsThatTheOldOneEnded(platform: DevicePlatform) throws {
    let moving = try gap(platform, nextNorth: 9_000) { log in
      log.wait(600_000)
      log.launch()
      log.write(.started(isGeofenceMode: false), .paceChange(from: false, to: true), .locationUpdates(isOn: true))
      log.wait(1_000)
    }
    #expect(moving.causes == [.terminated])
    let resting = try gap(platform, nextNorth: 9_000) { log in
      rest(&log, heartbeats: 4)
      log.wait(240_000)
      log.launch()
      setOff(&log)
    }
    #expect(resting.causes == [.stationary, .terminated])
  }

  @Test func aLogThatTellsNothingButRecordsLeavesTheCauseOpen() throws {
    var log = WrittenLog(.ios)
    log.keep()
    log.wait(100_000)
    log.keep()
    #expect(try ReadLog.story(log.bytes).gaps.map(\.causes) == [[.unknown]])
  }

  /// At a threshold of 60 s, 60.000 s is no gap.
  @Test(arguments: [(60_000, 0), (60_001, 1)]) func onlyWhatIsAboveTheThresholdIsAGap(span: Int64, count: Int) throws {
    var log = WrittenLog(.ios)
    log.begin()
    log.wait(span)
    log.record(north: 60)
    #expect(try ReadLog.story(log.bytes).gaps.count == count)
  }

  @Test(arguments: DevicePlatform.allCases) func theEndsOfALogAreNoGapsBetweenRecords(platform: DevicePlatform) throws {
    var log = WrittenLog(platform)
    log.write(.heartbeat)
    log.wait(100_000)
    log.begin()
    log.wait(200_000)
    log.write(.heartbeat)
    let gaps = try ReadLog.story(log.bytes).gaps
    #expect(gaps.map(\.edge) == [.logBegins, .logEnds] && gaps.map(\.milliseconds) == [100_000, 200_000])
  }

  @Test(arguments: DevicePlatform.allCases) func theZoneIsFoundInTheLog(platform: DevicePlatform) throws {
    var log = WrittenLog(platform)
    log.begin()
    if platform == .android { log.write(.location(log.fix(north: 1), number: 1, ageMilliseconds: 30)) }
    log.wait(70_000)
    log.record(north: 60)
    let story = try ReadLog.story(log.bytes)
    #expect(story.zone.isKnown && story.zone.offsetMinutes == WrittenLog.offsetMinutes)
    #expect(story.gaps.first?.from == WrittenLog.start)
    let told = try ReadLog.story(log.bytes, zone: LogZone(offsetMinutes: 60))
    #expect(told.gaps.first?.from == WrittenLog.start.advanced(byMilliseconds: 3_600_000))
  }

  /// Of whatever happens often the first ones and the last are kept.
  @Test func aLongNightIsToldInAFewLines() throws {
    let gap = try gap(nextNorth: 200) { log in
      rest(&log, heartbeats: 1)
      for _ in 0..<500 {
        log.wait(50_000)
        log.write(.motionTriggerIgnored(radiusMetres: 25, distanceMetres: 17), .appState(isBackground: true))
      }
      setOff(&log)
    }
    #expect(gap.evidence.count < 20 && gap.causes == [.stationary])
    #expect(gap.evidence.contains { $0.words.contains("(496 more of this before)") })
  }
}
