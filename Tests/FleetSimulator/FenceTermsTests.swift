import Base
import Contract
import Engine
import Host
import JSON
import Queue
import Scenario
import Testing
import Vocabulary

@testable import FleetSimulator
@testable import Oracle

/// I18: a phone that reports crossings otherwise than their fence asks for is found out.
@Suite struct FenceTermsTests {
  /// Each crossing is reported where the fence notifies it, and not otherwise (Geofence 296, 304, 290).
  @Test(arguments: [GeofenceTrigger.Action.enter, .exit, .dwell], [true, false])
  func aCrossingIsNotifiedAsItsFenceSays(action: GeofenceTrigger.Action, isWanted: Bool) {
    var fence = Stage.depot
    fence.notifyOnEntry = action == .enter ? isWanted : true
    fence.notifyOnExit = action == .exit ? isWanted : true
    fence.notifyOnDwell = action == .dwell ? isWanted : true
    let stage = Stage.fenced(fence, at: 0)
    stage.pass(seconds: 600)
    stage.tell(action, of: fence)
    #expect(stage.violated.contains(.geofence) == !isWanted)
  }

  /// One that was replaced meanwhile had terms of its own (Geofence 34).
  @Test func aCrossingOfAReplacedFence() {
    var silent = Stage.depot
    silent.notifyOnEntry = false
    let stage = Stage.fenced(Stage.depot, at: 0)
    stage.pass(seconds: 600)
    stage.tell(.asked(.addGeofence(silent)))
    stage.tell(.enter)
    #expect(!stage.violated.contains(.geofence))
  }

  enum Doubt: CaseIterable { case removed, soon, added, killed, storeFailed }

  /// A removed fence has no crossings, but one that waited for its position (SDK §15.7, §15.3).
  @Test(arguments: Doubt.allCases) func aCrossingOfARemovedFence(_ doubt: Doubt) {
    let stage = Stage.fenced(Stage.depot, at: 0)
    stage.pass(seconds: 60)
    stage.event(.location(stage.location()))
    stage.tell(.told(.commanded(.removeGeofence(identifier: "depot"))))
    switch doubt {
    case .added: stage.tell(.told(.commanded(.addGeofence(Stage.depot))))
    case .killed:
      stage.tell(.killed(isReboot: false))
      stage.tell(.launched(Launch()))
      stage.event(.location(stage.location()))
    case .storeFailed: stage.tell(.queue(.refused(device: 0, .insertion)))
    case .removed, .soon: break
    }
    stage.pass(seconds: doubt == .soon ? 60 : 700)
    stage.tell(.enter)
    #expect(stage.violated.contains(.geofence) == (doubt == .removed))
  }

