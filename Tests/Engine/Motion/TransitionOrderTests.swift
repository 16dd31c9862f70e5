import Base
import Contract
import Testing
import Vocabulary

@testable import Engine

/// The order of what a real device does at transitions (SDK §12.2), as far as an engine has a say in it.
@Suite struct TransitionOrderTests {
  private func verbose(_ configuration: inout Configuration) {
    configuration.logger.logLevel = .verbose
    configuration.geolocation.stopTimeoutMinutes = 1
  }

  /// The words in the order given, with whatever between them.
  private func appear(_ words: [String], in outline: [String]) -> Bool {
    var rest = outline[...]
    for word in words {
      guard let place = rest.firstIndex(of: word) else { return false }
      rest = rest[(place + 1)...]
    }
    return true
  }

  /// The system hands over what it still has. The stream begins with the position of the motion change (SDK §14.2, §5.4).
  @Test(arguments: DevicePlatform.allCases)
  func whatIsOlderThanTheMotionChangeIsNoFixOfTheTrip(platform: DevicePlatform) {
    var rig = EngineRig.resting(platform, configure: verbose)
    rig.wait(600)
    rig.send(.call(.changePace(isMoving: true)))
    rig.wait(2)
    rig.sample()
    let first = rig.fix()
    _ = rig.take()
    let odometer = rig.engine.state.odometerMetres
    rig.wait(3)
    for age: Int64 in [3_600, 300, 4] {
      rig.send(.fix(rig.fix(north: 300, speed: 10, ageSeconds: age)))
      let effects = rig.take()
      #expect(effects.persisted.isEmpty && effects.events.isEmpty && effects.outline.contains("log locationIgnored"))
    }
    #expect(rig.engine.state.odometerMetres == odometer)
    rig.send(.fix(first))
    var effects = rig.take()
    #expect(effects.persisted.isEmpty && effects.events.count == 1, "the same once more is told, and no record")
    rig.drive(north: 30)
    effects = rig.take()
    #expect(effects.kinds == [.tracking])
  }

  @Test func aMotionChangeInTheFutureCountsForNothing() {
    var rig = EngineRig.driving(configure: verbose)
    rig.setClock(bySeconds: -3_600)
    rig.wait(5)
    rig.drive(north: 50)
    #expect(rig.take().kinds == [.tracking])
  }

  @Test func comingToRest() {
    var rig = EngineRig.driving(configure: verbose)
    rig.wait(20)
    rig.drive(north: 250)
    rig.act(.still)
    rig.wait(60)
    rig.sample(north: 300, accuracy: 3.3, ageSeconds: 1)
    let outline = rig.take().outline
    #expect(
      appear(
        [
          "log stopTimeoutEngaged", "log paceChange", "log locationRequest", "demand sampling", "log odometer",
          "log stationaryRegion", "demand stationaryRegion", "log timerStarted", "demand locationUpdates",
          "persist motionChange", "event motionChange", "event location", "flush motionChange",
        ], in: outline), "\(outline)")
  }

  @Test func settingOff() {
    var rig = EngineRig.resting(configure: verbose)
    rig.wait(30)
    rig.send(.stationaryRegionExit(nil))
    rig.sample(north: 200)
    let fix = rig.fix(north: 200)
    rig.send(.fix(fix))
    let effects = rig.take()
    #expect(
      appear(
        [
          "log regionExit", "log paceChange", "log timerStopped", "log locationRequest", "persist motionChange",
          "event motionChange", "event location", "log odometer", "demand locationUpdates", "flush motionChange",
          "log filterDecision", "event location",
        ], in: effects.outline), "\(effects.outline)")
    #expect(effects.kinds == [.motionChange], "the stream repeats the position, the queue does not")
  }

  @Test func startBeginsAtRest() throws {
    var rig = EngineRig(configure: verbose)
    rig.send(.ready(Launch(isFirstBoot: true)))
    rig.send(.call(.start))
    rig.sample()
    let effects = rig.take()
    #expect(
      appear(
        [
          "log ready", "log started", "event enabledChange", "event connectivityChange", "demand activityUpdates",
          "log paceChange", "log locationRequest", "demand backgroundFetch", "demand significantChanges",
          "demand stationaryRegion", "persist motionChange", "flush motionChange",
        ], in: effects.outline), "\(effects.outline)")
    let first = try #require(effects.persisted.first)
    #expect(first.record.event == .motionchange && !first.record.isMoving)
  }

  @Test func aTrackedFixIsMeasuredThenKeptThenSent() {
    var rig = EngineRig.driving(configure: verbose)
    rig.wait(20)
    rig.drive(north: 200, speed: 12)
    rig.wait(20)
    rig.drive(north: 400, speed: 12)
    let outline = rig.take().outline
    #expect(
      appear(
        [
          "log location", "log filterDecision", "log odometer", "log distanceFilter", "demand locationUpdates",
          "persist tracking", "event location", "flush insert",
        ], in: outline), "\(outline)")
  }
}
