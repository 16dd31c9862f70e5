import Base
import Contract
import Engine
import Host
import Scenario
import Testing

@testable import Oracle

/// Which of more fences than the system watches a phone of iOS must watch: the nearest ones, selected as it moves (Geofence
/// "Infinite geofencing"; SDK §15.2).
@Suite struct FenceChoiceTests {
  /// The depot at 0, so many fences a kilometre north of it, and others far away.
  private func fences(near count: Int, _ configure: (inout Geofence) -> Void = { _ in }) -> [Geofence] {
    (0..<60).map { index in
      let north = index == 0 ? 0 : index <= count ? 1_200 + Double(index) : Double(index) * 40_000
      var fence = Geofence(
        identifier: index == 0 ? "depot" : "\(index)",
        shape: .circle(center: .init(latitude: Stage.place(north).latitude, longitude: 2), radiusMetres: 200))
      configure(&fence)
      return fence
    }
  }

  /// A phone that has rested three kilometres south of the depot, and has driven to it.
  private func arrival(
    near count: Int, _ request: Command = .start, _ configure: (inout Configuration) -> Void = { _ in }
  ) -> Stage {
    let stage = Stage(platform: .ios, configure)
    stage.stay(-3_000)
    stage.tell(.asked(.addGeofences(fences(near: count))))
    stage.tell(.asked(request))
    stage.wait(600)
    stage.go(from: -3_000, to: 0, seconds: 300)
    return stage
  }

  /// Fences farther away than `geofenceProximityRadius` are not monitored where there are too many (GeolocationConfig
  /// `geofenceProximityRadius`). Those that the device has just passed may be, and all of a few.
  @Test(arguments: [(1_500.0, 60, false), (40_000, 60, true), (40_000, 10, false)])
  func aFenceBeyondTheProximityRadius(metres: Double, count: Int, isFound: Bool) {
    let stage = Stage(platform: .ios)
    stage.stay(0)
    let fences = Array(fences(near: 0).prefix(count))
    stage.tell(.asked(.addGeofences(fences)))
    stage.tell(.asked(.start))
    stage.wait(600)
    let place = Geofence.Vertex(latitude: Stage.place(metres).latitude, longitude: 2)
    let fence = Geofence(identifier: "1", shape: .circle(center: place, radiusMetres: 200))
    stage.event(.geofencesChange(on: [fence], off: []))
    #expect(stage.oracle.violations.violations.contains { $0.what.contains("geofenceProximityRadius") } == isFound)
  }

  /// In geofences-only mode it selects them behind half of `geofenceProximityRadius` (SDK §15.6.3), of 2,000 m here: the last
  /// ones may be those around a place a kilometre away. A phone that tracks selects them with each position.
  @Test(
    arguments: [
      (30, .startGeofences, []), (10, .startGeofences, [.geofenceLiveness]), (30, .start, [.geofenceLiveness]),
    ] as [(Int, Command, [Invariant])])
  func anEntryFarFromTheLastSelection(near count: Int, request: Command, violated: [Invariant]) {
    let stage = arrival(near: count, request)
    stage.wait(400)
    #expect(stage.violated.filter { $0 == .geofenceLiveness } == violated)
  }

  /// Without an initial trigger an entry is told of fences that were selected before it (SDK §15.4): a car that searches for a
  /// position has gone on.
  @Test(arguments: [(true, [.geofenceLiveness]), (false, [])] as [(Bool, [Invariant])])
  func anEntryIntoAFenceThatIsSelectedInside(triggersInitially: Bool, violated: [Invariant]) {
    let stage = arrival(near: 30) { $0.geolocation.geofenceInitialTriggerEntry = triggersInitially }
    stage.wait(400)
    #expect(stage.violated.filter { $0 == .geofenceLiveness } == violated)
  }

  /// A command starts geofences-only mode behind the entry. The positions before it may have been rejected (SDK §14.2).
  @Test(arguments: [(20, []), (100, [.geofenceLiveness])] as [(Double, [Invariant])])
  func anEntryBeforeTheModeChanges(threshold: Double, violated: [Invariant]) {
    let stage = arrival(near: 0) { $0.geolocation.filter.trackingAccuracyThresholdMetres = threshold }
    stage.wait(150)
    stage.tell(.told(.commanded(.startGeofences)))
    stage.wait(400)
    #expect(stage.violated.filter { $0 == .geofenceLiveness } == violated)
  }

  /// The nearest fences to an outlier are others, and the stay in a fence that is not selected any more has no event (SDK §15.2.2).
  @Test(arguments: [(0.0, [.dwell]), (800, [])] as [(Double, [Invariant])])
  func aStayDuringAnOutlier(metres: Double, violated: [Invariant]) {
    let stage = Stage(platform: .ios)
    stage.stay(0)
    stage.tell(
      .asked(.addGeofences(fences(near: 30) { ($0.notifyOnDwell, $0.loiteringDelayMilliseconds) = (true, 600_000) })))
    stage.tell(.asked(.start))
    stage.tell(.enter)
    stage.wait(60)
    stage.tell(.strayed(metres: metres))
    stage.wait(10)
    stage.tell(.strayed(metres: 0))
    for _ in 0..<200 { stage.wait(5) }
    #expect(stage.violated.filter { $0 == .dwell } == violated)
  }

  /// Of an entry that is not told a stay begins, which may have been noticed as late as an event would be due.
  @Test(arguments: [(350, []), (nil, [Invariant.dwell]), (900, [.dwell])] as [(Int64?, [Invariant])])
  func aStayInAFenceThatIsSelectedLate(toldAfter seconds: Int64?, violated: [Invariant]) {
    let stage = Stage(platform: .ios)
    stage.stay(-1_000)
    stage.tell(
      .asked(
        .addGeofences(
          fences(near: 0) {
            ($0.notifyOnEntry, $0.notifyOnDwell, $0.loiteringDelayMilliseconds) = (false, true, 120_000)
          })))
    stage.tell(.asked(.startGeofences))
    stage.wait(600)
    // It is inside from the 80th second on.
    stage.go(from: -1_000, to: 0, seconds: 100)
    for second in stride(from: Int64(20), to: 1_500, by: 5) {
      stage.wait(5)
      if second == seconds { stage.tell(.dwell) }
    }
    #expect(stage.violated.filter { $0 == .dwell } == violated)
  }

  /// Tracking that begins blind has no position for the record of a crossing (SDK §15.3.5).
  @Test(arguments: [true, false]) func anEntryBehindABlindStart(isBlind: Bool) {
    var fault = DeviceFault()
    fault.noFix = true
    let stage = Stage(platform: .ios)
    stage.stay(-5_000)
    stage.tell(.asked(.addGeofences([Stage.depot])))
    stage.wait(300)
    if isBlind { stage.begin(.device(fault)) }
    stage.tell(.asked(.start))
    stage.wait(60)
    stage.go(from: -5_000, to: 0, seconds: 500)
    stage.wait(600)
    #expect(stage.violated.contains(.geofenceLiveness) != isBlind, "\(stage.violated)")
  }
}
