import Base
import Contract
import Engine
import Host
import Oracle
import Scenario
import Testing
import Vocabulary

@testable import FleetSimulator

/// What a device says is held against what its body truly does, and what a server says against what it was shown.
@Suite struct TruthTests {
  private func place(_ metresNorth: Double) throws -> Coordinate {
    try #require(Coordinate(latitude: 1 + metresNorth / 110_574, longitude: 2))
  }

  /// A drive of ten kilometres, each position of which is wrong by ten metres.
  @Test(arguments: [(1.0, []), (0.8, []), (1.6, [Invariant.odometerTolerance])])
  func anOdometerSaysTooMuch(factor: Double, violated: [Invariant]) throws {
    let stage = Stage()
    for metres in stride(from: 0.0, through: 10_000, by: 100) {
      stage.pass(seconds: 10)
      stage.tell(.stood(at: try place(metres), metres: metres))
      let seen = try place(metres + 10)
      var record = stage.location(odometer: metres * factor)
      record.coords = Coordinates(latitude: seen.latitude, longitude: seen.longitude)
      stage.event(.location(record))
    }
    #expect(stage.violated == violated)
  }

  /// The phone stands there, and reports the position with an odometer.
  private func report(odometer: Double, at metres: Double, accuracy: Double, on stage: Stage) throws {
    let here = try place(metres)
    stage.tell(.stood(at: here, metres: metres))
    var record = stage.location(odometer: odometer)
    record.coords = Coordinates(latitude: here.latitude, longitude: here.longitude)
    record.coords.accuracy = accuracy
    stage.event(.location(record))
  }

  @Test(arguments: [(0.8, []), (0.3, [Invariant.odometerTolerance])])
  func anOdometerSaysTooLittle(factor: Double, violated: [Invariant]) throws {
    let stage = Stage()
    for metres in stride(from: 0.0, through: 10_000, by: 100) {
      stage.pass(seconds: 10)
      try report(odometer: metres * factor, at: metres, accuracy: 5, on: stage)
    }
    #expect(stage.violated == violated)
  }

  /// Android's `speedJumpFilter` leaves out the positions of a faster way (SDK §14.2).
  @Test(arguments: [(5.0, []), (300.0, [Invariant.recording])])
  func aPhoneThatIsFasterThanItsFilterRecordsNothing(fastest: Double, violated: [Invariant]) {
    let stage = Stage.started { $0.geolocation.speedJumpFilterMetresPerSecond = fastest }
    stage.go(from: 0, to: 20_000, seconds: 1_000)
    #expect(stage.violated.filter { $0 == .recording } == violated)
  }

  /// A position that is worse than `odometerAccuracyThreshold` does not count (SDK §17.1).
  @Test(arguments: [(4.0, []), (20.0, [Invariant.odometerTolerance])])
  func anOdometerThatCountsBetterPositionsOnly(threshold: Double, violated: [Invariant]) throws {
    let stage = Stage { $0.geolocation.filter.odometerAccuracyThresholdMetres = threshold }
    for metres in stride(from: 0.0, through: 10_000, by: 100) {
      stage.pass(seconds: 10)
      try report(odometer: 0, at: metres, accuracy: 5, on: stage)
    }
    #expect(stage.violated == violated)
  }

  /// Sums of numbers that large lose the metres.
  @Test(arguments: [(1e19, 0.0, []), (1e19, 4_096, []), (1e9, 0, [Invariant.odometerTolerance])])
  func anOdometerThatIsTooLargeForMetres(start: Double, growth: Double, violated: [Invariant]) throws {
    let stage = Stage()
    var odometer = start
    for metres in stride(from: 0.0, through: 10_000, by: 100) {
      stage.pass(seconds: 10)
      try report(odometer: odometer, at: metres, accuracy: 5, on: stage)
      odometer += growth
    }
    #expect(stage.violated == violated)
  }

  /// A position that is too inaccurate to count (SDK §17.1) does not divide a step: the one to the next position is as long as
  /// the whole gap, and the filter keeps much of it.
  @Test(arguments: [(300.0, []), (480.0, [Invariant.odometerTolerance])])
  func anOdometerKeepsAStepAcrossAPoorPosition(growth: Double, violated: [Invariant]) throws {
    let stage = Stage()
    var (metres, odometer) = (0.0, 0.0)
    func record(accuracy: Double) throws {
      stage.pass(seconds: 10)
      try report(odometer: odometer, at: metres, accuracy: accuracy, on: stage)
    }
    try record(accuracy: 5)
    stage.tell(.told(.commanded(.resetOdometer)))
    stage.pass(seconds: 600)
    metres = 3_000
    try record(accuracy: 25)
    odometer = 3_000
    for _ in 0..<9 {
      metres += 20
      try record(accuracy: 5)
      odometer += growth
    }
    #expect(stage.violated.filter { $0 == .odometerTolerance } == violated)
  }

