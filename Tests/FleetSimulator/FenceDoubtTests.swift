import Base
import Contract
import Host
import Oracle
import Scenario
import Testing
import Vocabulary
import World

@testable import Engine
@testable import FleetSimulator

/// What a phone cannot know of its fences it need not tell, and what it may have seen it may tell.
@Suite struct FenceDoubtTests {
  /// The state of a fence that could not be written is gone with the process (SDK §15.4, §19.1).
  @Test(arguments: [(true, []), (false, [Invariant.geofenceLiveness])])
  func anEntryThatTheStoreDidNotKeepHasNoExit(isFull: Bool, violated: [Invariant]) throws {
    let full = try Stage.fullDisk()
    let stage = Stage.fenced(Stage.depot, at: 0) { $0.app.stopOnTerminate = false }
    if isFull { stage.begin(full) }
    stage.tell(.enter)
    if isFull { stage.end(full) }
    stage.wait(1_000)
    stage.tell(.killed(isReboot: true))
    stage.go(from: 0, to: 1_000, seconds: 100)
    stage.tell(.launched(Launch()))
    stage.wait(60)
    stage.wait(300)
    #expect(stage.violated == violated)
  }

  /// No exit follows from a report that may be one of a fence that another of its name has replaced (Geofence 34).
  @Test(arguments: [50, 5] as [Int64], [false, true])
  func anEntryFromBeforeTheFenceWasReplaced(agedSeconds: Int64, isRemovedFirst: Bool) {
    let stage = Stage.fenced(Stage.depot, at: 0) { $0.app.stopOnTerminate = false }
    stage.wait(60)
    let other = Geofence(
      identifier: "depot", shape: .circle(center: Geofence.Vertex(latitude: 3, longitude: 2), radiusMetres: 200))
    if isRemovedFirst { stage.tell(.told(.commanded(.removeGeofence(identifier: "depot")))) }
    stage.tell(.told(.commanded(.addGeofence(other))))
    stage.wait(20)
    stage.tell(.enter, of: other, agedSeconds: agedSeconds)
    stage.wait(60)
    stage.tell(.killed(isReboot: false))
    stage.tell(.launched(Launch()))
    stage.wait(300)
    #expect(stage.violated.contains(.geofenceLiveness) == (agedSeconds == 5))
  }

  /// An entry that could not be written is not told, and its exit is.
  @Test(arguments: [(true, []), (false, [Invariant.geofence])])
  func anExitAfterAnEntryThatTheStoreCouldNotKeep(isFull: Bool, violated: [Invariant]) throws {
    let full = try Stage.fullDisk()
    let stage = Stage.fenced(Stage.depot, at: 0)
    stage.tell(.enter)
    stage.go(from: 0, to: 1_000, seconds: 100)
    stage.tell(.exit)
    if isFull { stage.begin(full) }
    stage.go(from: 1_000, to: 0, seconds: 100)
    if isFull { stage.end(full) }
    stage.go(from: 0, to: 1_000, seconds: 100)
    stage.tell(.exit)
    #expect(stage.violated.filter { $0 == .geofence } == violated)
  }

  /// A process that began inside goes on with the stay once a position shows that it is still there.
  @Test(arguments: DevicePlatform.allCases, [true, false])
  func aStayOverALaunchWithoutAPosition(platform: DevicePlatform, isBlind: Bool) {
    var fence = Stage.depot
    (fence.notifyOnDwell, fence.loiteringDelayMilliseconds) = (true, 600_000)
    var fault = DeviceFault()
    fault.noFix = true
    let stage = Stage(platform: platform) { ($0.app.stopOnTerminate, $0.app.startOnBoot) = (false, true) }
    stage.stay(0)
    stage.tell(.asked(.addGeofences([fence])))
    stage.tell(.asked(.start))
    stage.tell(.enter)
    stage.wait(300)
    stage.tell(.killed(isReboot: true))
    if isBlind { stage.begin(.device(fault)) }
    stage.tell(.launched(Launch(isInBackground: true, didReboot: true)))
    stage.wait(300)
    stage.wait(300)
    #expect(stage.violated.filter { $0 == .dwell } == (isBlind ? [] : [.dwell]))
  }

