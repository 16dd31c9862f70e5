import Base
import Contract
import Engine
import Host
import Oracle
import Scenario
import Testing
import Vocabulary
import World

@testable import FleetSimulator

/// A phone on a line through a fence: it is told of what it truly crosses, and of staying in it.
@Suite struct FenceTruthTests {
  @Test(arguments: [Stage.depot, Stage.polygon], [Command.start, .startGeofences])
  func aMissingEntryEventIsAViolation(fence: Geofence, request: Command) {
    let stage = Stage.fenced(fence, at: -1_000, request)
    stage.go(from: -1_000, to: 0, seconds: 100)
    stage.wait(300)
    #expect(stage.violated == [.geofenceLiveness])
  }

  @Test(arguments: [Stage.depot, Stage.polygon])
  func aMissingExitEventIsAViolation(fence: Geofence) {
    let stage = Stage.fenced(fence, at: 0)
    stage.tell(.enter)
    stage.go(from: 0, to: 1_000, seconds: 100)
    stage.wait(300)
    #expect(stage.violated == [.geofenceLiveness])
  }

  @Test(arguments: [(0, []), (-1_000, [Invariant.geofence])] as [(Double, [Invariant])])
  func anEntryIsToldOfAFenceThatIsNear(metres: Double, violated: [Invariant]) {
    let stage = Stage()
    stage.stay(metres)
    stage.wait(400)
    stage.tell(.enter)
    #expect(stage.violated == violated)
  }

  /// One that is as far away as the fence, while it is the last position or soon after.
  @Test(
    arguments: [
      (900, nil, 0, []), (900, 10, 200, []), (900, nil, 900, []), (500, nil, 0, [Invariant.geofence]),
      (900, 10, 400, [.geofence]),
    ] as [(Double, Int64?, Int64, [Invariant])])
  func anOutlierMayShowAnEntry(metres: Double, seconds: Int64?, laterSeconds: Int64, violated: [Invariant]) {
    let stage = Stage()
    stage.stay(-1_000)
    stage.wait(400)
    stage.tell(.strayed(metres: metres))
    if let seconds {
      stage.wait(seconds)
      stage.tell(.strayed(metres: 0))
    }
    stage.wait(laterSeconds)
    stage.tell(.enter)
    #expect(stage.violated == violated)
  }

  @Test(arguments: [Stage.depot, Stage.polygon])
  func crossingsThatAreTold(fence: Geofence) {
    let stage = Stage.fenced(fence, at: -1_000)
    stage.go(from: -1_000, to: 0, seconds: 100)
    stage.tell(.enter)
    stage.wait(300)
    stage.go(from: 0, to: 1_000, seconds: 100)
    stage.tell(.exit)
    stage.wait(300)
    #expect(stage.violated == [])
  }

  /// By the error of a position, while monitoring begins anew.
  @Test func anEntryThatIsToldTooEarly() {
    let stage = Stage.fenced(Stage.depot, at: -1_000)
    stage.go(from: -1_000, to: -210, seconds: 100)
    stage.tell(.enter)
    stage.tell(.asked(.stop))
    stage.tell(.asked(.start))
    stage.go(from: -210, to: 0, seconds: 100)
    stage.wait(300)
    #expect(stage.violated == [])
  }

  @Test func aVisitThatIsOverBeforeAPhoneLooksNeedNotBeTold() {
    let stage = Stage.fenced(Stage.depot, at: -1_000)
    stage.go(from: -1_000, to: 1_000, seconds: 100)
    stage.wait(300)
    #expect(stage.violated == [])
  }

  /// A record that cannot be written is not told.
  @Test func anEntryWhileTheStoreFailsNeedsNoEvent() throws {
    let stage = Stage()
    stage.stay(-1_000)
    stage.tell(.asked(.addGeofences([Stage.depot])))
    stage.tell(.asked(.start))
    stage.begin(try Stage.fullDisk())
    stage.wait(2_000)
    stage.go(from: -1_000, to: 0, seconds: 100)
    stage.wait(300)
    #expect(stage.violated == [])
  }

