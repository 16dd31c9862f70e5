import Base
import Contract
import Testing
import Vocabulary

@testable import Engine

/// SDK §16.3. The clock begins on Friday 2027-01-15 at 08:00 UTC.
@Suite struct ScheduleRunTests {
  private func rig(_ platform: DevicePlatform, _ schedule: [String], isExact: Bool = true) -> EngineRig {
    var rig = EngineRig(platform) {
      $0.app.schedule = schedule
      $0.app.scheduleUseAlarmManager = isExact
    }
    rig.send(.ready(Launch()))
    rig.send(.call(.startSchedule))
    return rig
  }

  private func switches(_ effects: [Effect]) -> [Bool] {
    effects.events.compactMap { if case .schedule(let state) = $0 { state.isEnabled } else { nil } }
  }

  @Test func insideAWindowTrackingStartsAtOnce() {
    var rig = rig(.ios, ["1-7 07:00-17:00"])
    #expect(rig.engine.state.isEnabled && switches(rig.take()) == [true])
  }

  @Test func androidIsWokenWithinASecondOfTheMinute() {
    var rig = rig(.android, ["1-7 09:00-17:00"])
    rig.wait(3_599)
    #expect(!rig.engine.state.isEnabled)
    rig.wait(2)
    #expect(rig.engine.state.isEnabled)
    rig.wait(8 * 3_600)
    #expect(!rig.engine.state.isEnabled && switches(rig.take()) == [true, false])
  }

  @Test func inexactAlarmsComeMinutesLate() {
    var rig = rig(.android, ["1-7 09:00-17:00"], isExact: false)
    rig.wait(3_600)
    rig.wait(600)
    #expect(rig.engine.state.isEnabled)
  }

  @Test func iOSLooksAtTheClockWhenSomethingWakesIt() {
    var rig = rig(.ios, ["1-7 09:00-17:00"])
    #expect(rig.engine.demands.wantsSignificantChanges, "so that something does")
    rig.wait(2 * 3_600)
    #expect(!rig.engine.state.isEnabled && rig.engine.nextDeadline == nil)
    rig.send(.backgroundFetch)
    #expect(rig.engine.state.isEnabled)
  }

  /// AppConfig: "any location is recorded", those that the app asks for among them.
  @Test(arguments: [
    EngineCall.currentPosition(PositionRequest(id: 1)), .setOdometer(metres: 0, PositionRequest(id: 1)),
    .watchPosition(WatchRequest(id: 1)),
  ])
  func aPositionOfTheAppLooksAtTheScheduleOfIOS(call: EngineCall) {
    var rig = rig(.ios, ["1-7 09:00-17:00"])
    rig.wait(2 * 3_600)
    rig.send(.call(call))
    for _ in 0..<5 { rig.sample() }
    #expect(rig.engine.state.isEnabled)
  }

  /// AppConfig: "any location is recorded", that of a motion change or of a geofence too; a sample is not recorded.
  @Test(arguments: [
    ("1-7 07:00-09:00", EngineInput.call(.changePace(isMoving: true)), RecordKind.motionChange),
    ("1-7 07:00-09:00", .stationaryRegionExit(nil), .motionChange),
    ("1-7 07:00-09:00", .geofenceCrossing(identifier: "depot", isEntry: true, nil), .geofence),
    ("1-7 07:00-09:00 geofence", .geofenceCrossing(identifier: "depot", isEntry: true, nil), .geofence),
  ])
  func theFirstRecordBehindTheEndOfAWindowIsTheLast(window: String, input: EngineInput, kind: RecordKind) throws {
    var rig = rig(.ios, [window])
    let centre = Geofence.Vertex(latitude: 45.509, longitude: -116.3)
    let fence = Geofence(identifier: "depot", shape: .circle(center: centre, radiusMetres: 200))
    rig.send(.call(.addGeofences([fence])))
    rig.sample()
    rig.wait(3_700)
    _ = rig.take()
    rig.send(input)
    rig.sample(north: 100, accuracy: 50)
    #expect(rig.engine.state.isEnabled, "a sample")
    rig.sample(north: 100)
    let effects = rig.take()
    #expect(effects.kinds == [kind] && switches(effects) == [false] && !rig.engine.state.isEnabled)
  }

  /// The way back, to rest.
  @Test func aRestBehindTheEndOfAWindowEndsTracking() {
    var rig = rig(.ios, ["1-7 07:00-09:00"])
    rig.sample()
    rig.send(.call(.changePace(isMoving: true)))
    rig.sample()
    rig.wait(3_700)
    _ = rig.take()
    rig.send(.call(.changePace(isMoving: false)))
    rig.sample()
    let effects = rig.take()
    #expect(effects.kinds == [.motionChange] && switches(effects) == [false])
  }

  @Test func positionsInAnOffPeriodAreNotKept() {
    var rig = rig(.ios, ["1-7 09:00-17:00"])
    rig.send(.significantChange(rig.fix(north: 900)))
    #expect(rig.take().kinds.isEmpty)
  }

  @Test func geofenceWindowsStartGeofences() {
    let rig = rig(.ios, ["1-7 07:00-17:00 geofence"])
    #expect(rig.engine.state.isEnabled && rig.engine.state.trackingMode == .geofence)
  }

  @Test func aStopByHandLastsUntilTheNextWindow() {
    var rig = rig(.android, ["1-7 07:00-10:00", "1-7 12:00-13:00"])
    rig.send(.call(.stop))
    rig.wait(3 * 3_600)
    #expect(!rig.engine.state.isEnabled)
    rig.wait(3_700)
    #expect(rig.engine.state.isEnabled)
  }

