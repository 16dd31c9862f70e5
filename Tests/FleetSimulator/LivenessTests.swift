import Base
import Contract
import Engine
import Host
import JSON
import Oracle
import Queue
import Scenario
import Testing
import Upload
import Vocabulary
import World

@testable import FleetSimulator

/// What a device owes: positions on its way, heartbeats at rest, motion changes, uploads in the form that its app configured.
@Suite struct LivenessTests {
  // MARK: Recording

  @Test(arguments: [(true, []), (false, [Invariant.recording])])
  func aDriveWithoutRecordsIsAViolation(isTold: Bool, violated: [Invariant]) {
    let stage = Stage.started()
    stage.go(from: 0, to: 20_000, seconds: 1_000) { if isTold { stage.event(.location(stage.location())) } }
    #expect(stage.violated == violated)
    #expect(stage.oracle.outcomes.contains { $0.invariant == .recording && $0.verdict == .held } == isTold)
  }

  @Test func aDriveThatStopsBeingTold() {
    let stage = Stage.started()
    var steps = 0
    stage.go(from: 0, to: 40_000, seconds: 2_000) {
      steps += 1
      if steps < 100 { stage.event(.location(stage.location())) }
    }
    #expect(stage.violated == [.recording])
  }

  /// Blind at its start it has found no place to rest at, and without activities nothing tells that it sets off (SDK §12.6.4).
  /// A schedule may have started it well before that is late (SDK §16.3.3).
  @Test(arguments: [(500, []), (250, [Invariant.recording])] as [(Int64, [Invariant])])
  func aDeviceThatWasStartedBlindKnowsNoRest(sightAtSeconds: Int64, violated: [Invariant]) {
    var fault = DeviceFault()
    fault.noFix = true
    let stage = Stage {
      $0.app.schedule = ["1-7 10:05-20:00"]
      $0.activity.disableMotionActivityUpdates = true
    }
    stage.stay(0)
    stage.tell(.asked(.startSchedule))
    stage.wait(200)
    stage.begin(.device(fault))
    var state = EngineState()
    (state.isEnabled, state.trackingMode) = (true, .location)
    for second in Int64(201)...2_000 {
      stage.wait(1)
      if second == sightAtSeconds { stage.end(.device(fault)) }
      if second == 301 {
        stage.event(.enabledChange(isEnabled: true))
        stage.event(.schedule(state))
      }
    }
    stage.go(from: 0, to: 20_000, seconds: 1_000)
    #expect(stage.violated.filter { $0 == .recording } == violated)
  }

  /// In a tunnel for the four minutes of its search it has found no place to rest at either.
  @Test(arguments: [(300, []), (100, [Invariant.recording])] as [(Int64, [Invariant])])
  func aDeviceThatWasStartedInATunnelKnowsNoRest(tunnelSeconds: Int64, violated: [Invariant]) {
    let stage = Stage { $0.activity.disableMotionActivityUpdates = true }
    stage.stay(0, cover: .tunnel)
    stage.tell(.asked(.start))
    stage.wait(tunnelSeconds)
    stage.stay(0)
    stage.wait(300)
    stage.go(from: 0, to: 20_000, seconds: 1_000)
    #expect(stage.violated.filter { $0 == .recording } == violated)
  }

  @Test(arguments: [Command.stop, .startGeofences])
  func aDeviceThatDoesNotTrackNeedsNoRecords(request: Command) {
    let stage = Stage.started()
    stage.tell(.asked(request))
    stage.go(from: 0, to: 20_000, seconds: 1_000)
    #expect(stage.violated == [])
  }

  @Test func whoseAppIsDownNeedNotTell() {
    let stage = Stage.started()
    stage.tell(.killed(isReboot: false))
    stage.go(from: 0, to: 20_000, seconds: 1_000)
    #expect(stage.violated == [])
  }

  // MARK: Life

  /// A store that has failed may have lost the end of a schedule, which then goes on.
  @Test(arguments: [false, true]) func aClosedAppWithStopOnTerminateRecordsNothing(hasStoreFailed: Bool) {
    let stage = Stage.started()
    if hasStoreFailed { stage.tell(.queue(.refused(device: 0, .other))) }
    stage.tell(.closed)
    stage.tell(.killed(isReboot: false))
    stage.tell(.launched(Launch()))
    stage.upload([stage.insert()])
    #expect(stage.violated.contains(.lifecycle) == !hasStoreFailed)
  }