  /// Which other invariants a run checks changes nothing.
  @Test(arguments: [[Invariant.dwell], [.dwell, .geofenceLiveness], [.geofenceLiveness]])
  func aStayThatIsNotTold(checked: [Invariant]) {
    var fence = Stage.depot
    (fence.notifyOnDwell, fence.loiteringDelayMilliseconds) = (true, 600_000)
    let stage = Stage(checked: checked)
    stage.stay(0)
    stage.tell(.asked(.addGeofences([fence])))
    stage.tell(.asked(.start))
    stage.tell(.enter)
    stage.wait(1_000)
    #expect(stage.violated == checked.filter { $0 == .dwell })
  }

  /// Over the end of a process the clock on the wall keeps the time of a stay (SDK §15.3).
  @Test(arguments: [(700, []), (0, [Invariant.dwell])] as [(Int64, [Invariant])])
  func aStayWhileTheClockIsSetBack(seconds: Int64, violated: [Invariant]) {
    var fence = Stage.depot
    (fence.notifyOnDwell, fence.loiteringDelayMilliseconds) = (true, 600_000)
    let stage = Stage.fenced(fence, at: 0) { $0.app.stopOnTerminate = false }
    stage.tell(.enter)
    stage.wait(300)
    stage.tell(.killed(isReboot: false))
    stage.setBack(seconds: seconds)
    stage.tell(.launched(Launch()))
    stage.wait(500)
    stage.wait(450)
    stage.tell(.dwell)
    #expect(stage.violated == violated)
  }

  /// In geofences-only mode a process looks for its place once, and need not find it: the stay goes on all the same (SDK
  /// §15.4).
  @Test(arguments: [Command.startGeofences, .start])
  func aStayOverALaunchThatLooksOnce(request: Command) {
    var fence = Stage.depot
    (fence.notifyOnDwell, fence.loiteringDelayMilliseconds) = (true, 600_000)
    let stage = Stage(platform: .ios) { $0.app.stopOnTerminate = false }
    stage.stay(0)
    stage.tell(.asked(.addGeofences([fence])))
    stage.tell(.asked(request))
    stage.tell(.enter)
    stage.wait(300)
    stage.tell(.killed(isReboot: false))
    stage.tell(.launched(Launch()))
    stage.wait(300)
    stage.wait(300)
    #expect(stage.violated.filter { $0 == .dwell } == [.dwell])
  }

  /// In geofences-only mode a process of iOS tells of what it passes while nothing shows its place only once it has one.
  @Test(arguments: [(false, []), (true, [Invariant.geofenceLiveness])])
  func anEntryInAProcessThatHasHadNoPosition(isTold: Bool, violated: [Invariant]) {
    var fault = DeviceFault()
    fault.noFix = true
    let stage = Stage(platform: .ios)
    stage.stay(-1_000)
    stage.tell(.asked(.addGeofences([Stage.depot])))
    stage.tell(.asked(.startGeofences))
    if isTold { stage.event(.motionChange(stage.location(isMoving: false))) }
    stage.wait(300)
    stage.begin(.device(fault))
    stage.go(from: -1_000, to: 0, seconds: 100)
    stage.wait(300)
    #expect(stage.violated == violated)
  }

  /// The first position of a process comes when it has long gone on, and the clock was set meanwhile.
  @Test(arguments: [(false, []), (true, [Invariant.geofence])])
  func anEntryThatIsToldWithTheFirstPosition(isTold: Bool, violated: [Invariant]) {
    let stage = Stage(platform: .ios)
    stage.stay(0)
    stage.tell(.asked(.addGeofences([Stage.depot])))
    stage.tell(.asked(.start))
    if isTold { stage.event(.motionChange(stage.location())) }
    stage.go(from: 0, to: 5_000, seconds: 200)
    stage.wait(600)
    stage.setBack(seconds: 3_000)
    stage.tell(.enter)
    stage.tell(.exit)
    #expect(stage.violated.filter { $0 == .geofence } == violated)
  }

  /// More than the system watches at once.
  private static let others = (0..<100).map { number in
    Geofence(
      identifier: "far-\(number)",
      shape: .circle(center: Geofence.Vertex(latitude: 3, longitude: 3), radiusMetres: 200))
  }

