import Base
import Contract
import Engine
import Host
import Queue
import Scenario
import Testing
import Upload
import Vocabulary
import World

@testable import FleetSimulator
@testable import Oracle

/// Each invariant is violated by what violates it, and by nothing else.
@Suite struct InvariantTests {
  @Test func aDeviceThatDoesWhatItShouldViolatesNothing() {
    let stage = Stage()
    for _ in 0..<5 {
      stage.upload([stage.insert(), stage.insert()])
      stage.pass(seconds: 10)
    }
    #expect(stage.violated == [])
  }

  @Test func aRecordFromNowhereIsSent() {
    let stage = Stage()
    let record = stage.insert()
    stage.upload([record])
    stage.send([record])
    #expect(stage.violated == [.conservation])
  }

  @Test(arguments: [nil, 500])
  func aRecordIsDeletedTooEarly(status: Int?) {
    let stage = Stage()
    let record = stage.insert()
    let request = stage.send([record])
    stage.serve(request)
    if let status { stage.end(request, status: status) }
    stage.delete(record)
    #expect(stage.violated == [.noDeleteBeforeAck])
  }

  @Test func theWrongRecordIsDeleted() {
    let stage = Stage()
    let records = [stage.insert(), stage.insert()]
    let request = stage.send([records[0]])
    stage.serve(request)
    stage.end(request, status: 200)
    stage.delete(records[0])
    stage.delete(records[1])
    #expect(stage.violated == [.noDeleteBeforeAck])
  }

  @Test(arguments: [0, 1, 3])
  func aRecordChangesOnItsWay(afterSoundOnes count: Int) {
    let stage = Stage()
    for _ in 0..<count { stage.upload([stage.insert()]) }
    #expect(stage.violated == [])
    var record = stage.insert()
    record.bytes[record.bytes.count - 3] = UInt8(ascii: "3")
    stage.upload([record])
    #expect(stage.violated == [.byteIdentity])
  }

  @Test func aRecordArrivesTwiceForNoReason() {
    let stage = Stage()
    let record = stage.insert()
    let first = stage.send([record])
    stage.serve(first)
    stage.end(first, status: 200)
    stage.pass(seconds: 1)
    let second = stage.send([record])
    stage.serve(second)
    stage.end(second, status: 200)
    stage.delete(record)
    #expect(stage.violated == [.explainedDuplicates])
    #expect(stage.oracle.ledger.sums.duplicatesUnexplained == 1)
  }

  @Test func aRecordWhoseAnswerWasLostMayArriveTwice() {
    let stage = Stage()
    let record = stage.insert()
    let first = stage.send([record])
    stage.serve(first)
    stage.tell(.ended(request: first, .failed(.reset, message: "")))
    stage.tell(.network(.wifi), on: .wifi)
    stage.upload([record])
    #expect(stage.violated == [])
    #expect(stage.oracle.ledger.sums.duplicatesExplained == 1)
  }

  @Test func twoUploadsAreUnderWay() {
    let stage = Stage()
    stage.send([stage.insert()])
    stage.send([stage.insert()])
    #expect(stage.violated.contains(.singleFlight))
  }

  @Test func aRequestHoldsTooMany() {
    let stage = Stage { $0.http.maxBatchSize = 2 }
    stage.upload([stage.insert(), stage.insert(), stage.insert()])
    #expect(stage.violated == [.batchBounds])
  }

  @Test func aRequestIsEmpty() {
    let stage = Stage()
    stage.upload([])
    #expect(stage.violated == [.batchBounds, .triggerLegality])
  }

  @Test func anOlderRecordIsPassedOver() {
    let stage = Stage()
    let records = [stage.insert(), stage.insert()]
    stage.upload([records[1]])
    stage.upload([records[0]])
    #expect(stage.violated == [.order])
  }

  @Test func anUploadBeginsBelowTheThreshold() {
    let stage = Stage { $0.http.autoSyncThreshold = 5 }
    stage.upload([stage.insert()])
    #expect(stage.violated == [.triggerLegality])
  }

  /// A record that was refused at a motion change, and then another upload for this reason.
  @Test(arguments: FlushTrigger.allCases.filter { $0 != .manual }, [true, false])
  func onlyARetryOfWhatHasFailedKnowsNoThreshold(trigger: FlushTrigger, hasFailed: Bool) {
    let stage = Stage { $0.http.autoSyncThreshold = 5 }
    let record = stage.insert()
    if hasFailed {
      stage.event(.motionChange(stage.location()))
      stage.end(stage.send([record]), status: 500)
    }
    stage.pass(seconds: 60)
    stage.event(.heartbeat(stage.location()))
    stage.send([record], because: trigger)
    let retries: [FlushTrigger] = [.insert, .appResume, .ready, .connectivity, .heartbeat, .backgroundFetch]
    #expect(stage.violated.contains(.triggerLegality) == !(hasFailed && retries.contains(trigger)))
  }