  @Test func anEntryWithoutNotifyOnEntryNeedsNoEvent() {
    var fence = Stage.depot
    fence.notifyOnEntry = false
    let stage = Stage.fenced(fence, at: -1_000)
    stage.go(from: -1_000, to: 0, seconds: 100)
    stage.wait(300)
    #expect(stage.violated == [])
    // It is inside all the same, and the exit is owed.
    stage.go(from: 0, to: 1_000, seconds: 100)
    stage.wait(300)
    #expect(stage.violated == [.geofenceLiveness])
  }

  @Test func aStoppedDeviceNeedsNoGeofenceEvent() {
    let stage = Stage.fenced(Stage.depot, at: -1_000)
    stage.tell(.asked(.stop))
    stage.go(from: -1_000, to: 0, seconds: 100)
    stage.wait(300)
    #expect(stage.violated == [])
  }

  @Test(arguments: [true, false])
  func aDeviceInsideAtTheStartOfMonitoringGetsAnEntry(isWanted: Bool) {
    let stage = Stage.fenced(Stage.depot, at: 0) { $0.geolocation.geofenceInitialTriggerEntry = isWanted }
    stage.wait(300)
    #expect(stage.violated == (isWanted ? [.geofenceLiveness] : []))
  }

  /// The SDK has to find out that it is inside before it can find that it has left.
  @Test(arguments: [(10, []), (300, [Invariant.geofenceLiveness])])
  func anExitFromAFenceInWhichItBeganSilently(afterSeconds: Int, violated: [Invariant]) {
    let stage = Stage.fenced(Stage.depot, at: 0) { $0.geolocation.geofenceInitialTriggerEntry = false }
    stage.event(.motionChange(stage.location(isMoving: false)))
    stage.wait(Int64(afterSeconds))
    stage.go(from: 0, to: 1_000, seconds: 60)
    stage.wait(300)
    #expect(stage.violated == violated)
  }

  /// The process ends before its first position, and the next one begins silently, too.
  @Test(arguments: [(10, []), (300, [Invariant.geofenceLiveness])])
  func anAppThatEndsBeforeItKnowsItsPlaceBeginsSilently(afterSeconds: Int, violated: [Invariant]) {
    let stage = Stage.fenced(Stage.depot, at: -1_300) {
      $0.geolocation.geofenceInitialTriggerEntry = false
      $0.app.stopOnTerminate = false
    }
    stage.wait(Int64(afterSeconds))
    stage.tell(.killed(isReboot: false))
    stage.go(from: -1_300, to: 0, seconds: 60)
    stage.tell(.launched(Launch()))
    stage.wait(300)
    #expect(stage.violated == violated)
  }

  /// iOS has no position to hand over with a crossing, and a process that begins in a tunnel knows none.
  @Test(arguments: [true, false])
  func aProcessThatBeginsInATunnelNeedNotTell(isCovered: Bool) {
    let stage = Stage.fenced(Stage.depot, at: 0) {
      $0 = Configuration(platform: .ios)
      $0.app.stopOnTerminate = false
    }
    stage.tell(.enter)
    stage.tell(.killed(isReboot: false))
    stage.go(from: 0, to: 1_000, seconds: 60)
    stage.stay(1_000, cover: isCovered ? .tunnel : nil)
    stage.tell(.launched(Launch(isInBackground: true, didReboot: false)))
    stage.wait(300)
    #expect(stage.violated == (isCovered ? [] : [.geofenceLiveness]))
  }

  /// Its first position may be that inside, or a poor one: neither says that it has come in.
  @Test(arguments: [(-1_300.0, 20, []), (-1_300, 300, [Invariant.geofenceLiveness]), (-600, 300, [])])
  func anEntrySoonAfterASilentBeginning(metres: Double, afterSeconds: Int, violated: [Invariant]) {
    let stage = Stage.fenced(Stage.depot, at: metres) { $0.geolocation.geofenceInitialTriggerEntry = false }
    stage.wait(Int64(afterSeconds))
    stage.go(from: metres, to: 0, seconds: 30)
    stage.wait(300)
    #expect(stage.violated == violated)
  }

  /// They need the permission "Always" (SDK §15.3).
  @Test func fencesAreSilentWhileInUse() {
    let stage = Stage.fenced(Stage.depot, at: -1_000) { $0.geolocation.locationAuthorizationRequest = .whenInUse }
    stage.go(from: -1_000, to: 0, seconds: 100)
    stage.wait(300)
    #expect(stage.violated == [])
  }