  /// The nearest fences are chosen with each position (SDK §15.2.4). At speed `distanceFilter` grows to 900 m, or to 4,500 m, and
  /// the fences within 2,000 m are watched; a fence in which a device has been is.
  @Test(arguments: [(100.0, true, [Invariant.geofenceLiveness]), (500, true, []), (500, false, [.geofenceLiveness])])
  func aCrossingBetweenPositionsThatAreFarApart(metres: Double, isEntry: Bool, violated: [Invariant]) {
    let stage = Stage { $0.geolocation.distanceFilterMetres = metres }
    stage.stay(isEntry ? -5_000 : 0)
    stage.tell(.asked(.addGeofences(Self.others + [Stage.depot])))
    stage.tell(.asked(.start))
    if !isEntry { stage.tell(.enter) }
    stage.wait(300)
    stage.go(from: isEntry ? -5_000 : 0, to: isEntry ? 0 : 5_000, seconds: 500)
    stage.wait(400)
    #expect(stage.violated.filter { $0 == .geofenceLiveness } == violated)
  }

  /// Which fences are nearest shows a position, and in a tunnel there is none.
  @Test(arguments: [(Cover.Kind.tunnel, []), (nil, [Invariant.geofenceLiveness])] as [(Cover.Kind?, [Invariant])])
  func anEntryAmongManyFences(cover: Cover.Kind?, violated: [Invariant]) {
    let stage = Stage()
    stage.stay(0, cover: cover)
    stage.tell(.asked(.addGeofences(Self.others + [Stage.depot])))
    stage.tell(.asked(.start))
    stage.wait(400)
    #expect(stage.violated == violated)
  }

  /// Where a visit begins silently, it begins with a position. A blind phone that has stopped looking has none.
  @Test(arguments: [(true, false, []), (true, true, []), (false, true, [Invariant.dwell])])
  func aStayThatBeginsSilentlyWithoutAPosition(isBlind: Bool, isTold: Bool, violated: [Invariant]) {
    var fence = Geofence(
      identifier: "depot", shape: .circle(center: Geofence.Vertex(latitude: 1, longitude: 2), radiusMetres: 1_500))
    (fence.notifyOnDwell, fence.loiteringDelayMilliseconds) = (true, 30_000)
    var fault = DeviceFault()
    fault.noFix = true
    let stage = Stage { $0.geolocation.geofenceInitialTriggerEntry = false }
    stage.stay(0)
    if isBlind { stage.begin(.device(fault)) }
    stage.tell(.asked(.addGeofences([fence])))
    stage.tell(.asked(.start))
    if !isTold { stage.wait(1_000) }
    if isTold { stage.event(.motionChange(stage.location(isMoving: false))) }
    stage.wait(60)
    if isBlind { stage.end(.device(fault)) }
    stage.wait(840)
    #expect(stage.violated == violated)
  }

  /// Nothing is told of the entry into a polygon, and within 40 m of its rim positions may have shown it before.
  @Test(arguments: [(-230.0, []), (-400, [Invariant.dwell])] as [(Double, [Invariant])])
  func aStayThatMayHaveBegunAtTheRim(metres: Double, violated: [Invariant]) {
    var fence = Stage.polygon
    (fence.notifyOnEntry, fence.notifyOnDwell, fence.loiteringDelayMilliseconds) = (false, true, 600_000)
    let stage = Stage.fenced(fence, at: -1_000)
    stage.go(from: -1_000, to: metres, seconds: 100)
    stage.wait(400)
    stage.go(from: metres, to: 0, seconds: 50)
    stage.wait(250)
    stage.tell(.dwell)
    #expect(stage.violated == violated)
  }

  /// Without an initial trigger a visit begins silently where monitoring begins inside (SDK §15.4).
  /// When a stay begins silently by a poor position nothing tells.
  @Test(arguments: [(200.0, false, []), (200, true, [Invariant.geofenceLiveness]), (1_500, false, [.dwell])])
  func aStayThatBeginsSilently(radius: Double, triggersInitially: Bool, violated: [Invariant]) {
    var fence = Geofence(
      identifier: "depot", shape: .circle(center: Geofence.Vertex(latitude: 1, longitude: 2), radiusMetres: radius))
    (fence.notifyOnDwell, fence.loiteringDelayMilliseconds) = (true, 30_000)
    let stage = Stage.fenced(fence, at: 0) { $0.geolocation.geofenceInitialTriggerEntry = triggersInitially }
    stage.event(.motionChange(stage.location(isMoving: false)))
    stage.wait(900)
    #expect(stage.violated == violated)
  }

