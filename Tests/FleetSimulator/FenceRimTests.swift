import Contract
import Engine
import Host
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
}