  @Test func anAppThatIsStartedAgainRecordsAgain() {
    let stage = Stage.started()
    stage.tell(.closed)
    stage.tell(.killed(isReboot: false))
    stage.tell(.launched(Launch()))
    stage.tell(.asked(.start))
    stage.upload([stage.insert()])
    #expect(stage.violated == [])
  }

  /// A command in the answer to an upload makes a record, even if the app may not track (SDK §10.2).
  @Test(arguments: [true, false])
  func anAppThatTheSystemStartsMayNotTrack(isAsked: Bool) {
    let stage = Stage.started()
    stage.tell(.killed(isReboot: true))
    stage.tell(.launched(Launch(isInBackground: true, didReboot: true)))
    if isAsked { stage.tell(.told(.commanded(.resetOdometer))) }
    stage.upload([stage.insert()])
    #expect(stage.violated.contains(.lifecycle) == !isAsked)
  }

  /// A schedule starts what a boot may not start, and its end leaves tracking on.
  @Test func whatAScheduleHasStartedGoesOn() {
    let stage = Stage.started { $0.app.schedule = ["1-7 09:00-17:00"] }
    stage.tell(.asked(.startSchedule))
    stage.tell(.killed(isReboot: true))
    stage.tell(.launched(Launch(isInBackground: true, didReboot: true)))
    stage.tell(.asked(.stopSchedule))
    stage.wait(1_000)
    stage.upload([stage.insert()])
    #expect(!stage.violated.contains(.lifecycle))
  }

  /// An app that its user opens looks for its place anew, and no rest from before goes on. One that has its first position late,
  /// or was blind before its end, may have moved in between.
  @Test(
    arguments: [(true, 0, false), (false, 900, false), (false, 0, false), (false, 0, true)] as [(Bool, Int64, Bool)])
  func anAppThatIsStartedFarFromItsRestMoves(start: (isOpened: Bool, seconds: Int64, isBlind: Bool)) {
    let stage = Stage {
      $0 = Configuration(platform: .ios)
      $0.http.batchSync = true
      $0.app.stopOnTerminate = false
    }
    stage.stay(0)
    stage.tell(.asked(.start))
    stage.event(.motionChange(stage.location(isMoving: false)))
    if start.isBlind {
      var blind = DeviceFault()
      blind.noFix = true
      stage.begin(.device(blind))
      stage.end(.device(blind))
    }
    stage.tell(.killed(isReboot: false))
    if start.isOpened {
      stage.tell(.launched(Launch()))
      stage.tell(.killed(isReboot: false))
    }
    stage.tell(.launched(Launch(isInBackground: true, didReboot: false)))
    stage.pass(seconds: start.seconds)
    stage.event(.motionChange(stage.location(isMoving: false, metresNorth: 800)))
    #expect(stage.violated.contains(.lifecycle) == (!start.isOpened && start.seconds == 0 && !start.isBlind))
  }

  @Test func androidGoesOnWithoutItsApp() {
    let stage = Stage.started { $0.app.stopOnTerminate = false }
    stage.tell(.closed)
    stage.tell(.killed(isReboot: false))
    #expect(stage.violated == [.lifecycle])
  }

  /// The region is around the last known position: an app that has had none is not started.
  @Test(arguments: [(true, true, []), (true, false, [Invariant.lifecycle]), (false, false, [])])
  func iOSStartsTheAppWhenThePhoneLeaves(isLocated: Bool, isStarted: Bool, violated: [Invariant]) {
    let stage = Stage {
      $0 = Configuration(platform: .ios)
      $0.http.batchSync = true
      $0.app.stopOnTerminate = false
    }
    stage.stay(0)
    stage.tell(.asked(.start))
    if isLocated { stage.event(.motionChange(stage.location(isMoving: false))) }
    stage.pass(seconds: 130)
    stage.tell(.closed)
    stage.tell(.killed(isReboot: false))
    var steps = 0
    stage.go(from: 0, to: 2_000, seconds: 200) {
      steps += 1
      if steps == 5 && isStarted { stage.tell(.launched(Launch(isInBackground: true, didReboot: false))) }
    }
    stage.wait(1_000)
    #expect(stage.violated == violated)
  }

  // MARK: Heartbeats

  @Test(arguments: [(60, []), (30, [Invariant.heartbeat]), (400, [.heartbeat])])
  func aPhoneAtRestBeats(seconds: Int, violated: [Invariant]) {
    let stage = Stage.started { $0.app.heartbeatIntervalSeconds = 60 }
    stage.event(.motionChange(stage.location(isMoving: false)))
    for _ in 0..<5 {
      stage.pass(seconds: Int64(seconds))
      stage.event(.heartbeat(stage.location(isMoving: false)))
    }
    #expect(stage.violated == violated)
  }