  /// A `sync()` without a network is an upload that has failed.
  @Test(arguments: [true, false])
  func whatASyncCouldNotSendIsRetriedBelowTheThreshold(isAsked: Bool) {
    let stage = Stage { $0.http.autoSyncThreshold = 5 }
    let record = stage.insert()
    if isAsked { stage.tell(.askedToSync, on: .none) }
    stage.pass(seconds: 60)
    stage.send([record], because: .connectivity)
    #expect(stage.violated.contains(.triggerLegality) == !isAsked)
  }

  @Test func aMotionChangeKnowsNoThreshold() {
    let stage = Stage { $0.http.autoSyncThreshold = 5 }
    let record = stage.insert()
    stage.event(.motionChange(stage.location()))
    stage.upload([record])
    #expect(stage.violated == [])
  }

  @Test func anUploadGoesOverTheWrongNetwork() {
    let stage = Stage { $0.http.disableAutoSyncOnCellular = true }
    let record = stage.insert()
    stage.upload([record])
    #expect(stage.violated == [.cellularPolicy])
  }

  @Test func anUploadOfAnExpiredRecordIsAViolation() {
    let stage = Stage { $0.persistence.maxDaysToPersist = 1 }
    let record = stage.insert()
    stage.pass(seconds: 25 * 3_600 + 1)
    stage.upload([record])
    #expect(stage.violated.contains(.bounds))
  }

  @Test func aQueueIsNotEmptyInTheEnd() {
    let stage = Stage()
    stage.insert()
    #expect(stage.violated == [.drain])
  }

  /// What the drives have brought says nothing of a server that refuses all that comes after them.
  @Test(arguments: [429, 413, 200]) func aQueueThatIsRefusedIsNotDraining(status: Int) {
    let stage = Stage { $0.http.autoSync = false }
    stage.upload([stage.insert()])
    let (first, last) = (stage.insert(), stage.insert())
    stage.pass(seconds: 1)
    stage.tell(.healed)
    let request = stage.send([first], because: .manual)
    stage.serve(request)
    stage.end(request, status: status)
    if status == 200 { stage.delete(first) }
    stage.pass(seconds: 15)
    #expect(stage.violated.contains(.drain) == (status != 200), "\(last.uuid)")
  }

  @Test func nothingIsSentAnyMore() {
    let stage = Stage()
    for _ in 0..<20 {
      stage.insert()
      stage.pass(seconds: 10)
    }
    #expect(stage.violated == [.drain, .noWedge, .uploadDue])
  }

  @Test func aRefusedUploadIsSentAgainAtOnce() {
    let stage = Stage()
    let record = stage.insert()
    let first = stage.send([record])
    stage.serve(first)
    stage.end(first, status: 503)
    stage.upload([record])
    #expect(stage.violated == [.boundedEffort])
  }

  /// With those that a command asked for there are more than were waiting.
  @Test func recordsThatAreMadeAfterHealingMayBeSentToo() {
    let stage = Stage()
    stage.tell(.healed)
    for _ in 0..<30 { stage.upload([stage.insert()]) }
    #expect(stage.violated == [])
  }

  @Test func aBackgroundFetchIsAnOccasionToSendAgain() {
    let stage = Stage { $0.http.autoSync = true }
    let record = stage.insert()
    let first = stage.send([record])
    stage.serve(first)
    stage.end(first, status: 503)
    stage.pass(seconds: 900)
    stage.tell(.fetched)
    stage.upload([record])
    #expect(stage.violated == [])
  }

  @Test func aQueueThatNeverReachesTheThresholdNeedNotBeSent() {
    let stage = Stage { ($0.http.autoSyncThreshold, $0.persistence.maxRecordsToPersist) = (2, 1) }
    var last = stage.insert()
    for _ in 0..<20 {
      stage.pass(seconds: 10)
      let next = stage.insert()
      stage.delete(last, .room)
      last = next
    }
    stage.pass(seconds: 10)
    stage.event(.motionChange(stage.location()))
    stage.upload([last])
    #expect(stage.violated == [])
  }

  @Test func movingBeginsTwice() {
    let stage = Stage()
    stage.pass(seconds: 600)
    stage.event(.motionChange(stage.location()))
    stage.pass(seconds: 600)
    stage.event(.motionChange(stage.location()))
    #expect(stage.violated == [.motion])
  }

  @Test func aDeviceAtRestGoesOnRecording() {
    let stage = Stage()
    stage.pass(seconds: 600)
    stage.event(.location(stage.location(isMoving: false)))
    #expect(stage.violated == [.motion])
  }

  @Test func theOdometerGoesBack() {
    let stage = Stage()
    stage.event(.location(stage.location(odometer: 100)))
    stage.event(.location(stage.location(odometer: 90)))
    #expect(stage.violated == [.odometerTolerance])
  }

