import Base
import Contract
import Engine
import Host
import Queue
import Scenario
import Testing
import Vocabulary

@testable import FleetSimulator
@testable import Oracle

/// What the document says of a schedule, and that a device which does not keep to it is found out.
@Suite struct ExpectedScheduleTests {
  private func milliseconds(_ text: String) throws -> Int64 {
    let bytes = Array(text.utf8)
    let instant = WallInstant(iso8601: bytes.span)
    return try #require(instant).millisecondsSince1970
  }

  /// 2 March 2026 is a Monday.
  @Test(arguments: [
    ("2026-03-02T08:59:00Z", TrackingGoal.off), ("2026-03-02T09:00:00Z", .location),
    ("2026-03-02T16:59:00Z", .location),
    ("2026-03-02T17:00:00Z", .off), ("2026-03-02T19:00:00Z", .geofences), ("2026-03-03T11:59:00Z", .location),
    ("2026-03-07T13:00:00Z", .off), ("2026-03-08T02:00:00Z", .off), ("2027-01-01T12:00:00Z", .location),
    ("2027-01-03T03:00:00Z", .location), ("2027-01-04T01:00:00Z", .off),
  ])
  func windowsAreReadFromTheDocument(instant: String, goal: TrackingGoal) throws {
    let schedule = ExpectedSchedule([
      "2-6 09:00-17:00 location", "2-4 18:00-12:00 geofence", "2027-01-01-09:00 2027-01-03-17:00", "nonsense",
      "9 1:00-2:00", "1-7 17:00-24:00", "2,,4 17:00-23:00", "02 17:00-23:00", "2026-3-2 17:00-23:00", "2 17:0-23:0",
    ])
    #expect(schedule.goal(atMilliseconds: try milliseconds(instant)) == goal)
  }

  @Test func changesAreFoundHoweverFarAhead() throws {
    let schedule = ExpectedSchedule(["2027-05-01 09:00-17:00"])
    let zone = ExpectedZone(offsetSeconds: 7_200)
    let now = WallInstant(millisecondsSince1970: try milliseconds("2026-03-02T10:00:00Z"))
    let first = try #require(schedule.change(after: now, in: zone))
    #expect(first.millisecondsSince1970 == (try milliseconds("2027-05-01T07:00:00Z")))
    let last = try #require(schedule.change(after: first, in: zone))
    #expect(last.millisecondsSince1970 == (try milliseconds("2027-05-01T15:00:00Z")))
    #expect(schedule.change(after: last, in: zone) == nil)
  }

  /// On 29 March 2026 the clocks of central Europe are put forward.
  @Test func windowsGoByTheClockOnTheWall() throws {
    let step = WallInstant(millisecondsSince1970: try milliseconds("2026-03-29T01:00:00Z"))
    let zone = ExpectedZone(offsetSeconds: 3_600, steps: [.init(instant: step, offsetSeconds: 7_200)])
    let schedule = ExpectedSchedule(["1-7 09:00-10:00"])
    let before = WallInstant(millisecondsSince1970: try milliseconds("2026-03-28T00:00:00Z"))
    let first = try #require(schedule.change(after: before, in: zone))
    let second = try #require(schedule.change(after: step, in: zone))
    #expect(first.millisecondsSince1970 == (try milliseconds("2026-03-28T08:00:00Z")))
    #expect(second.millisecondsSince1970 == (try milliseconds("2026-03-29T07:00:00Z")))
  }

  /// Where clocks are put back by seven hours, the local times of seven hours come twice.
  @Test(arguments: [(7_200, 61, true), (7_200, 62, false), (-18_000, 421, true), (-18_000, 422, false)])
  func localTimesThatComeTwiceAreUnsure(offsetSeconds: Int, minutes: Int64, isUnsure: Bool) throws {
    let step = WallInstant(millisecondsSince1970: try milliseconds("2026-06-10T05:20:50Z"))
    let before = offsetSeconds > 0 ? 3_600 : 7_200
    let zone = ExpectedZone(offsetSeconds: before, steps: [.init(instant: step, offsetSeconds: offsetSeconds)])
    for side in [-1, 1] {
      #expect(zone.isUnsure(step.advanced(byMilliseconds: Int64(side) * minutes * 60_000)) == isUnsure)
    }
  }