  /// Without a position it cannot tell that it moves, and heartbeats end with the rest.
  @Test(arguments: [(true, []), (false, [Invariant.heartbeat])])
  func aPhoneThatHasSetOffNeedNotBeat(isGone: Bool, violated: [Invariant]) {
    let stage = Stage.started { $0.app.heartbeatIntervalSeconds = 60 }
    stage.event(.motionChange(stage.location(isMoving: false)))
    if isGone { stage.go(from: 0, to: 200, seconds: 60) }
    stage.wait(400)
    #expect(stage.violated == violated)
  }

  /// An interval that a command sets counts from then on, and not for the rest before it.
  @Test func anIntervalThatIsSetCountsFromThenOn() {
    let stage = Stage.started()
    stage.event(.motionChange(stage.location(isMoving: false)))
    stage.pass(seconds: 4_000)
    var configuration = Runs.configuration(.android)
    configuration.app.heartbeatIntervalSeconds = 60
    stage.tell(.configured(configuration))
    stage.pass(seconds: 10)
    stage.event(.motionChange(stage.location(isMoving: true)))
    #expect(stage.violated == [])
  }

  @Test func aPhoneThatIsNotToBeatDoesNot() {
    let stage = Stage.started()
    stage.event(.heartbeat(stage.location(isMoving: false)))
    #expect(stage.violated == [.heartbeat])
  }

  // MARK: Uploads

  @Test(arguments: [(true, []), (false, [Invariant.uploadDue])])
  func aDrainGoesOnWhileTheServerAnswers(goesOn: Bool, violated: [Invariant]) {
    let stage = Stage { $0.http.maxBatchSize = 1 }
    let records = [stage.insert(), stage.insert()]
    stage.upload([records[0]])
    if goesOn { stage.upload([records[1]]) }
    stage.wait(60)
    stage.wait(60)
    if !goesOn { stage.upload([records[1]]) }
    #expect(stage.violated == violated)
  }

  @Test func aLinkThatIsBackIsAnOccasion() {
    let stage = Stage()
    stage.tell(.network(.none), on: .none)
    let record = stage.insert()
    stage.pass(seconds: 100)
    stage.tell(.network(.lte))
    stage.wait(60)
    stage.upload([record])
    #expect(stage.violated == [.uploadDue])
  }

  /// SDK §12.1.2. What is inserted after it, at the same instant, waits for the threshold.
  @Test(arguments: [true, false])
  func aMotionChangeUploadsBelowTheThreshold(waits: Bool) {
    let stage = Stage { ($0.http.batchSync, $0.http.autoSyncThreshold) = (true, 5) }
    let record = stage.insert()
    if waits { stage.pass(seconds: 1) }
    stage.event(.motionChange(stage.location()))
    stage.wait(60)
    stage.upload([record])
    #expect(stage.violated.contains(.uploadDue) == waits)
  }

  /// HttpConfig 192 and 214: what a motion change would have sent, below the threshold, goes when Wi-Fi comes.
  @Test(arguments: [(true, []), (false, [Invariant.uploadDue])])
  func whatWaitsForWifiGoesThen(isSent: Bool, violated: [Invariant]) {
    let stage = Stage {
      ($0.http.batchSync, $0.http.autoSyncThreshold, $0.http.disableAutoSyncOnCellular) = (true, 5, true)
    }
    stage.tell(.network(.lte), on: .lte)
    let record = stage.insert()
    stage.pass(seconds: 1)
    stage.event(.motionChange(stage.location()))
    stage.pass(seconds: 60)
    stage.tell(.network(.wifi), on: .wifi)
    if !isSent {
      stage.wait(60)
      stage.wait(60)
    }
    let request = stage.send([record], on: .wifi, because: .connectivity)
    stage.serve(request)
    stage.end(request, status: 200)
    stage.delete(record)
    #expect(stage.violated == violated)
  }