  /// The extras of a fence are in its records (Geofence 248), and a crossing counts and has its side (Geofence 254).
  @Test(arguments: ["right", "extras", "state", "hits"]) func aCrossingSaysItsFence(wrong: String) throws {
    var fence = Stage.depot
    fence.extras = .object(["k": .integer(1)])
    let stage = Stage.fenced(fence, at: 0)
    stage.pass(seconds: 600)
    var record = stage.location()
    (record.event, fence.status.hits, fence.status.isInside) = (.geofence, wrong == "hits" ? 0 : 3, wrong != "state")
    record.geofence = GeofenceTrigger(
      identifier: "depot", action: .enter, timestamp: record.timestamp,
      extras: try RenderedObject(wrong == "extras" ? "{}" : #"{"k":1}"#))
    stage.tell(.told(.engine(.geofence(record, fence))))
    #expect(stage.violated.contains(.geofence) == (wrong != "right"))
  }

  enum Count: CaseIterable { case grows, stays, falls, dwells, addedAgain, addedSoon, removed, storeFailed }

  /// The crossings of a fence are counted since it was added (Geofence 254), also over a restart (SDK §15.7).
  @Test(arguments: Count.allCases) func crossingsAreCountedOverARestart(_ count: Count) {
    var fence = Stage.depot
    fence.notifyOnDwell = true
    let stage = Stage.fenced(fence, at: 0)
    stage.pass(seconds: count == .addedSoon ? 60 : 700)
    fence.status.isInside = true
    fence.status.hits = 7
    stage.tell(.enter, of: fence)
    switch count {
    case .addedAgain: stage.tell(.told(.commanded(.addGeofence(fence))))
    case .removed:
      stage.tell(.asked(.removeGeofences(identifiers: nil)))
      stage.tell(.asked(.addGeofence(fence)))
    case .storeFailed: stage.tell(.queue(.refused(device: 0, .other)))
    case .grows, .stays, .falls, .dwells, .addedSoon: break
    }
    stage.tell(.killed(isReboot: false))
    stage.tell(.launched(Launch()))
    stage.pass(seconds: 700)
    fence.status.hits = count == .grows ? 8 : count == .stays || count == .dwells ? 7 : 1
    fence.status.isInside = count == .dwells
    stage.tell(count == .dwells ? .dwell : .exit, of: fence)
    let isNamed = stage.oracle.violations.violations.contains { $0.what.contains("counts") }
    #expect(isNamed == (count == .stays || count == .falls))
  }

  /// An exit is reported where the device is outside, and not on the way out (SDK §15.3.2, §15.3.6).
  @Test(arguments: [(1_400.0, false), (950, false), (400, true)], [0.0, 1_000])
  func anExitIsReportedOutside(exit: (metresNorth: Double, isFound: Bool), outlier: Double) {
    let shape = Geofence.Shape.circle(center: Geofence.Vertex(latitude: 1, longitude: 2), radiusMetres: 1_000)
    let fence = Geofence(identifier: "town", shape: shape)
    let stage = Stage.fenced(fence, at: 0)
    stage.pass(seconds: 600)
    stage.event(.location(stage.location()))
    stage.tell(.enter, of: fence)
    stage.stay(0)
    stage.pass(seconds: 600)
    stage.tell(.strayed(metres: outlier))
    stage.go(from: 0, to: exit.metresNorth, seconds: 60)
    stage.tell(.exit, of: fence)
    let isNamed = stage.oracle.violations.violations.contains { $0.what.contains("m inside") }
    #expect(isNamed == (exit.isFound && outlier == 0))
  }

  /// A crossing has its own time, at which the device was there (SDK §15.3.2), by a clock that was not set.
  @Test(arguments: [(0, false), (10, false), (60, true)] as [(Int64, Bool)], [true, false])
  func aCrossingHasItsOwnTime(entry: (ago: Int64, isFound: Bool), isClockSet: Bool) {
    let stage = Stage.fenced(Stage.depot, at: -3_000)
    stage.wait(600)
    stage.go(from: -3_000, to: 0, seconds: 200)
    if isClockSet { stage.setBack(seconds: 5) }
    stage.tell(.enter, agedSeconds: entry.ago)
    let isNamed = stage.oracle.violations.violations.contains { $0.what.contains("m outside") }
    #expect(isNamed == (entry.isFound && !isClockSet))
  }

  enum Dwell: CaseIterable { case early, inTime, otherClock, restart, silentEntry, again }

  /// Dwelling is reported `loiteringDelay` after the entry (Geofence 276), by a clock that was not set.
  @Test(arguments: Dwell.allCases) func aDwellIsReportedAfterItsDelay(_ dwell: Dwell) {
    var fence = Stage.depot
    (fence.notifyOnDwell, fence.loiteringDelayMilliseconds) = (true, 300_000)
    let stage = Stage.fenced(fence, at: 0)
    stage.pass(seconds: 600)
    stage.event(.location(stage.location()))
    if dwell == .again {
      stage.tell(.enter, of: fence)
      stage.pass(seconds: 400)
    }
    if dwell != .silentEntry { stage.tell(.enter, of: fence) }
    if dwell == .otherClock { stage.setBack(seconds: 250) }
    if dwell == .restart {
      stage.tell(.killed(isReboot: false))
      stage.tell(.launched(Launch()))
    }
    stage.pass(seconds: dwell == .inTime ? 305 : 100)
    stage.tell(.dwell, of: fence)
    let early = stage.oracle.violations.violations.contains { $0.what.contains("ms inside") }
    #expect(early == [.early, .again].contains(dwell))
  }

  /// `maxMonitoredGeofences` lowers the limit of the system (SDK §2.1).
  @Test(arguments: [-1, 0, 3, 4]) func noMoreFencesAreMonitoredThanMayBe(limit: Int) {
    let stage = Stage { $0.geolocation.maxMonitoredGeofences = limit }
    let fences = (0..<4).map { Geofence(identifier: "f\($0)", shape: Stage.depot.shape) }
    stage.event(.geofencesChange(on: fences, off: []))
    #expect(stage.violated.contains(.geofence) == (limit == 3))
  }
}