  /// The filter keeps much of the steps to and from an outlier, and counts it with those that follow.
  @Test(arguments: [(1.0, []), (0.05, [Invariant.odometerTolerance])])
  func anOdometerKeepsTheStepsOfAnOutlier(share: Double, violated: [Invariant]) throws {
    let stage = Stage(behaviour: .documented)
    let records: [(metres: Double, odometer: Double)] = [
      (0, 0), (372, 373), (0, 746), (97, 1_059), (0, 1_295), (13, 1_465), (0, 1_574), (109, 1_683), (0, 1_790),
      (16, 1_865),
    ]
    for (metres, odometer) in records {
      stage.pass(seconds: 20)
      stage.tell(.stood(at: try place(0), metres: 0))
      let seen = try place(metres * share)
      var record = stage.location(odometer: odometer)
      record.coords = Coordinates(latitude: seen.latitude, longitude: seen.longitude)
      record.coords.accuracy = 12
      stage.event(.location(record))
    }
    #expect(stage.violated == violated)
  }

  /// Counting begins with the position of a command that sets the odometer, however poor it is (SDK §17.7).
  @Test(arguments: [(true, []), (false, [Invariant.odometerTolerance])])
  func anOdometerKeepsTheStepFromThePositionOfACommand(isCommanded: Bool, violated: [Invariant]) throws {
    let stage = Stage(behaviour: .documented)
    if isCommanded { stage.tell(.told(.commanded(.resetOdometer))) }
    for (metres, odometer, accuracy) in [(0.0, 0.0, 60.0), (2_990, 0, 25), (3_000, 2_000, 5), (3_010, 3_000, 5)] {
      stage.pass(seconds: metres == 0 ? 10 : 310)
      try report(odometer: odometer, at: metres, accuracy: accuracy, on: stage)
    }
    #expect(stage.violated.filter { $0 == .odometerTolerance } == violated)
  }

  /// With the observed behaviour a step begins at the last position of the stream, however poor (SDK §17.8): a crossing that is
  /// recorded before it has been counted says the odometer of before.
  @Test(arguments: [(540.0, []), (1_100.0, [Invariant.odometerTolerance])])
  func anOdometerCountsTheStepToACrossing(growth: Double, violated: [Invariant]) throws {
    let stage = Stage()
    for (metres, odometer, accuracy) in [(0.0, 0.0, 60.0), (540, 0, 5), (540, growth, 5)] {
      stage.pass(seconds: 10)
      try report(odometer: odometer, at: metres, accuracy: accuracy, on: stage)
    }
    #expect(stage.violated == violated)
  }

  /// An outlier at the start makes the first step as long.
  @Test(arguments: [(1_000.0, []), (0.0, [Invariant.odometerTolerance])])
  func anOdometerCountsTheStepFromAFirstPositionThatIsWrong(error: Double, violated: [Invariant]) throws {
    let stage = Stage()
    for (metres, told, odometer) in [(0.0, error, 0.0), (10, 10, 1_000)] {
      stage.pass(seconds: 10)
      stage.tell(.stood(at: try place(metres), metres: metres))
      let seen = try place(told)
      var record = stage.location(odometer: odometer)
      record.coords = Coordinates(latitude: seen.latitude, longitude: seen.longitude)
      stage.event(.location(record))
    }
    #expect(stage.violated == violated)
  }

  /// Crossings of geofences do not advance the odometer while locations are tracked (SDK §17.5): the next position says all of
  /// the way since the last one. In geofences-only mode each of them does.
  @Test(arguments: [
    (Command.start, [Invariant]()), (.startGeofences, [.odometerTolerance]),
  ])
  func aCrossingLagsBehindWhileLocationsAreTracked(
    command: Command, violated: [Invariant]
  ) throws {
    let stage = Stage()
    stage.tell(.told(.commanded(command)))
    for metres in [1_000.0, 2_000, 3_000, 4_000] {
      stage.pass(seconds: 60)
      let here = try place(metres)
      stage.tell(.stood(at: here, metres: metres))
      var record = stage.location(odometer: 0)
      record.coords = Coordinates(latitude: here.latitude, longitude: here.longitude)
      record.coords.accuracy = 15
      record.event = .geofence
      stage.event(.location(record))
      stage.event(.geofence(record, Stage.depot))
    }
    stage.pass(seconds: 60)
    try report(odometer: 5_000, at: 5_000, accuracy: 5, on: stage)
    #expect(stage.violated.filter { $0 == .odometerTolerance } == violated)
  }