  // MARK: Devices. It is ten o'clock on a Monday.

  private func stage(_ schedule: String..., isExact: Bool = true) -> Stage {
    let stage = Stage {
      ($0.app.schedule, $0.app.scheduleUseAlarmManager) = (schedule, isExact)
    }
    stage.tell(.asked(.startSchedule))
    return stage
  }

  private func wait(_ minutes: Int64, _ stage: Stage) {
    for _ in 0..<minutes {
      stage.pass(seconds: 60)
      stage.tell(.fetched)
    }
  }

  private func turn(_ goal: TrackingGoal, _ stage: Stage) {
    var state = EngineState()
    state.isEnabled = goal != .off
    state.trackingMode = goal == .geofences ? .geofence : .location
    stage.event(.enabledChange(isEnabled: goal != .off))
    stage.event(.schedule(state))
  }

  @Test(arguments: [(true, []), (false, [Invariant.schedule])])
  func aWindowOpens(isTold: Bool, violated: [Invariant]) {
    let stage = stage("1-7 12:00-13:00")
    wait(120, stage)
    if isTold { turn(.location, stage) }
    wait(30, stage)
    #expect(stage.violated == violated)
    #expect(stage.oracle.outcomes.first { $0.invariant == .schedule }?.exercised == 1)
  }

  /// What a store could not write is gone with the process.
  @Test(arguments: [(true, []), (false, [Invariant.schedule])])
  func aWindowBehindAStoreThatFailed(isDisturbed: Bool, violated: [Invariant]) {
    let stage = stage("1-7 12:00-13:00")
    if isDisturbed { stage.tell(.queue(.refused(device: 0, .other))) }
    stage.tell(.killed(isReboot: false))
    stage.tell(.launched(Launch()))
    wait(150, stage)
    #expect(stage.violated == violated)
  }

  /// A new odometer makes a record, whatever the schedule says (SDK §17.6).
  @Test(arguments: [true, false])
  func aRecordOutsideTheWindows(isOfOdometer: Bool) {
    let stage = stage("1-7 12:00-13:00")
    wait(30, stage)
    if isOfOdometer { stage.tell(.asked(.resetOdometer)) }
    stage.upload([stage.insert()])
    #expect(stage.violated == (isOfOdometer ? [] : [.schedule]))
  }

  /// An iPhone looks at its schedule whenever it records a location (AppConfig 229); Android has alarms.
  @Test(arguments: [
    (DevicePlatform.ios, 13, 2, [Invariant.schedule]), (.ios, 13, 1, []), (.ios, 17, 2, []), (.android, 13, 2, []),
  ])
  func recordsBehindTheEndOfAWindow(platform: DevicePlatform, end: Int, records: Int, violated: [Invariant]) {
    let stage = Stage(platform: platform) { $0.app.schedule = ["1-7 09:00-\(end):00"] }
    stage.tell(.asked(.startSchedule))
    turn(.location, stage)
    wait(181, stage)
    for _ in 0..<records {
      stage.pass(seconds: 10)
      stage.upload([stage.insert()])
    }
    if end == 13 { turn(.off, stage) }
    #expect(stage.violated == violated)
  }

  @Test func aWindowCloses() {
    let stage = stage("1-7 09:00-13:00")
    turn(.location, stage)
    wait(240, stage)
    #expect(stage.violated == [.schedule])
  }

  @Test func aWindowInsideAnotherEnds() {
    let stage = stage("1-7 09:00-17:00", "1-7 11:00-12:00")
    turn(.location, stage)
    wait(120, stage)
    turn(.off, stage)
    #expect(stage.violated == [.schedule])
  }