  @Test func aStartByHandLastsUntilTheNextOffAlarm() {
    var rig = rig(.android, ["1-7 12:00-13:00"])
    rig.send(.call(.start))
    rig.wait(3 * 3_600)
    #expect(rig.engine.state.isEnabled)
    rig.wait(2.5 * 3_600)
    #expect(!rig.engine.state.isEnabled)
  }

  @Test func stopLeavesTheSchedulerOnAndStopScheduleLeavesTrackingOn() {
    var rig = rig(.ios, ["1-7 07:00-17:00"])
    rig.send(.call(.stopSchedule))
    #expect(rig.engine.state.isEnabled && !rig.engine.state.isSchedulerEnabled)
    rig.send(.call(.startSchedule))
    rig.send(.call(.stop))
    #expect(rig.engine.state.isSchedulerEnabled && !rig.engine.state.isEnabled)
  }

  @Test func aNewScheduleCountsAtOnceAndAnEmptyOneEndsIt() {
    var rig = rig(.ios, ["1-7 09:00-17:00"])
    rig.reconfigure { $0.app.schedule = ["1-7 07:00-17:00"] }
    #expect(rig.engine.state.isEnabled)
    rig.reconfigure { $0.app.schedule = [] }
    #expect(rig.engine.state.isEnabled && !rig.engine.state.isSchedulerEnabled)
  }

  @Test func aLaunchGoesOnWithTheSchedule() {
    var state = EngineState()
    state.isSchedulerEnabled = true
    var rig = EngineRig(state: state) { $0.app.schedule = ["1-7 07:00-17:00"] }
    rig.send(.ready(Launch()))
    #expect(rig.engine.state.isEnabled)
  }

  /// AppConfig `startOnBoot`: "whether tracking resumes automatically after the device reboots".
  @Test(arguments: [true, false], [true, false]) func afterABootTheScheduleOfAndroidAsksTheConfiguration(
    startsOnBoot: Bool, wasEnabled: Bool
  ) {
    var state = EngineState()
    (state.isSchedulerEnabled, state.isEnabled) = (true, wasEnabled)
    var rig = EngineRig(.android, state: state) {
      $0.app.schedule = ["1-7 07:00-17:00", "1-7 20:00-22:00"]
      ($0.app.stopOnTerminate, $0.app.startOnBoot) = (false, startsOnBoot)
    }
    rig.send(.ready(Launch(isInBackground: true, didReboot: true)))
    #expect(rig.engine.state.isEnabled == startsOnBoot)
    rig.wait(24 * 3_600)
    #expect(rig.engine.state.isEnabled == startsOnBoot)
    rig.send(.foreground)
    #expect(rig.engine.state.isEnabled)
  }

  /// What changes nothing gives nothing back to the schedule.
  @Test(arguments: [DevicePlatform.ios, .android])
  func aStartByHandOutlivesInnerWindowsZonesAndSmallCorrectionsOfTheClock(platform: DevicePlatform) {
    var rig = rig(platform, ["1-7 12:00-17:00", "1-7 13:00-14:00"])
    rig.send(.call(.start))
    rig.send(.timeZone(ZoneRules(offsetSeconds: 3_600)))
    rig.setClock(bySeconds: -30)
    rig.send(.clockSet)
    rig.send(.backgroundFetch)
    #expect(rig.engine.state.isEnabled)
    rig.wait(3.5 * 3_600)
    rig.send(.backgroundFetch)
    rig.send(.call(.stop))
    rig.wait(3 * 3_600)
    rig.send(.backgroundFetch)
    #expect(!rig.engine.state.isEnabled, "stopped by hand before the inner window of 13:00 to 14:00")
    rig.wait(2 * 3_600)
    rig.send(.backgroundFetch)
    rig.wait(19 * 3_600)
    rig.send(.backgroundFetch)
    #expect(rig.engine.state.isEnabled, "the next day")
  }

  @Test func everySwitchIsToldOnceWithWhatItTracks() {
    var rig = rig(.android, ["1-7 09:00-17:00", "1-7 10:00-11:00 geofence", "1-7 16:00-18:00 geofence"])
    rig.wait(24 * 3_600)
    let told = rig.take().events.compactMap { event -> String? in
      guard case .schedule(let state) = event else { return nil }
      return state.isEnabled ? "\(state.trackingMode)" : "off"
    }
    #expect(told == ["location", "geofence", "off"])
  }

  @Test func theZoneOfTheDeviceCounts() {
    var rig = rig(.ios, ["1-7 09:00-17:00"])
    rig.send(.timeZone(ZoneRules(offsetSeconds: 3_600)))
    #expect(rig.engine.state.isEnabled)
  }

  @Test func aStoppedScheduleWakesNoIPhone() {
    var rig = rig(.ios, ["1-7 09:00-17:00"])
    #expect(rig.engine.demands.wantsBackgroundFetch && rig.engine.demands.wantsSignificantChanges)
    rig.send(.call(.stopSchedule))
    #expect(!rig.engine.demands.wantsBackgroundFetch && !rig.engine.demands.wantsSignificantChanges)
  }

  @Test func aStoppedScheduleWantsNoAlarm() {
    var rig = rig(.android, ["1-7 09:00-17:00"])
    #expect(rig.engine.nextDeadline != nil)
    rig.send(.call(.stopSchedule))
    #expect(rig.engine.nextDeadline == nil)
  }

  /// A change between exact and inexact alarms counts for the alarm that is set.
  @Test func aPhoneThatMaySetExactAlarmsFromNowOnIsOnTime() {
    var rig = rig(.android, ["1-7 09:00-17:00"], isExact: false)
    rig.reconfigure { $0.app.scheduleUseAlarmManager = true }
    rig.wait(3_602)
    #expect(rig.engine.state.isEnabled)
  }
}