  /// After a gap of three kilometres the filter goes on giving the next steps much of that length.
  @Test(arguments: [(0.8, []), (1.2, [Invariant.odometerTolerance])])
  func anOdometerKeepsMuchOfALongStep(share: Double, violated: [Invariant]) throws {
    let stage = Stage()
    var (metres, odometer, growth) = (0.0, 0.0, 3_000.0)
    for step in [0.0, 3_000, 100, 100, 100, 100] {
      stage.pass(seconds: 10)
      metres += step
      if step > 0 {
        odometer += growth
        growth *= share
      }
      let here = try place(metres)
      stage.tell(.stood(at: here, metres: metres))
      var record = stage.location(odometer: odometer)
      record.coords = Coordinates(latitude: here.latitude, longitude: here.longitude)
      stage.event(.location(record))
    }
    #expect(stage.violated == violated)
  }

  /// Ten trips of a kilometre, each after 400 m that only the motion change has seen: with the observed habits these count
  /// with the first position of the trip, too (SDK §17.8).
  @Test(arguments: [
    (SDKBehaviour.observed, 2.0, []), (.observed, 3.0, [Invariant.odometerTolerance]),
    (.documented, 1.0, []), (.documented, 2.0, [.odometerTolerance]),
  ])
  func aWayToAMotionChangeCountsTwiceOnlyAsObserved(
    behaviour: SDKBehaviour, times: Double, violated: [Invariant]
  ) throws {
    let stage = Stage(behaviour: behaviour)
    var (metres, odometer) = (0.0, 0.0)
    func tell(_ event: RecordEvent? = nil, isMoving: Bool = true) throws {
      let here = try place(metres)
      stage.pass(seconds: 10)
      stage.tell(.stood(at: here, metres: metres))
      var record = stage.location(isMoving: isMoving, odometer: odometer)
      record.coords = Coordinates(latitude: here.latitude, longitude: here.longitude)
      record.event = event
      if event != nil { stage.event(.motionChange(record)) }
      stage.event(.location(record))
    }
    for trip in 0..<10 {
      (metres, odometer) = (metres + 400, odometer + 400)
      try tell(.motionchange)
      if trip > 0 { odometer += 400 * (times - 1) }
      for _ in 0..<10 {
        try tell()
        (metres, odometer) = (metres + 100, odometer + 100)
      }
      try tell()
      try tell(.motionchange, isMoving: false)
    }
    #expect(stage.violated == violated)
  }

  /// LocationEvent 74: at the time of the record, of a process that has asked its sensors.
  @Test(arguments: [
    (nil as Activity?, 50, []), (nil, 70, [Invariant.motion]),
    (Activity(.inVehicle, confidence: 100), 70, []), (Activity(.inVehicle, confidence: 90), 70, [.motion]),
    (Activity(.still, confidence: 100), 70, [.motion]),
  ])
  func aRecordSaysTheActivityThatTheSensorsHaveSaid(said: Activity?, seconds: Int, violated: [Invariant]) {
    let stage = Stage()
    stage.tell(.sensed(Activity(.inVehicle, confidence: 100)))
    stage.event(.enabledChange(isEnabled: true))
    if let said {
      stage.pass(seconds: 1)
      stage.tell(.sensed(said))
    }
    stage.pass(seconds: Int64(seconds))
    var record = stage.location()
    record.activity = said == nil ? Activity(.unknown, confidence: 0) : Activity(.inVehicle, confidence: 100)
    stage.event(.location(record))
    #expect(stage.violated == violated)
  }

  /// Where it may not ask, and while it is off.
  @Test(arguments: [(true, true, [Invariant.motion]), (false, true, []), (true, false, [])])
  func sensorsThatAreNotAskedReportNothing(mayAsk: Bool, isOn: Bool, violated: [Invariant]) {
    let stage = Stage { $0.activity.disableMotionActivityUpdates = !mayAsk }
    if isOn { stage.event(.enabledChange(isEnabled: true)) }
    stage.pass(seconds: 70)
    var record = stage.location()
    record.event = .providerchange
    stage.event(.location(record))
    #expect(stage.violated == violated)
  }

  private static let fence = Geofence(
    identifier: "depot", shape: .circle(center: Geofence.Vertex(latitude: 1, longitude: 2), radiusMetres: 200))

