import Base
import Contract
import Engine
import Host
import Oracle
import Scenario
import Testing
import Vocabulary

@testable import FleetSimulator

/// Where a position cannot say on which side of a fence a phone is, and what it does not tell it knows.
@Suite struct FenceRimTests {
  /// A phone looks every five seconds, and cannot be sure of what it finds at the rim.
  @Test(arguments: [(210, []), (190, [.geofenceLiveness])] as [(Double, [Invariant])])
  func aVisitThatEndsAtTheRim(metres: Double, violated: [Invariant]) {
    let stage = Stage.fenced(Stage.depot, at: -1_000)
    stage.go(from: -1_000, to: metres, seconds: 10)
    stage.wait(300)
    #expect(stage.violated == violated)
  }

  /// It is a few metres inside for a moment, rests at the rim, and goes in as the time for a report ends. Only a visit that began
  /// with the entry is over its `loiteringDelay` then (Geofence `notifyOnDwell`; SDK §15.3.3).
  @Test(arguments: [(210, []), (100, [.dwell])] as [(Double, [Invariant])])
  func aVisitThatRestsAtTheRim(metres: Double, violated: [Invariant]) {
    var fence = Stage.depot
    (fence.notifyOnEntry, fence.notifyOnDwell) = (false, true)
    let stage = Stage.fenced(fence, at: 1_000)
    stage.go(from: 1_000, to: 195, seconds: 60)
    stage.go(from: 195, to: metres, seconds: 10)
    stage.wait(70)
    stage.go(from: metres, to: 50, seconds: 20)
    stage.wait(20)
    stage.tell(.dwell, of: fence)
    #expect(stage.violated.filter { $0 == .dwell } == violated)
  }

  /// It goes out, is back at the rim before the phone looks, and goes in again: for the phone it never left.
  @Test func anExitThatIsNotToldAndEndsAtTheRim() {
    var fence = Stage.depot
    fence.notifyOnExit = false
    let stage = Stage.fenced(fence, at: 0)
    stage.tell(.enter)
    stage.go(from: 0, to: 222, seconds: 10)
    stage.go(from: 222, to: 210, seconds: 10)
    stage.wait(300)
    stage.go(from: 210, to: 0, seconds: 10)
    stage.wait(300)
    #expect(stage.violated == [])
  }

  /// The position for an entry comes after the stop that the visit outlasts (SDK §15.4).
  @Test(arguments: [(true, []), (false, [Invariant.geofence])])
  func anEntryThatIsToldBehindAStop(isTold: Bool, violated: [Invariant]) {
    let stage = Stage.fenced(Stage.depot, at: -1_000)
    stage.event(.geofencesChange(on: [Stage.depot], off: []))
    stage.go(from: -1_000, to: 1_000, seconds: 100)
    stage.tell(.exit)
    stage.go(from: 1_000, to: 0, seconds: 100)
    var record = stage.location()
    record.geofence = GeofenceTrigger(identifier: "depot", action: .enter, timestamp: record.timestamp)
    stage.pass(seconds: 1)
    stage.tell(.asked(.stop))
    stage.event(.geofencesChange(on: [], off: ["depot"]))
    stage.event(.enabledChange(isEnabled: false))
    stage.pass(seconds: 1)
    if isTold { stage.event(.geofence(record, Stage.depot)) }
    stage.tell(.asked(.start))
    stage.event(.enabledChange(isEnabled: true))
    stage.event(.geofencesChange(on: [Stage.depot], off: []))
    stage.go(from: 0, to: 1_000, seconds: 100)
    stage.tell(.exit)
    #expect(stage.violated.filter { $0 == .geofence } == violated)
  }

  /// An entry that is not told, and an exit that the phone finds before it is surely out.
  @Test func anExitAfterAnEntryThatIsNotTold() {
    var fence = Stage.depot
    fence.notifyOnEntry = false
    let stage = Stage.fenced(fence, at: -1_000)
    stage.go(from: -1_000, to: 190, seconds: 60)
    stage.go(from: 190, to: 220, seconds: 10)
    stage.tell(.exit)
    stage.wait(300)
    stage.go(from: 220, to: 1_000, seconds: 60)
    stage.wait(300)
    #expect(stage.violated == [])
  }

  /// A phone cannot be sure that it is out when it rests at the rim.
  @Test(arguments: [(220.5, []), (230, [.geofenceLiveness])] as [(Double, [Invariant])])
  func anExitToTheRim(metres: Double, violated: [Invariant]) {
    let stage = Stage.fenced(Stage.depot, at: 0)
    stage.tell(.enter)
    stage.go(from: 0, to: metres, seconds: 30)
    stage.wait(300)
    #expect(stage.violated == violated)
  }