  @Test(arguments: [(false, []), (true, [Invariant.geofence])])
  func anExitAfterAnExit(triggersInitially: Bool, violated: [Invariant]) {
    let stage = Stage { $0.geolocation.geofenceInitialTriggerEntry = triggersInitially }
    stage.stay(0)
    stage.tell(.enter)
    stage.tell(.exit)
    stage.event(.enabledChange(isEnabled: false))
    stage.event(.enabledChange(isEnabled: true))
    stage.wait(60)
    stage.tell(.exit)
    #expect(stage.violated == violated)
  }

  /// An answer adds a fence twice, and the phone is inside: the first one's entry is told behind the second's begin, by a
  /// clock that drifts (SDK §15.1).
  @Test(arguments: [(0, []), (100, [Invariant.geofence])] as [(Int64, [Invariant])])
  func anEntryIntoAFenceThatWasReplacedByADriftingClock(milliseconds: Int64, violated: [Invariant]) {
    let stage = Stage()
    stage.stay(0)
    stage.event(.geofencesChange(on: [Stage.depot], off: []))
    stage.tell(.asked(.addGeofences([Stage.depot])))
    var record = stage.location()
    let crossed = record.timestamp.advanced(byMilliseconds: milliseconds)
    record.geofence = GeofenceTrigger(identifier: "depot", action: .enter, timestamp: crossed)
    stage.pass(seconds: 4)
    stage.setBack(milliseconds: 1)
    stage.event(.geofence(record, Stage.depot))
    stage.event(.geofence(record, Stage.depot))
    #expect(stage.violated.filter { $0 == .geofence } == violated)
  }

  /// Among more fences than the system watches only the nearest are: where a phone is in more of them at once, some are passed over
  /// (Geofence "Infinite geofencing").
  @Test(arguments: [(18, [Invariant.geofenceLiveness, .dwell]), (40, [])])
  func aFenceAmongOthersAsNear(count: Int, violated: [Invariant]) {
    let stage = Stage(platform: .ios)
    stage.stay(-1_000)
    let fences = (0..<60).map { index in
      let north = index < count ? Double(index) : Double(index) * 40_000
      var fence = Geofence(
        identifier: "\(index)",
        shape: .circle(
          center: Geofence.Vertex(latitude: Stage.place(north).latitude, longitude: 2), radiusMetres: 200))
      (fence.notifyOnDwell, fence.loiteringDelayMilliseconds) = (true, 60_000)
      return fence
    }
    stage.tell(.asked(.addGeofences(fences)))
    stage.tell(.asked(.start))
    stage.event(.motionChange(stage.location()))
    stage.go(from: -1_000, to: 0, seconds: 100)
    for fence in fences.prefix(10) { stage.tell(.enter, of: fence) }
    stage.wait(900)
    #expect(stage.violated == violated)
  }

  /// The fences near an outlier are not those near the phone, which is told that it is not there, and looks again (SDK §15.6.3).
  @Test(arguments: ["ios-5.1", "android-5.1"], [1, 2, 3])
  func aPhoneFindsItsFencesAgainBehindAnOutlier(profile: String, seed: Int) throws {
    let text = """
      { version: 1, name: "outlier", seed: \(seed), clock: { duration: "40m", settle: "1m" },
        sdk: { profile: "\(profile)" }, invariants: { onViolation: "continue" },
        motion: { stray: { extends: "walking", gps: { outliers: { perHour: 6, distance: "5km" } } } },
        routes: { field: { type: "generate", model: "gauss-markov" } },
        geofences: { many: { type: "grid", count: 120, radius: "200m" } },
        fleets: { a: { devices: 2, routes: "field", motion: "stray", mode: "geofences", geofences: "many" } } }
      """
    let report = try FleetRun(RunSetup(ScenarioReader().read(text).scenario), store: Runs.store()).run()
    #expect(report.violations.isEmpty && report.sums.stored > 5, "\(report.violations.prefix(3))")
  }