  /// A record needs a position, and on iOS a crossing brings none.
  @Test(arguments: [(DevicePlatform.ios, []), (.android, [Invariant.geofenceLiveness])], [false, true])
  func anAppThatHasSeenNothingSinceItsStartCannotTell(
    of platform: (device: DevicePlatform, violated: [Invariant]), isBlindLater: Bool
  ) {
    var fault = DeviceFault()
    fault.noFix = true
    let stage = Stage(platform: platform.device) { $0.app.stopOnTerminate = false }
    stage.stay(0)
    stage.tell(.asked(.addGeofences([Stage.depot])))
    stage.tell(.asked(.start))
    stage.tell(.enter)
    if !isBlindLater { stage.begin(.device(fault)) }
    stage.tell(.killed(isReboot: false))
    stage.tell(.launched(Launch()))
    // Before it has had its first position.
    stage.pass(seconds: 1)
    if isBlindLater { stage.begin(.device(fault)) }
    stage.go(from: 0, to: 1_000, seconds: 100)
    stage.wait(600)
    #expect(stage.violated == platform.violated)
  }

  /// Fences are monitored across a death of the app.
  @Test(arguments: [true, false])
  func anExitWhileTheAppWasDownIsToldAtTheNextStart(isTold: Bool) {
    let stage = Stage.fenced(Stage.depot, at: 0) { $0.app.stopOnTerminate = false }
    stage.tell(.enter)
    stage.tell(.killed(isReboot: false))
    stage.go(from: 0, to: 1_000, seconds: 300)
    #expect(stage.violated == [])
    stage.tell(.launched(Launch()))
    stage.wait(60)
    if isTold { stage.tell(.exit) }
    stage.wait(300)
    #expect(stage.violated == (isTold ? [] : [.geofenceLiveness]))
  }

  /// At the rim no position need show it.
  @Test(arguments: [(210, []), (100, [Invariant.geofenceLiveness])] as [(Double, [Invariant])])
  func anEntryWhileTheAppWasDown(metres: Double, violated: [Invariant]) {
    let stage = Stage.fenced(Stage.depot, at: -1_000) { $0.app.stopOnTerminate = false }
    stage.tell(.killed(isReboot: false))
    stage.go(from: -1_000, to: 0, seconds: 100)
    stage.go(from: 0, to: metres, seconds: 100)
    stage.tell(.launched(Launch()))
    stage.wait(60)
    stage.wait(600)
    #expect(stage.violated == violated)
  }