  /// A DWELL comes once a visit. Where neither entries nor exits are told, a visit ends where the phone may have found itself outside
  /// (Geofence `notifyOnDwell`; SDK §15.3.3, §15.3.4).
  @Test(arguments: [
    (0.0, false, 1, [Invariant.geofence]), (150, false, 1, [.geofence]), (201, false, 1, []), (1_000, false, 1, []),
    (1_000, false, 2, [.geofence]), (1_000, true, 1, [.geofence]),
  ])
  func aSecondDwellIsThatOfASecondVisit(metres: Double, tellsExit: Bool, dwells: Int, violated: [Invariant]) {
    var fence = Stage.depot
    (fence.notifyOnEntry, fence.notifyOnExit, fence.notifyOnDwell) = (false, tellsExit, true)
    for episodes in [0, 4] {
      let stage = Stage.fenced(fence, at: 0)
      stage.wait(30)
      stage.tell(.dwell, of: fence)
      stage.go(from: 0, to: metres, seconds: 100)
      stage.go(from: metres, to: 0, seconds: 100)
      for _ in 0..<episodes { stage.stay(0) }
      for _ in 0..<dwells { stage.tell(.dwell, of: fence) }
      #expect(stage.violated.filter { $0 == .geofence } == violated, "\(episodes) episodes later")
    }
  }

  /// A visit outlasts a stop; the start behind it may tell in the same instant that it is over (SDK §15.4).
  @Test(arguments: [(true, []), (false, [Invariant.geofence])])
  func anExitThatIsToldInTheInstantOfANewStart(isTold: Bool, violated: [Invariant]) {
    let stage = Stage()
    stage.stay(0)
    stage.event(.geofencesChange(on: [Stage.depot], off: []))
    stage.tell(.enter)
    stage.pass(seconds: 30)
    stage.event(.geofencesChange(on: [], off: ["depot"]))
    stage.event(.enabledChange(isEnabled: false))
    stage.event(.enabledChange(isEnabled: true))
    stage.event(.geofencesChange(on: [Stage.depot], off: []))
    if isTold { stage.tell(.exit) }
    stage.pass(seconds: 30)
    stage.tell(.enter)
    #expect(stage.violated.filter { $0 == .geofence } == violated)
  }

  /// The nearest fences are those near the positions that the SDK accepts while it moves (SDK §15.2.4).
  @Test(arguments: [(20.0, "", []), (100, "walking", []), (100, "", [Invariant.geofenceLiveness])])
  func anEntryThatNoPositionMayShow(threshold: Double, triggers: String, violated: [Invariant]) {
    let stage = Stage {
      $0.geolocation.filter.trackingAccuracyThresholdMetres = threshold
      $0.activity.triggerActivities = triggers
    }
    stage.stay(-1_000)
    let far = (1..<100).map { index in
      let center = Geofence.Vertex(latitude: Stage.place(Double(index) * 40_000).latitude, longitude: 2)
      return Geofence(identifier: "\(index)", shape: .circle(center: center, radiusMetres: 200))
    }
    stage.tell(.asked(.addGeofences([Stage.depot] + far)))
    stage.tell(.asked(.start))
    stage.go(from: -1_000, to: 0, seconds: 100)
    stage.wait(300)
    #expect(stage.violated.filter { $0 == .geofenceLiveness } == violated)
  }

  /// A stay in a fence is no longer than the SDK has known the fence, however long its device has been there, and lasts over
  /// launches (Geofence 276; SDK §15.3.4).
  @Test(arguments: [(600, []), (1_100, [Invariant.dwell])] as [(Int64, [Invariant])])
  func aStayInAFenceThatIsAddedAroundTheDevice(seconds: Int64, violated: [Invariant]) {
    var fence = Stage.depot
    (fence.notifyOnEntry, fence.notifyOnExit) = (false, false)
    (fence.notifyOnDwell, fence.loiteringDelayMilliseconds) = (true, 1_200_000)
    let stage = Stage { $0.app.stopOnTerminate = false }
    stage.stay(0)
    stage.tell(.asked(.start))
    stage.wait(900)
    stage.tell(.asked(.addGeofences([fence])))
    stage.wait(400)
    stage.tell(.killed(isReboot: false))
    stage.tell(.launched(Launch()))
    stage.wait(seconds)
    #expect(stage.violated.filter { $0 == .dwell } == violated)
  }

  /// A phone that has had no fences for a while has gone on; one that it is given on its way may be entered on it.
  @Test(arguments: [(0.0, []), (-1_500, [Invariant.geofence])] as [(Double, [Invariant])])
  func anEntryIntoAFenceThatIsAddedOnTheWay(end: Double, violated: [Invariant]) {
    let stage = Stage.fenced(Stage.depot, at: -3_000)
    stage.stay(-3_000)
    stage.tell(.asked(.removeGeofences(identifiers: nil)))
    stage.wait(400)
    var steps = 0
    stage.go(from: -3_000, to: end, seconds: 300) {
      steps += 1
      if steps == 2 { stage.tell(.asked(.addGeofences([Stage.depot]))) }
      if steps == 30 { stage.tell(.enter) }
    }
    #expect(stage.violated.filter { $0 == .geofence } == violated)
  }

  /// Two empty lists say that all fences were removed (Geofence "Listening for events").
  @Test(arguments: [(true, []), (false, [Invariant.geofence])])
  func fencesThatAreAddedAfterAllWereRemoved(areRemoved: Bool, violated: [Invariant]) {
    let stage = Stage(platform: .ios)
    stage.stay(0)
    let fences = (0..<20).map { Geofence(identifier: "\($0)", shape: Stage.depot.shape) }
    stage.event(.geofencesChange(on: fences, off: []))
    if areRemoved { stage.event(.geofencesChange(on: [], off: [])) }
    stage.event(.geofencesChange(on: [Stage.depot], off: []))
    #expect(stage.violated.filter { $0 == .geofence } == violated)
  }
}
