import Base
import Contract
import Engine
import Host
import Scenario
import Testing
import Vocabulary
import World

@testable import FleetSimulator

/// A phone on a line through a fence: it is told of what it truly crosses, and of staying in it.
@Suite struct FenceTruthTests {
  private static let circle = Geofence(
    identifier: "depot", shape: .circle(center: Geofence.Vertex(latitude: 1, longitude: 2), radiusMetres: 200))
  private static var polygon: Geofence {
    let (south, north) = (Stage.place(-200).latitude, Stage.place(200).latitude)
    return Geofence(
      identifier: "depot",
      shape: .polygon(
        [(south, 1.998), (south, 2.002), (north, 2.002), (north, 1.998)].map {
          Geofence.Vertex(latitude: $0.0, longitude: $0.1)
        }))
  }

  private func stage(
    _ fence: Geofence, at metres: Double, _ request: Command = .start,
    _ configure: (inout Configuration) -> Void = { _ in }
  ) -> Stage {
    let stage = Stage(configure)
    stage.stay(metres)
    stage.tell(.asked(.addGeofences([fence])))
    stage.tell(.asked(request))
    return stage
  }

  private func tell(_ action: GeofenceTrigger.Action, _ stage: Stage) {
    var record = stage.location()
    record.geofence = GeofenceTrigger(identifier: "depot", action: action, timestamp: record.timestamp)
    stage.event(.geofence(record, Self.circle))
  }

  private func wait(_ seconds: Int64, _ stage: Stage) {
    stage.pass(seconds: seconds)
    stage.tell(.fetched)
  }

  @Test(arguments: [circle, polygon], [Command.start, .startGeofences])
  func aMissingEntryEventIsAViolation(fence: Geofence, request: Command) {
    let stage = stage(fence, at: -1_000, request)
    stage.go(from: -1_000, to: 0, seconds: 100)
    wait(300, stage)
    #expect(stage.violated == [.geofenceLiveness])
  }

  @Test(arguments: [circle, polygon])
  func aMissingExitEventIsAViolation(fence: Geofence) {
    let stage = stage(fence, at: 0)
    tell(.enter, stage)
    stage.go(from: 0, to: 1_000, seconds: 100)
    wait(300, stage)
    #expect(stage.violated == [.geofenceLiveness])
  }

  @Test(arguments: [(0, []), (-1_000, [Invariant.geofence])] as [(Double, [Invariant])])
  func anEntryIsToldOfAFenceThatIsNear(metres: Double, violated: [Invariant]) {
    let stage = Stage()
    stage.stay(metres)
    wait(400, stage)
    tell(.enter, stage)
    #expect(stage.violated == violated)
  }

  @Test(arguments: [circle, polygon])
  func crossingsThatAreTold(fence: Geofence) {
    let stage = stage(fence, at: -1_000)
    stage.go(from: -1_000, to: 0, seconds: 100)
    tell(.enter, stage)
    wait(300, stage)
    stage.go(from: 0, to: 1_000, seconds: 100)
    tell(.exit, stage)
    wait(300, stage)
    #expect(stage.violated == [])
  }

  /// By the error of a position, while monitoring begins anew.
  @Test func anEntryThatIsToldTooEarly() {
    let stage = stage(Self.circle, at: -1_000)
    stage.go(from: -1_000, to: -210, seconds: 100)
    tell(.enter, stage)
    stage.tell(.asked(.stop))
    stage.tell(.asked(.start))
    stage.go(from: -210, to: 0, seconds: 100)
    wait(300, stage)
    #expect(stage.violated == [])
  }

  @Test func aVisitThatIsOverBeforeAPhoneLooksNeedNotBeTold() {
    let stage = stage(Self.circle, at: -1_000)
    stage.go(from: -1_000, to: 1_000, seconds: 100)
    wait(300, stage)
    #expect(stage.violated == [])
  }