  private func stageWithFence(_ change: (inout Geofence) -> Void = { _ in }) -> Stage {
    let stage = Stage()
    var fence = Self.fence
    change(&fence)
    stage.event(.geofencesChange(on: [fence], off: []))
    return stage
  }

  private func tell(_ action: GeofenceTrigger.Action, _ stage: Stage) {
    var record = stage.location()
    record.geofence = GeofenceTrigger(identifier: "depot", action: action, timestamp: record.timestamp)
    stage.event(.geofence(record, Self.fence))
  }

  /// The exit is not seen while the app is dead.
  @Test(arguments: [true, false])
  func aFenceIsEnteredAgainAfterTheAppWasDead(isDead: Bool) {
    let stage = stageWithFence()
    tell(.enter, stage)
    if isDead {
      stage.tell(.killed(isReboot: false))
      stage.tell(.launched(Launch()))
    }
    tell(.enter, stage)
    #expect(stage.violated == (isDead ? [] : [.geofence]))
  }

  /// A fence takes the place of the one with its name, which has no device inside (SDK §15.1).
  @Test(arguments: [Command.addGeofence(fence), .addGeofences([fence]), .removeGeofences(identifiers: nil), .start])
  func aFenceThatIsAddedAgainIsEnteredAgain(command: Command) {
    let stage = stageWithFence()
    tell(.enter, stage)
    stage.tell(.asked(command))
    stage.pass(seconds: 1)
    tell(.enter, stage)
    #expect(stage.violated == (command == .start ? [.geofence] : []))
    stage.pass(seconds: 1)
    tell(.enter, stage)
    #expect(stage.violated == [.geofence])
  }

  /// The record of its entry is made when the new fence is there already.
  @Test func anEntryIntoAFenceThatWasReplacedMeanwhile() {
    let stage = stageWithFence()
    var record = stage.location()
    record.geofence = GeofenceTrigger(identifier: "depot", action: .enter, timestamp: record.timestamp)
    stage.pass(seconds: 5)
    stage.tell(.asked(.addGeofence(Self.fence)))
    stage.event(.geofence(record, Self.fence))
    stage.pass(seconds: 1)
    tell(.enter, stage)
    #expect(stage.violated == [])
  }

  /// After a stop nothing is monitored.
  @Test(arguments: [true, false])
  func thereAreNoMoreFencesThanTheSystemAllows(isStopped: Bool) {
    let stage = stageWithFence()
    func monitor(_ name: String) {
      let fences = (0..<60).map { Geofence(identifier: "\(name) \($0)", shape: Self.fence.shape) }
      stage.event(.geofencesChange(on: fences, off: []))
    }
    monitor("before")
    if isStopped { stage.event(.enabledChange(isEnabled: false)) }
    monitor("after")
    #expect(stage.violated == (isStopped ? [] : [.geofence]))
  }

  /// The visit goes on (SDK §15.4). A fence that is far away alone, and is not monitored for that, may be entered again.
  @Test(arguments: [(true, [Invariant.geofence]), (false, [])])
  func aFenceIsNotEnteredAgainAfterAStop(isStopped: Bool, violated: [Invariant]) {
    let stage = stageWithFence()
    tell(.enter, stage)
    stage.event(.geofencesChange(on: [], off: [Self.fence.identifier]))
    if isStopped { stage.event(.enabledChange(isEnabled: false)) }
    stage.pass(seconds: 10)
    stage.event(.enabledChange(isEnabled: true))
    stage.event(.geofencesChange(on: [Self.fence], off: []))
    tell(.enter, stage)
    #expect(stage.violated == violated)
  }

  /// Ten minutes are as long as a token is good.
  @Test(arguments: [
    (10, false, 200, []), (720, false, 401, []), (720, false, 200, [Invariant.auth]), (10, true, 200, [.auth]),
  ])
  func aWorthlessTokenIsTaken(seconds: Int64, isTakenBack: Bool, status: Int, violated: [Invariant]) {
    var fault = AuthorizationFault()
    fault.revokeAllTokens = true
    let stage = Stage(tokenLifetime: .seconds(600)) {
      $0.authorization.accessToken = "the token"
    }
    stage.pass(seconds: seconds)
    if isTakenBack { stage.begin(.authorization(fault)) }
    let record = stage.insert()
    let request = stage.send([record], headers: [NameValuePair("Authorization", "Bearer the token")])
    stage.serve(request)
    stage.end(request, status: status)
    if status == 200 {
      stage.delete(record)
    } else {
      // The next record is an occasion to try again.
      stage.upload([record, stage.insert()])
    }
    #expect(stage.violated == violated)
  }
}