  /// SDK §8.5.3: an occasion of a retry, with fewer records than the threshold.
  @Test(arguments: [(true, []), (false, [Invariant.uploadDue])])
  func aFailedUploadIsRetriedBelowTheThreshold(isRetried: Bool, violated: [Invariant]) {
    let stage = Stage {
      ($0.http.batchSync, $0.http.maxBatchSize, $0.http.autoSyncThreshold) = (true, 3, 5)
    }
    let records = (0..<5).map { _ in stage.insert() }
    stage.upload(Array(records[..<3]))
    let rest = Array(records[3...])
    let refused = stage.send(rest)
    stage.pass(seconds: 1)
    stage.serve(refused)
    stage.end(refused, status: 503)
    stage.wait(60)
    if !isRetried { stage.wait(60) }
    let request = stage.send(rest, because: .backgroundFetch)
    stage.serve(request)
    stage.end(request, status: 200)
    for record in rest { stage.delete(record) }
    #expect(stage.violated == violated)
  }

  private func requested(
    headers: [NameValuePair] = [], _ configure: (inout Configuration) -> Void
  ) -> [Invariant] {
    let stage = Stage(configure)
    let record = stage.insert()
    let request = stage.send([record], headers: headers)
    stage.serve(request)
    stage.end(request, status: 200)
    stage.delete(record)
    return stage.violated
  }

  /// What a store could not write is gone with the process.
  @Test(arguments: [(true, []), (false, [Invariant.requestForm])])
  func aChangedConfigurationThatWasNotStoredIsForgotten(isDisturbed: Bool, violated: [Invariant]) {
    let stage = Stage { $0.http.params = .object(["phone": .string("one")]) }
    stage.tell(.asked(.setConfig(.object(["http": .object(["params": .object(["phone": .string("one")])])]))))
    if isDisturbed { stage.tell(.queue(.refused(device: 0, .other))) }
    stage.tell(.killed(isReboot: false))
    stage.tell(.launched(Launch()))
    stage.upload([stage.insert()])
    #expect(stage.violated == violated)
  }

  /// What a command begins goes by the configuration that stood before the next one.
  @Test(arguments: [(0, []), (1, [Invariant.requestForm])] as [(Int64, [Invariant])])
  func aRequestBeforeAChangeInOneAnswer(seconds: Int64, violated: [Invariant]) {
    let stage = Stage { $0.http.params = .object(["phone": .string("one")]) }
    let params = JSONValue.object(["http": .object(["params": .object(["phone": .string("two")])])])
    let record = stage.insert()
    var configuration = Runs.configuration(.android)
    (configuration.http.url, configuration.http.params) = (
      "http://server.example/locations", .object(["phone": .string("two")])
    )
    stage.tell(.told(.commanded(.setConfig(params))))
    stage.tell(.configured(configuration))
    stage.pass(seconds: seconds)
    stage.upload([record])
    #expect(stage.violated.filter { $0 == .requestForm } == violated)
  }

  @Test func headersAndParamsAreThoseOfTheConfiguration() {
    let isPhone = JSONValue.object(["X-Phone": .string("${device.id}"), "X-Number": .integer(3)])
    let right = [NameValuePair("x-phone", "cars-0"), NameValuePair("X-Number", "3")]
    #expect(requested(headers: right) { $0.http.headers = isPhone } == [])
    #expect(requested(headers: [right[0]]) { $0.http.headers = isPhone } == [.requestForm])
    #expect(
      requested(headers: [NameValuePair("X-Phone", "cars-1"), right[1]]) { $0.http.headers = isPhone } == [.requestForm]
    )
    #expect(requested { $0.http.params = .object(["company": .string("${device.fleet}")]) } == [.requestForm])
    #expect(requested { $0.http.method = .put } == [.requestForm])
    #expect(requested { $0.http.batchSync = false }.contains(.requestForm))
  }

  /// There was no time for the queues to empty: that is no fault of the phones.
  @Test func aRunThatIsEndedByASignalSaysNothingOfItsQueues() throws {
    let text = """
      { version: 1, name: "cut", seed: 3, clock: { duration: "4h", settle: "30m" },
        fleets: { cars: { devices: 3, motion: "driving", network: "none" } } }
      """
    let setup = try RunSetup(ScenarioReader().read(text).scenario)
    let interruption = Interruption()
    let run = try FleetRun(setup, to: .inside(Runs.store()), interruption: interruption, watchers: [])
    let report = try run.run { _, sums in
      if sums.created > 1_000 { interruption.request() }
    }
    #expect(report.ending == .signal && report.sums.pending > 0)
    #expect(report.violations == [])
    let drain = try #require(report.invariants.first { $0.invariant == .drain })
    #expect(drain.verdict == .notJudged("the run was ended before the queues were empty"))
  }
}