  @Test func theModeIsThatOfTheWindow() {
    let stage = stage("1-7 09:00-17:00 geofence")
    turn(.location, stage)
    wait(5, stage)
    #expect(stage.violated == [.schedule])
  }

  @Test(arguments: [(true, []), (false, [Invariant.schedule])])
  func withoutExactAlarmsItMayBeTenMinutesLate(isInexact: Bool, violated: [Invariant]) {
    let stage = stage("1-7 12:00-13:00", isExact: !isInexact)
    wait(128, stage)
    turn(.location, stage)
    wait(5, stage)
    #expect(stage.violated == violated)
  }

  @Test func aManualStopLastsUntilTheNextWindow() {
    let stage = stage("1-7 09:00-12:00", "1-7 13:00-14:00")
    turn(.location, stage)
    stage.tell(.asked(.stop))
    turn(.off, stage)
    wait(170, stage)
    #expect(stage.violated == [])
    wait(30, stage)
    #expect(stage.violated == [.schedule])
  }

  /// The configuration stops tracking half an hour after its start, or at a rest, and the next window starts it again
  /// (GeolocationConfig `stopAfterElapsedMinutes`, ActivityConfig `stopOnStationary`; SDK §12.6.5, §19.6).
  @Test(arguments: [
    (30, false, 30, []), (30, false, 20, [Invariant.schedule]), (30, true, 20, []), (-1, true, 20, []),
    (-1, false, 30, [.schedule]),
  ])
  func aStopByItselfLastsUntilTheNextWindow(limit: Double, atRest: Bool, minutes: Int64, violated: [Invariant]) {
    let stage = Stage {
      ($0.app.schedule, $0.app.scheduleUseAlarmManager) = (["1-7 09:00-12:00", "1-7 13:00-14:00"], true)
      ($0.geolocation.stopAfterElapsedMinutes, $0.activity.stopOnStationary) = (limit, atRest)
    }
    stage.tell(.asked(.startSchedule))
    turn(.location, stage)
    wait(minutes, stage)
    stage.event(.enabledChange(isEnabled: false))
    wait(60, stage)
    #expect(stage.violated.filter { $0 == .schedule } == violated)
  }

  /// Without exact alarms a window may begin ten minutes late; what stops within these stops for good, too.
  @Test func aStopByItselfMayComeAtOnce() {
    let stage = Stage {
      $0.app.schedule = ["1-7 09:00-12:00"]
      $0.geolocation.stopAfterElapsedMinutes = 3
    }
    stage.tell(.asked(.startSchedule))
    turn(.location, stage)
    wait(3, stage)
    stage.event(.enabledChange(isEnabled: false))
    wait(30, stage)
    #expect(stage.violated == [])
  }

  /// What is chosen by hand lasts until the next window, also while the one that is open may still be noticed (SDK §16.3.5).
  @Test(arguments: [(true, []), (false, [Invariant.schedule])])
  func aModeThatIsChosenAsAWindowIsNoticed(isChosen: Bool, violated: [Invariant]) {
    let stage = stage("1-7 09:00-12:00")
    if isChosen {
      stage.tell(.asked(.startGeofences))
      stage.event(.enabledChange(isEnabled: true))
    }
    wait(60, stage)
    #expect(stage.violated == violated)
  }

  /// A schedule that was stopped changes nothing until it is started (BGGeo `stopSchedule`).
  @Test(arguments: [true, false], [true, false]) func aScheduleThatWasStopped(isStartedAgain: Bool, isByCommand: Bool) {
    let stage = stage("1-7 09:00-12:00", "1-7 13:00-14:00")
    turn(.location, stage)
    stage.tell(isByCommand ? .told(.commanded(.stopSchedule)) : .asked(.stopSchedule))
    wait(60, stage)
    if isStartedAgain { stage.tell(.asked(.startSchedule)) }
    wait(60, stage)
    turn(.off, stage)
    #expect(stage.violated.contains(.schedule) == !isStartedAgain)
  }