  /// Without an initial trigger the next visit begins silently where a fence is monitored again, before the exit is told.
  @Test(arguments: [(true, []), (false, [Invariant.geofence])])
  func aVisitThatBeganSilently(isMonitoredAgain: Bool, violated: [Invariant]) {
    let stage = Stage { $0.geolocation.geofenceInitialTriggerEntry = false }
    stage.stay(0)
    stage.event(.geofencesChange(on: [Stage.depot], off: []))
    stage.event(.geofencesChange(on: [], off: ["depot"]))
    stage.pass(seconds: 3)
    stage.tell(.exit)
    stage.pass(seconds: 3)
    if isMonitoredAgain { stage.event(.geofencesChange(on: [Stage.depot], off: [])) }
    stage.pass(seconds: 3)
    stage.tell(.dwell)
    #expect(stage.violated.filter { $0 == .geofence } == violated)
  }

  @Test(arguments: [(true, []), (false, [Invariant.geofence])])
  func anExitFromAVisitThatBeganBeforeTheLastExitWasTold(isMonitoredAgain: Bool, violated: [Invariant]) {
    let stage = Stage { $0.geolocation.geofenceInitialTriggerEntry = false }
    stage.stay(0)
    stage.event(.geofencesChange(on: [Stage.depot], off: []))
    stage.pass(seconds: 3)
    var record = stage.location()
    record.geofence = GeofenceTrigger(identifier: "depot", action: .exit, timestamp: record.timestamp)
    stage.pass(seconds: 3)
    if isMonitoredAgain {
      stage.event(.geofencesChange(on: [], off: ["depot"]))
      stage.event(.geofencesChange(on: [Stage.depot], off: []))
    }
    stage.event(.geofence(record, Stage.depot))
    stage.pass(seconds: 3)
    stage.tell(.exit)
    #expect(stage.violated.filter { $0 == .geofence } == violated)
  }

  /// A fast body is in a fence for seconds.
  @Test(arguments: [(3_500.0, []), (-3_500, [Invariant.geofence])] as [(Double, [Invariant])])
  func anEntryIntoAFenceThatIsPassedFast(end: Double, violated: [Invariant]) {
    let stage = Stage()
    stage.stay(-3_500)
    stage.wait(400)
    stage.go(from: -3_500, to: end, seconds: 70)
    stage.wait(5)
    stage.tell(.enter)
    #expect(stage.violated.filter { $0 == .geofence } == violated)
  }

  /// A crossing that the SDK does not confirm leaves it time, and takes none from it.
  @Test(arguments: [(1, [Invariant.geofenceLiveness]), (100, [])] as [(Int, [Invariant])])
  func anEntryThatIsPutOffAmongManyFences(count: Int, violated: [Invariant]) {
    let stage = Stage()
    stage.stay(-1_000)
    let far = (1..<count).map { index in
      let center = Geofence.Vertex(latitude: Stage.place(Double(index) * 40_000).latitude, longitude: 2)
      return Geofence(identifier: "\(index)", shape: .circle(center: center, radiusMetres: 200))
    }
    stage.tell(.asked(.addGeofences([Stage.depot] + far)))
    stage.tell(.asked(.start))
    stage.go(from: -1_000, to: 0, seconds: 100)
    let crossing = GeofenceSuppression(
      identifier: "depot", action: .exit, reason: .spuriousExit, distanceMetres: 0, radiusMetres: 200)
    stage.event(
      .locationFilter(
        FilteredLocation(record: stage.location(), reason: "", thresholdMetres: -1, crossing: crossing)))
    stage.wait(150)
    stage.tell(.enter)
    #expect(stage.violated == violated)
  }

  /// A fence that is added again loses its state (Geofence 34): it has no exit, and its entry is told again.
  @Test(arguments: [(true, 1_000.0, []), (false, 1_000, [Invariant.geofenceLiveness]), (true, 0, [.geofenceLiveness])])
  func aFenceThatIsAddedAgain(isAdded: Bool, metres: Double, violated: [Invariant]) {
    let stage = Stage.fenced(Stage.depot, at: 0)
    stage.tell(.enter)
    stage.go(from: 0, to: metres, seconds: 30)
    if isAdded { stage.tell(.asked(.addGeofences([Stage.depot]))) }
    stage.wait(300)
    #expect(stage.violated == violated)
  }
}