  /// What a full disk did not take is gone with the app; what it took is not.
  @Test(arguments: [true, false])
  func theOdometerBeginsAgainWhereItWasKept(isRefused: Bool) {
    let stage = Stage()
    var state = EngineState()
    state.odometerMetres = 40
    stage.event(.location(stage.location(odometer: 100)))
    if isRefused { stage.tell(.queue(.refused(device: 0, .other))) }
    stage.tell(.killed(isReboot: false))
    stage.tell(.kept(state))
    stage.tell(.launched(Launch()))
    stage.event(.location(stage.location(odometer: 50)))
    #expect(stage.violated == (isRefused ? [] : [.odometerTolerance]))
  }

  @Test func aFenceIsEnteredTwice() throws {
    let stage = Stage()
    let center = Geofence.Vertex(latitude: 1, longitude: 2)
    let fence = Geofence(identifier: "depot", shape: .circle(center: center, radiusMetres: 200))
    var record = stage.location()
    record.geofence = GeofenceTrigger(identifier: "depot", action: .enter, timestamp: record.timestamp)
    stage.event(.geofence(record, fence))
    stage.event(.geofence(record, fence))
    #expect(stage.violated == [.geofence])
  }

  /// It is ten o'clock on a Monday.
  @Test(arguments: [("2 12:00-13:00", true), ("2 09:00-17:00", false)])
  func aScheduleIsNotKept(schedule: String, isEnabled: Bool) {
    let stage = Stage { $0.app.schedule = [schedule] }
    stage.tell(.asked(.startSchedule))
    stage.pass(seconds: 700)
    var state = EngineState()
    state.isEnabled = isEnabled
    stage.event(.schedule(state))
    #expect(stage.violated == [.schedule])
  }

  @Test func somethingIsRecordedWhileTheAppIsDead() {
    let stage = Stage()
    stage.tell(.killed(isReboot: false))
    stage.insert()
    #expect(stage.violated == [.drain, .lifecycle])
  }

  @Test func aLostSavedStateIsAViolation() {
    let stage = Stage()
    var state = EngineState()
    state.odometerMetres = 5
    stage.tell(.kept(state))
    stage.tell(.killed(isReboot: true))
    stage.tell(.kept(EngineState()))
    stage.tell(.launched(Launch()))
    #expect(stage.violated == [.lifecycle])
  }

  @Test func aFlushRefreshesTwice() {
    let stage = Stage()
    for _ in 0..<2 {
      let request = stage.send([], .refresh)
      stage.pass(seconds: 1)
      stage.end(request, status: 200)
    }
    #expect(stage.violated == [.auth])
  }

  /// SDK §11.6: a beat of a process without a position is not told, and begins a flush like any other. A flush that goes on
  /// for longer than its first refresh is the same one.
  @Test(arguments: [401, 200], [(FlushTrigger.heartbeat, Int64(0)), (.heartbeat, 70), (.insert, 0)])
  func aRefreshFollowsAnotherOneAtABeatThatIsNotTold(status: Int, again: (trigger: FlushTrigger, secondsAgo: Int64)) {
    let stage = Stage()
    let first = stage.send([], .refresh)
    stage.pass(seconds: 1)
    stage.end(first, status: status)
    stage.pass(seconds: 59)
    stage.send([], .refresh, because: again.trigger, secondsAgo: again.secondsAgo)
    #expect(stage.violated.contains(.auth) == (again.trigger != .heartbeat || again.secondsAgo > 0))
  }

  /// An app may call `sync()` at any time.
  @Test func aRefreshThatASyncAsksFor() {
    let stage = Stage()
    let first = stage.send([], .refresh)
    stage.end(first, status: 401)
    stage.pass(seconds: 1)
    stage.tell(.askedToSync)
    stage.send([], .refresh, because: .manual)
    #expect(!stage.violated.contains(.auth))
  }

  /// The watchdog has ended the flush of the first one.
  @Test func aRefreshThatWasGivenUpMayBeAskedForAgain() {
    let stage = Stage()
    stage.send([], .refresh)
    stage.pass(seconds: 65)
    stage.insert()
    let again = stage.send([], .refresh)
    stage.end(again, status: 200)
    #expect(!stage.violated.contains(.auth))
  }

  @Test func aRequestHasNoEnd() {
    let stage = Stage()
    stage.send([], .log)
    stage.pass(seconds: 100)
    #expect(stage.violated == [.resources])
  }

  @Test func aDisabledInvariantIsNotJudged() throws {
    var setup = Runs.setup(seed: 1, Runs.drivers(1))
    setup.invariants = [.drain]
    let report = try Runs.run(setup)
    #expect(report.invariants.filter { $0.verdict == .held }.map(\.invariant) == [.drain])
    #expect(report.invariants.count == Invariant.allCases.count)
  }

  @Test func aPortalIsToldFromTheServer() {
    let stage = Stage()
    let record = stage.insert()
    let request = stage.send([record])
    stage.end(request, status: 200, body: "<html>Welcome</html>")
    stage.delete(record)
    #expect(stage.oracle.ledger.pages[0].answer?.isServers == false)
  }
}