  /// Without positions the SDK cannot choose among more fences than the system watches.
  @Test(arguments: [(1, [Invariant.dwell]), (30, [])] as [(Int, [Invariant])])
  func aStayInAFenceThatIsEnteredBlindly(count: Int, violated: [Invariant]) {
    var fault = DeviceFault()
    fault.noFix = true
    let stage = Stage(platform: .ios)
    stage.stay(-1_000)
    let fences = (0..<count).map { index in
      var fence = Stage.depot
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
    stage.wait(60)
    stage.begin(.device(fault))
    stage.go(from: -1_000, to: 0, seconds: 100)
    stage.wait(600)
    stage.wait(600)
    #expect(stage.violated == violated)
  }

  /// The first position of a blind process makes its records.
  @Test(arguments: [(900, []), (0, [Invariant.geofence])] as [(Int64, [Invariant])])
  func anEntryThatIsToldLongAfterwards(agedSeconds: Int64, violated: [Invariant]) {
    var fault = DeviceFault()
    fault.noFix = true
    let stage = Stage(platform: .ios) {
      $0.app.stopOnTerminate = false
    }
    stage.stay(0)
    stage.tell(.asked(.addGeofences([Stage.depot])))
    stage.begin(.device(fault))
    stage.tell(.killed(isReboot: false))
    stage.tell(.launched(Launch()))
    stage.stay(0)
    stage.wait(300)
    stage.go(from: 0, to: 3_000, seconds: 300)
    stage.wait(600)
    var record = stage.location()
    record.geofence = GeofenceTrigger(
      identifier: "depot", action: .enter,
      timestamp: record.timestamp.advanced(byMilliseconds: -1_000 * agedSeconds))
    stage.event(.geofence(record, Stage.depot))
    #expect(stage.violated == violated)
  }

  @Test(arguments: [(nil, [Invariant.dwell]), (30, [.dwell]), (600, []), (2_000, [.dwell])])
  func aStayIsToldOnceItsTimeIsOver(afterSeconds: Int?, violated: [Invariant]) {
    var fence = Stage.depot
    (fence.notifyOnDwell, fence.loiteringDelayMilliseconds) = (true, 600_000)
    let stage = Stage.fenced(fence, at: 0)
    stage.tell(.enter)
    if let afterSeconds {
      stage.wait(Int64(afterSeconds))
      stage.tell(.dwell)
    }
    stage.wait(3_000)
    #expect(stage.violated == violated)
  }

  /// Nothing is told of the entry: the stay may have begun when the body came in.
  @Test func aStayThatBeganBeforeMonitoringSurelyDid() {
    var fence = Stage.depot
    (fence.notifyOnEntry, fence.notifyOnDwell, fence.loiteringDelayMilliseconds) = (false, true, 600_000)
    let stage = Stage()
    stage.stay(0)
    stage.tell(.asked(.addGeofences([fence])))
    stage.wait(400)
    stage.tell(.asked(.start))
    stage.wait(300)
    stage.tell(.dwell)
    stage.wait(3_000)
    #expect(stage.violated == [])
  }

  @Test func aStayThatIsTooShortIsNotTold() {
    var fence = Stage.depot
    (fence.notifyOnDwell, fence.loiteringDelayMilliseconds) = (true, 600_000)
    let stage = Stage.fenced(fence, at: 0)
    stage.tell(.enter)
    stage.wait(100)
    stage.go(from: 0, to: 1_000, seconds: 100)
    stage.tell(.exit)
    stage.wait(3_000)
    #expect(stage.violated == [])
  }

  /// Without notifyOnExit nothing is told of a phone that takes the rim for outside (SDK §15.3.6): whether its stay was over
  /// is unknown.
  @Test(
    arguments: [(false, 210, []), (true, 210, [Invariant.dwell]), (false, 100, [.dwell])]
      as [(
        Bool, Double, [Invariant]
      )])
  func aStayOfWhichTheRimLeavesOpenWhetherItIsOver(tellsExit: Bool, metres: Double, violated: [Invariant]) {
    var fence = Stage.depot
    (fence.notifyOnExit, fence.notifyOnDwell, fence.loiteringDelayMilliseconds) = (tellsExit, true, 600_000)
    let stage = Stage.fenced(fence, at: 0)
    stage.tell(.enter)
    stage.go(from: 0, to: metres, seconds: 50)
    stage.wait(600)
    stage.go(from: metres, to: 0, seconds: 50)
    stage.wait(300)
    #expect(stage.violated.filter { $0 == .dwell } == violated)
  }

  /// An entry after an entry shows that the phone had it outside in between.
  @Test(arguments: [(600, []), (300, [Invariant.dwell])] as [(Int64, [Invariant])])
  func aSecondEntryBeginsAStayOfItsOwn(seconds: Int64, violated: [Invariant]) {
    var fence = Stage.depot
    (fence.notifyOnExit, fence.notifyOnDwell, fence.loiteringDelayMilliseconds) = (false, true, 600_000)
    let stage = Stage.fenced(fence, at: 0)
    stage.tell(.enter)
    stage.wait(500)
    stage.tell(.enter)
    stage.wait(seconds)
    stage.tell(.dwell)
    stage.wait(300)
    #expect(stage.violated.filter { $0 == .dwell } == violated)
  }

  /// A phone on which a schedule has turned tracking on before it is late tells that it dwells, with positions that lie inside
  /// sooner than it surely is: its entry is known, though nothing is told of it, and no second stay begins.
  @Test(arguments: [(true, []), (false, [Invariant.dwell])])
  func aStayThatIsToldBeforeTheBodyIsSurelyInside(isTold: Bool, violated: [Invariant]) {
    var fence = Stage.polygon
    (fence.notifyOnEntry, fence.notifyOnDwell) = (false, true)
    let stage = Stage()
    stage.stay(220)
    stage.tell(.asked(.addGeofences([fence])))
    if isTold { stage.tell(.dwell) }
    stage.tell(.asked(.start))
    stage.wait(10)
    stage.go(from: 220, to: 0, seconds: 100)
    stage.wait(600)
    stage.wait(600)
    #expect(stage.violated.filter { $0 == .dwell } == violated)
  }
}