  /// The schedule is on already, and the stop is not taken back.
  @Test func aManualStopOutlastsAnotherStartOfTheSchedule() {
    let stage = stage("1-7 09:00-12:00")
    turn(.location, stage)
    stage.tell(.asked(.stop))
    turn(.off, stage)
    stage.tell(.asked(.startSchedule))
    wait(60, stage)
    #expect(stage.violated == [])
  }

  @Test func aWindowThatOpensWhileTheAppIsDownIsKeptAfterTheNextStart() {
    let stage = stage("1-7 11:00-14:00")
    stage.tell(
      .configured(
        {
          var configuration = stage.oracle.ledger.truth.lives[0].configuration ?? Runs.configuration()
          configuration.app.stopOnTerminate = false
          return configuration
        }()))
    stage.tell(.asked(.startSchedule))
    stage.tell(.killed(isReboot: false))
    wait(90, stage)
    stage.tell(.kept(EngineState()))
    stage.tell(.launched(Launch()))
    #expect(stage.violated == [])
    wait(10, stage)
    #expect(stage.violated == [.schedule])
  }

  /// After a boot of Android the schedule waits for the user, unless the app stops and starts it (AppConfig `startOnBoot`, BGGeo
  /// `startSchedule`; SDK §16.3.8).
  @Test(arguments: [false, true], [false, true])
  func afterABootAScheduleWaitsUntilItIsStarted(isStarted: Bool, isOn: Bool) {
    let stage = stage("1-7 09:00-17:00")
    turn(.location, stage)
    stage.tell(.killed(isReboot: true))
    stage.tell(.launched(Launch(isInBackground: true, didReboot: true)))
    turn(.off, stage)
    wait(10, stage)
    if isStarted {
      stage.tell(.asked(.stopSchedule))
      wait(10, stage)
      stage.tell(.asked(.startSchedule))
    }
    if isOn { turn(.location, stage) }
    wait(30, stage)
    #expect(stage.violated == (isStarted == isOn ? [] : [.schedule]))
  }

  /// So does one that was empty before the boot, and that comes back with the configuration of the app.
  @Test(arguments: [(Launch(isInBackground: true, didReboot: true), []), (Launch(), [Invariant.schedule])])
  func afterABootAScheduleThatWasEmptyWaits(launch: Launch, violated: [Invariant]) throws {
    let stage = stage("1-7 09:00-17:00")
    turn(.location, stage)
    let configured = try #require(stage.oracle.ledger.truth.lives[0].configuration)
    var emptied = configured
    emptied.app.schedule = []
    stage.tell(.configured(emptied))
    stage.tell(.asked(.startSchedule))
    stage.tell(.killed(isReboot: true))
    stage.tell(.kept(EngineState()))
    stage.tell(.launched(launch))
    stage.tell(.configured(configured))
    wait(30, stage)
    #expect(stage.violated.filter { $0 == .schedule } == violated)
  }

  /// No document says which configuration refuses a start after a boot: the one that a command has saved, or that of the app.
  @Test(arguments: [(false, []), (true, [Invariant.schedule])])
  func anAppThatStartsOnBootByACommandOnly(startsOnBoot: Bool, violated: [Invariant]) {
    func configure(_ configuration: inout Configuration) {
      configuration.app.schedule = ["1-7 09:00-17:00"]
      (configuration.app.stopOnTerminate, configuration.app.startOnBoot) = (false, true)
    }
    let stage = Stage(configure)
    stage.tell(.asked(.startSchedule))
    turn(.location, stage)
    stage.tell(.killed(isReboot: true))
    stage.tell(.kept(EngineState()))
    stage.tell(.launched(Launch(isInBackground: true, didReboot: true)))
    var configuration = Runs.configuration()
    configure(&configuration)
    configuration.app.startOnBoot = startsOnBoot
    stage.tell(.configured(configuration))
    turn(.off, stage)
    wait(30, stage)
    #expect(stage.violated.filter { $0 == .schedule } == violated)
  }
}