  /// A record that cannot be written is not told.
  @Test func anEntryWhileTheStoreFailsNeedsNoEvent() throws {
    let fault = try #require(
      ScenarioReader(overrides: [], variable: { _ in nil }).read(
        #"""
        { version: 1, name: "x", fleets: { cars: { devices: 1 } },
          faults: [{ name: "full", at: "1s", for: "1h", storage: { error: "SQLITE_FULL" } }] }
        """#
      ).scenario.faults.first)
    let (stage, now) = (Stage(faults: [fault]), MonotonicInstant(nanoseconds: 0))
    stage.stay(-1_000)
    stage.tell(.asked(.addGeofences([Self.circle])))
    stage.tell(.asked(.start))
    stage.tell(.faultBegan(FaultOccurrence(fault: "full", fleet: "cars", index: 0, ordinal: 0, start: now, end: nil)))
    wait(2_000, stage)
    stage.go(from: -1_000, to: 0, seconds: 100)
    wait(300, stage)
    #expect(stage.violated == [])
  }

  @Test func anEntryWithoutNotifyOnEntryNeedsNoEvent() {
    var fence = Self.circle
    fence.notifyOnEntry = false
    let stage = stage(fence, at: -1_000)
    stage.go(from: -1_000, to: 0, seconds: 100)
    wait(300, stage)
    #expect(stage.violated == [])
    // It is inside all the same, and the exit is owed.
    stage.go(from: 0, to: 1_000, seconds: 100)
    wait(300, stage)
    #expect(stage.violated == [.geofenceLiveness])
  }

  @Test func aStoppedDeviceNeedsNoGeofenceEvent() {
    let stage = stage(Self.circle, at: -1_000)
    stage.tell(.asked(.stop))
    stage.go(from: -1_000, to: 0, seconds: 100)
    wait(300, stage)
    #expect(stage.violated == [])
  }

  @Test(arguments: [true, false])
  func aDeviceInsideAtTheStartOfMonitoringGetsAnEntry(isWanted: Bool) {
    let stage = stage(Self.circle, at: 0) { $0.geolocation.geofenceInitialTriggerEntry = isWanted }
    wait(300, stage)
    #expect(stage.violated == (isWanted ? [.geofenceLiveness] : []))
  }

  /// The SDK has to find out that it is inside before it can find that it has left.
  @Test(arguments: [(10, []), (300, [Invariant.geofenceLiveness])])
  func anExitFromAFenceInWhichItBeganSilently(afterSeconds: Int, violated: [Invariant]) {
    let stage = stage(Self.circle, at: 0) { $0.geolocation.geofenceInitialTriggerEntry = false }
    wait(Int64(afterSeconds), stage)
    stage.go(from: 0, to: 1_000, seconds: 60)
    wait(300, stage)
    #expect(stage.violated == violated)
  }

  /// The process ends before its first position, and the next one begins silently, too.
  @Test(arguments: [(10, []), (300, [Invariant.geofenceLiveness])])
  func anAppThatEndsBeforeItKnowsItsPlaceBeginsSilently(afterSeconds: Int, violated: [Invariant]) {
    let stage = stage(Self.circle, at: -1_300) {
      $0.geolocation.geofenceInitialTriggerEntry = false
      $0.app.stopOnTerminate = false
    }
    wait(Int64(afterSeconds), stage)
    stage.tell(.killed(isReboot: false))
    stage.go(from: -1_300, to: 0, seconds: 60)
    stage.tell(.launched(Launch()))
    wait(300, stage)
    #expect(stage.violated == violated)
  }

  /// A phone cannot be sure that it is out when it rests at the rim.
  @Test(arguments: [(220.5, []), (230, [.geofenceLiveness])] as [(Double, [Invariant])])
  func anExitToTheRim(metres: Double, violated: [Invariant]) {
    let stage = stage(Self.circle, at: 0)
    tell(.enter, stage)
    stage.go(from: 0, to: metres, seconds: 30)
    wait(300, stage)
    #expect(stage.violated == violated)
  }

  /// A phone looks every five seconds, and cannot be sure of what it finds at the rim.
  @Test(arguments: [(210, []), (190, [.geofenceLiveness])] as [(Double, [Invariant])])
  func aVisitThatEndsAtTheRim(metres: Double, violated: [Invariant]) {
    let stage = stage(Self.circle, at: -1_000)
    stage.go(from: -1_000, to: metres, seconds: 10)
    wait(300, stage)
    #expect(stage.violated == violated)
  }

  /// It goes out, is back at the rim before the phone looks, and goes in again: for the phone it never left.
  @Test func anExitThatIsNotToldAndEndsAtTheRim() {
    var fence = Self.circle
    fence.notifyOnExit = false
    let stage = stage(fence, at: 0)
    tell(.enter, stage)
    stage.go(from: 0, to: 222, seconds: 10)
    stage.go(from: 222, to: 210, seconds: 10)
    wait(300, stage)
    stage.go(from: 210, to: 0, seconds: 10)
    wait(300, stage)
    #expect(stage.violated == [])
  }

  /// An entry that is not told, and an exit that the phone finds before it is surely out.
  @Test func anExitAfterAnEntryThatIsNotTold() {
    var fence = Self.circle
    fence.notifyOnEntry = false
    let stage = stage(fence, at: -1_000)
    stage.go(from: -1_000, to: 190, seconds: 60)
    stage.go(from: 190, to: 220, seconds: 10)
    tell(.exit, stage)
    wait(300, stage)
    stage.go(from: 220, to: 1_000, seconds: 60)
    wait(300, stage)
    #expect(stage.violated == [])
  }

  /// iOS has no position to hand over with a crossing, and a process that begins in a tunnel knows none.
  @Test(arguments: [true, false])
  func aProcessThatBeginsInATunnelNeedNotTell(isCovered: Bool) {
    let stage = stage(Self.circle, at: 0) {
      $0 = Configuration(platform: .ios)
      $0.app.stopOnTerminate = false
    }
    tell(.enter, stage)
    stage.tell(.killed(isReboot: false))
    stage.go(from: 0, to: 1_000, seconds: 60)
    stage.stay(1_000, cover: isCovered ? .tunnel : nil)
    stage.tell(.launched(Launch(isInBackground: true, didReboot: false)))
    wait(300, stage)
    #expect(stage.violated == (isCovered ? [] : [.geofenceLiveness]))
  }

  /// Its first position may be that inside, or a poor one: neither says that it has come in.
  @Test(arguments: [(-1_300.0, 20, []), (-1_300, 300, [Invariant.geofenceLiveness]), (-600, 300, [])])
  func anEntrySoonAfterASilentBeginning(metres: Double, afterSeconds: Int, violated: [Invariant]) {
    let stage = stage(Self.circle, at: metres) { $0.geolocation.geofenceInitialTriggerEntry = false }
    wait(Int64(afterSeconds), stage)
    stage.go(from: metres, to: 0, seconds: 30)
    wait(300, stage)
    #expect(stage.violated == violated)
  }

  /// They need the permission "Always" (SDK §15.3).
  @Test func fencesAreSilentWhileInUse() {
    let stage = stage(Self.circle, at: -1_000) { $0.geolocation.locationAuthorizationRequest = .whenInUse }
    stage.go(from: -1_000, to: 0, seconds: 100)
    wait(300, stage)
    #expect(stage.violated == [])
  }

  /// A record needs a position, and on iOS a crossing brings none.
  @Test(arguments: [(DevicePlatform.ios, []), (.android, [Invariant.geofenceLiveness])])
  func anAppThatHasSeenNothingSinceItsStartCannotTell(platform: DevicePlatform, violated: [Invariant]) {
    var fault = DeviceFault()
    fault.noFix = true
    let blindness = Fault(name: "blind", action: .device(fault))
    let stage = Stage(faults: [blindness], platform: platform) { $0.app.stopOnTerminate = false }
    stage.stay(0)
    stage.tell(.asked(.addGeofences([Self.circle])))
    stage.tell(.asked(.start))
    tell(.enter, stage)
    let now = MonotonicInstant(nanoseconds: 0)
    stage.tell(
      .faultBegan(FaultOccurrence(fault: "blind", fleet: "cars", index: 0, ordinal: 0, start: now, end: nil)))
    stage.tell(.killed(isReboot: false))
    stage.tell(.launched(Launch()))
    stage.go(from: 0, to: 1_000, seconds: 100)
    wait(600, stage)
    #expect(stage.violated == violated)
  }

  /// Fences are monitored across a death of the app.
  @Test(arguments: [true, false])
  func anExitWhileTheAppWasDownIsToldAtTheNextStart(isTold: Bool) {
    let stage = stage(Self.circle, at: 0) { $0.app.stopOnTerminate = false }
    tell(.enter, stage)
    stage.tell(.killed(isReboot: false))
    stage.go(from: 0, to: 1_000, seconds: 300)
    #expect(stage.violated == [])
    stage.tell(.launched(Launch()))
    wait(60, stage)
    if isTold { tell(.exit, stage) }
    wait(300, stage)
    #expect(stage.violated == (isTold ? [] : [.geofenceLiveness]))
  }

  /// At the rim no position need show it.
  @Test(arguments: [(210, []), (100, [Invariant.geofenceLiveness])] as [(Double, [Invariant])])
  func anEntryWhileTheAppWasDown(metres: Double, violated: [Invariant]) {
    let stage = stage(Self.circle, at: -1_000) { $0.app.stopOnTerminate = false }
    stage.tell(.killed(isReboot: false))
    stage.go(from: -1_000, to: 0, seconds: 100)
    stage.go(from: 0, to: metres, seconds: 100)
    stage.tell(.launched(Launch()))
    wait(60, stage)
    wait(600, stage)
    #expect(stage.violated == violated)
  }

  /// Without positions the SDK cannot choose among more fences than the system watches.
  @Test(arguments: [(1, [Invariant.dwell]), (30, [])] as [(Int, [Invariant])])
  func aStayInAFenceThatIsEnteredBlindly(count: Int, violated: [Invariant]) {
    var fault = DeviceFault()
    fault.noFix = true
    let stage = Stage(faults: [Fault(name: "blind", action: .device(fault))], platform: .ios)
    stage.stay(-1_000)
    let fences = (0..<count).map { index in
      var fence = Self.circle
      if index > 0 {
        fence = Geofence(
          identifier: "\(index)",
          shape: .circle(center: .init(latitude: 10 + Double(index), longitude: 2), radiusMetres: 200))
      }
      (fence.notifyOnEntry, fence.notifyOnDwell) = (false, true)
      return fence
    }
    stage.tell(.asked(.addGeofences(fences)))
    stage.tell(.asked(.start))
    wait(60, stage)
    let now = MonotonicInstant(nanoseconds: 0)
    stage.tell(
      .faultBegan(FaultOccurrence(fault: "blind", fleet: "cars", index: 0, ordinal: 0, start: now, end: nil)))
    stage.go(from: -1_000, to: 0, seconds: 100)
    wait(600, stage)
    wait(600, stage)
    #expect(stage.violated == violated)
  }

  /// The first position of a blind process makes its records.
  @Test(arguments: [(900, []), (0, [Invariant.geofence])] as [(Int64, [Invariant])])
  func anEntryThatIsToldLongAfterwards(agedSeconds: Int64, violated: [Invariant]) {
    var fault = DeviceFault()
    fault.noFix = true
    let stage = Stage(faults: [Fault(name: "blind", action: .device(fault))], platform: .ios) {
      $0.app.stopOnTerminate = false
    }
    stage.stay(0)
    stage.tell(.asked(.addGeofences([Self.circle])))
    let now = MonotonicInstant(nanoseconds: 0)
    stage.tell(
      .faultBegan(FaultOccurrence(fault: "blind", fleet: "cars", index: 0, ordinal: 0, start: now, end: nil)))
    stage.tell(.killed(isReboot: false))
    stage.tell(.launched(Launch()))
    stage.stay(0)
    wait(300, stage)
    stage.go(from: 0, to: 3_000, seconds: 300)
    wait(600, stage)
    var record = stage.location()
    record.geofence = GeofenceTrigger(
      identifier: "depot", action: .enter,
      timestamp: record.timestamp.advanced(byMilliseconds: -1_000 * agedSeconds))
    stage.event(.geofence(record, Self.circle))
    #expect(stage.violated == violated)
  }

  @Test(arguments: [(nil, [Invariant.dwell]), (30, [.dwell]), (600, []), (2_000, [.dwell])])
  func aStayIsToldOnceItsTimeIsOver(afterSeconds: Int?, violated: [Invariant]) {
    var fence = Self.circle
    (fence.notifyOnDwell, fence.loiteringDelayMilliseconds) = (true, 600_000)
    let stage = stage(fence, at: 0)
    tell(.enter, stage)
    if let afterSeconds {
      wait(Int64(afterSeconds), stage)
      tell(.dwell, stage)
    }
    wait(3_000, stage)
    #expect(stage.violated == violated)
  }

  /// Nothing is told of the entry: the stay may have begun when the body came in.
  @Test func aStayThatBeganBeforeMonitoringSurelyDid() {
    var fence = Self.circle
    (fence.notifyOnEntry, fence.notifyOnDwell, fence.loiteringDelayMilliseconds) = (false, true, 600_000)
    let stage = Stage()
    stage.stay(0)
    stage.tell(.asked(.addGeofences([fence])))
    wait(400, stage)
    stage.tell(.asked(.start))
    wait(300, stage)
    tell(.dwell, stage)
    wait(3_000, stage)
    #expect(stage.violated == [])
  }

  @Test func aStayThatIsTooShortIsNotTold() {
    var fence = Self.circle
    (fence.notifyOnDwell, fence.loiteringDelayMilliseconds) = (true, 600_000)
    let stage = stage(fence, at: 0)
    tell(.enter, stage)
    wait(100, stage)
    stage.go(from: 0, to: 1_000, seconds: 100)
    tell(.exit, stage)
    wait(3_000, stage)
    #expect(stage.violated == [])
  }
}
