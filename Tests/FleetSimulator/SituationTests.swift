import Base
import Contract
import Engine
import Host
import Oracle
import Queue
import Scenario
import Testing
import Upload
import Vocabulary

@testable import FleetSimulator

/// Rules about situations that a run brings about only when its scenario asks for them: boots, launches by the system, less
/// than all permissions, and queues that keep only some records.
@Suite struct SituationTests {
  private func started(
    _ platform: DevicePlatform = .android, _ configure: (inout Configuration) -> Void
  ) -> Stage {
    let stage = Stage(platform: platform, configure)
    stage.stay(0)
    stage.tell(.asked(.start))
    stage.pass(seconds: 10)
    return stage
  }

  private func boot(_ stage: Stage) {
    stage.tell(.killed(isReboot: true))
    stage.pass(seconds: 60)
    stage.tell(.launched(Launch(isInBackground: true, didReboot: true)))
  }

  private func rest(at metresNorth: Double, _ stage: Stage) {
    var record = stage.location(isMoving: false)
    let place = Stage.place(metresNorth)
    record.coords = Coordinates(latitude: place.latitude, longitude: place.longitude)
    stage.event(.motionChange(record))
  }

  @Test(arguments: [(true, []), (false, [Invariant.lifecycle])])
  func androidRecordsAfterABootOnlyWithStartOnBoot(boots: Bool, violated: [Invariant]) {
    let stage = started {
      $0.app.stopOnTerminate = false
      $0.app.startOnBoot = boots
    }
    boot(stage)
    stage.upload([stage.insert()])
    #expect(stage.violated == violated)
  }

  @Test(arguments: [true, false])
  func anAppThatTheSystemHasLaunchedRestsUntilItIsAskedToStart(isAsked: Bool) {
    let stage = Stage()
    let waiting = stage.insert()
    stage.tell(.kept(EngineState()))
    stage.tell(.killed(isReboot: true))
    stage.tell(.kept(EngineState()))
    stage.tell(.launched(Launch(isInBackground: true, didReboot: true)))
    let request = stage.send([waiting])
    stage.serve(request)
    stage.end(request, status: 200, body: isAsked ? "{\"background_geolocation\":[[\"start\"]]}" : "{}")
    stage.delete(waiting)
    if isAsked { stage.tell(.told(.commanded(.start))) }
    stage.upload([stage.insert()])
    #expect(stage.violated == (isAsked ? [] : [.lifecycle]))
  }

  /// 150 m of region, and 50 m until the phone is sure (SDK §12.5).
  @Test(arguments: [(150, []), (300, [Invariant.lifecycle])] as [(Double, [Invariant])])
  func anAppThatTheSystemStartsFarFromTheLastRestDoesNotRestOn(metres: Double, violated: [Invariant]) {
    let stage = started(.ios) { $0.app.stopOnTerminate = false }
    rest(at: 0, stage)
    boot(stage)
    rest(at: metres, stage)
    #expect(stage.violated == violated)
  }

  /// A process that had no position for long may have set off and come to rest without a record of either (SDK §12.6.4): the
  /// place of its last rest is unknown, to the next process too.
  @Test(arguments: [(900, []), (60, [Invariant.lifecycle])] as [(Int64, [Invariant])])
  func aProcessWithoutAPositionMayHaveRestedElsewhere(seconds: Int64, violated: [Invariant]) {
    let stage = started(.ios) { $0.app.stopOnTerminate = false }
    rest(at: 0, stage)
    boot(stage)
    stage.pass(seconds: seconds)
    boot(stage)
    rest(at: 300, stage)
    #expect(stage.violated == violated)
  }

  /// A rest that the store could not write is none for the next process (SDK §19.1).
  @Test func aRestThatTheStoreDidNotKeepIsNone() throws {
    let full = try Stage.fullDisk()
    let stage = started(.ios) { $0.app.stopOnTerminate = false }
    stage.begin(full)
    rest(at: 0, stage)
    stage.end(full)
    boot(stage)
    rest(at: 300, stage)
    #expect(stage.violated == [])
  }

  /// A window of a schedule that has another mode begins as a start does.
  @Test func aWindowThatBeginsBeginsAtRest() {
    let stage = started(.ios) { $0.app.stopOnTerminate = false }
    rest(at: 0, stage)
    boot(stage)
    stage.event(.schedule(EngineState()))
    rest(at: 300, stage)
    #expect(stage.violated == [])
  }

  /// Without a position there is no record of its setting off.
  @Test func anAppThatTheSystemStartsHasGoneOnMeanwhile() {
    let stage = started(.ios) { $0.app.stopOnTerminate = false }
    rest(at: 0, stage)
    boot(stage)
    stage.event(.location(stage.location(isMoving: true)))
    rest(at: 300, stage)
    #expect(stage.violated == [])
  }

  @Test func anAppThatItsUserStartsMayRestWhereItIs() {
    let stage = started(.ios) { $0.app.stopOnTerminate = false }
    rest(at: 0, stage)
    stage.tell(.killed(isReboot: false))
    stage.tell(.launched(Launch()))
    rest(at: 300, stage)
    #expect(stage.violated == [])
  }

  /// What starts the app of a phone that has left its place cannot do so while the phone is off.
  @Test(arguments: [(true, []), (false, [Invariant.lifecycle])])
  func aPhoneThatIsOffNeedNotStartItsApp(isOff: Bool, violated: [Invariant]) {
    var reboot = LifecycleFault()
    reboot.reboot = true
    let stage = Stage(platform: .ios) {
      $0.app.stopOnTerminate = false
    }
    stage.stay(0)
    stage.tell(.asked(.start))
    stage.event(.motionChange(stage.location(isMoving: false)))
    stage.pass(seconds: 130)
    stage.tell(.closed)
    stage.tell(.killed(isReboot: false))
    var steps = 0
    stage.go(from: 0, to: 2_000, seconds: 200) {
      steps += 1
      if steps == 10 && isOff { stage.begin(.lifecycle(reboot)) }
    }
    stage.pass(seconds: 1_000)
    stage.tell(.fetched)
    #expect(stage.violated == violated)
  }

  @Test(arguments: [
    (PersistMode.all, false, []), (.location, false, []), (.geofence, false, [Invariant.bounds]),
    (.none, false, [.bounds]), (.location, true, [.bounds]), (.geofence, true, []), (.none, true, [.bounds]),
  ])
  func aQueueKeepsWhatPersistModeSays(mode: PersistMode, isCrossing: Bool, violated: [Invariant]) {
    let stage = Stage { $0.persistence.persistMode = mode }
    let row = stage.insert()
    let model = stage.location()
    var record = LocationRecord(
      uuid: row.uuid, timestamp: model.timestamp, isMoving: true, odometer: 0, coords: model.coords,
      activity: model.activity, battery: model.battery)
    if isCrossing {
      record.geofence = GeofenceTrigger(identifier: "depot", action: .enter, timestamp: record.timestamp)
    }
    stage.event(.location(record))
    stage.upload([row])
    #expect(stage.violated == violated)
  }

  /// `persist` of a call wins over the mode, and a new odometer makes a record by such a call (SDK §7.3.2).
  @Test(arguments: [(10, []), (1_000, [Invariant.bounds])])
  func theRecordOfANewOdometerIsKeptInEveryMode(afterSeconds: Int, violated: [Invariant]) {
    let stage = Stage { $0.persistence.persistMode = .none }
    stage.tell(.asked(.resetOdometer))
    stage.pass(seconds: Int64(afterSeconds))
    let row = stage.insert()
    let model = stage.location()
    stage.event(
      .location(
        LocationRecord(
          uuid: row.uuid, timestamp: model.timestamp, isMoving: true, odometer: 0, coords: model.coords,
          activity: model.activity, battery: model.battery)))
    stage.upload([row])
    #expect(stage.violated.filter { $0 == .bounds } == violated)
  }

  @Test(
    arguments: [(LocationAuthorizationRequest.always, []), (.whenInUse, [Invariant.geofence])]
      as [(LocationAuthorizationRequest, [Invariant])])
  func fencesAreMonitoredWithAlwaysOnly(asked: LocationAuthorizationRequest, violated: [Invariant]) {
    let stage = Stage { $0.geolocation.locationAuthorizationRequest = asked }
    let fence = Geofence(
      identifier: "depot", shape: .circle(center: Geofence.Vertex(latitude: 1, longitude: 2), radiusMetres: 200))
    stage.event(.geofencesChange(on: [fence], off: []))
    #expect(stage.violated == violated)
  }

  @Test(arguments: [(true, [Invariant.identity]), (false, [])])
  func thePositionOfAMotionChangeIsOneRecord(isKeptTwice: Bool, violated: [Invariant]) {
    let stage = Stage()
    stage.event(.motionChange(stage.location()))
    let row = stage.insert()
    let model = stage.location()
    let copy = LocationRecord(
      uuid: isKeptTwice ? row.uuid : UUID128(high: 7, low: 7), timestamp: model.timestamp, isMoving: true, odometer: 0,
      coords: model.coords, activity: model.activity, battery: model.battery)
    stage.event(.location(copy))
    stage.upload([row])
    #expect(stage.violated == violated)
  }

  /// At rest, started by iOS (SDK §18.2, §18.3).
  @Test(arguments: [
    (false, true, false, 1, [Invariant.heartbeat]), (false, true, false, 4, [.heartbeat]), (true, true, false, 3, []),
    (true, true, false, 9, [.heartbeat]), (true, true, true, 9, []), (true, false, true, 1, [.heartbeat]),
  ])
  func iOSBeatsInTheBackgroundOnlyAsLongAsItMay(
    preventsSuspend: Bool, pauses: Bool, isCharging: Bool, beats: Int, violated: [Invariant]
  ) {
    let stage = started(.ios) {
      $0.app.stopOnTerminate = false
      $0.app.heartbeatIntervalSeconds = 60
      $0.app.preventSuspend = preventsSuspend
      $0.geolocation.pausesLocationUpdatesAutomatically = pauses
    }
    boot(stage)
    rest(at: 0, stage)
    for _ in 0..<beats {
      stage.pass(seconds: 60)
      var record = stage.location(isMoving: false)
      record.battery = Battery(level: nil, isCharging: isCharging)
      stage.event(.heartbeat(record))
    }
    #expect(stage.violated == violated)
  }

  /// The two minutes of an unplugged phone begin when it is unplugged.
  @Test(arguments: [(3, []), (9, [Invariant.heartbeat])])
  func iOSGoesOnBeatingWhenItIsUnplugged(beats: Int, violated: [Invariant]) {
    let stage = started(.ios) {
      ($0.app.stopOnTerminate, $0.app.heartbeatIntervalSeconds, $0.app.preventSuspend) = (false, 60, true)
    }
    boot(stage)
    rest(at: 0, stage)
    for beat in 0..<20 + beats {
      stage.pass(seconds: 60)
      var record = stage.location(isMoving: false)
      record.battery = Battery(level: nil, isCharging: beat < 20)
      stage.event(.heartbeat(record))
    }
    #expect(stage.violated == violated)
  }

  /// What the answer's commands begin they begin behind the refusal (SDK §8.5, §9.2).
  @Test(arguments: [(Command.startGeofences, []), (.destroyLog, [Invariant.boundedEffort])])
  func aCommandOfARefusalMayBeginAFlush(command: Command, violated: [Invariant]) {
    let stage = Stage()
    let record = stage.insert()
    let first = stage.send([record])
    stage.serve(first)
    stage.end(first, status: 503)
    stage.tell(.told(.commanded(command)))
    stage.upload([record])
    #expect(stage.violated.filter { $0 == .boundedEffort } == violated)
  }

  /// The app is closed between two beats.
  @Test(arguments: [(FlushTrigger.heartbeat, false), (.insert, true)])
  func aBeatBehindTheClosingOfAnAppBeginsAFlush(trigger: FlushTrigger, isViolated: Bool) {
    let stage = Stage()
    let first = stage.send([], .refresh)
    stage.tell(.closed)
    stage.pass(seconds: 3)
    stage.end(first, status: 401)
    stage.pass(seconds: 57)
    stage.send([], .refresh, because: trigger)
    #expect(stage.violated.contains(.auth) == isViolated)
  }

  /// SDK §11.5. A flush refreshes once, and a new token is good from its refresh on.
  @Test(arguments: [
    (600.0, true, Int64(590), false), (600, true, 610, true), (600, false, 610, false), (-1, true, 610, false),
  ])
  func anUploadBeginsWithATokenThatHasExpired(
    expires: Double, canRefresh: Bool, seconds: Int64, isViolated: Bool
  ) {
    // A refresh before the end is itself a mistake.
    for refreshes in isViolated ? [false, true] : [false] {
      let stage = Stage {
        $0.authorization.accessToken = "the token"
        $0.authorization.expires = expires
        $0.authorization.refreshUrl = canRefresh ? "http://server.example/refresh" : nil
      }
      stage.pass(seconds: seconds)
      if refreshes { stage.end(stage.send([], .refresh), status: 200) }
      stage.tell(.killed(isReboot: true))
      stage.tell(.launched(Launch()))
      stage.send([stage.insert()], headers: [NameValuePair("Authorization", "Bearer the token")])
      #expect(stage.violated.contains(.auth) == (isViolated && !refreshes))
    }
  }

  /// A queue needs as many requests as it has pages, which a command may make smaller when the faults are over.
  @Test(arguments: [true, false]) func pagesThatACommandMakesSmaller(isConfigured: Bool) {
    var smaller = Runs.configuration(.android)
    let stage = Stage {
      ($0.http.batchSync, $0.http.maxBatchSize) = (true, 20)
      smaller = $0
      smaller.http.maxBatchSize = 1
    }
    let records = (0..<40).map { _ in stage.insert() }
    stage.tell(.healed)
    if isConfigured { stage.tell(.configured(smaller)) }
    for record in records { stage.upload([record]) }
    #expect(stage.violated.contains(.boundedEffort) == !isConfigured)
  }

  /// A server that refuses all is asked until the end: by the app, and by no phone of its own accord.
  @Test(arguments: [true, false]) func whatTheAppAsksForBehindTheDrivesNeedsNoOtherReason(isAsked: Bool) {
    let stage = Stage { $0.http.autoSync = false }
    let record = stage.insert()
    stage.tell(.healed)
    for _ in 0..<20 {
      stage.pass(seconds: 15)
      if isAsked { stage.tell(.askedToSync) }
      let request = stage.send([record], because: .manual)
      stage.serve(request)
      stage.end(request, status: 503)
    }
    #expect(stage.violated.contains(.boundedEffort) == !isAsked, "\(stage.violated)")
  }

  /// An empty schedule ends the one that is on, and a launch does not start it (SDK §16.3.7).
  @Test(arguments: [true, false]) func aScheduleThatHasBeenEmptied(isEmptied: Bool) {
    var configuration = Runs.configuration(.android)
    (configuration.app.schedule, configuration.app.stopOnTerminate) = (["2 09:00-17:00"], false)
    let stage = Stage { $0.app = configuration.app }
    stage.tell(.asked(.startSchedule))
    var state = EngineState()
    state.isEnabled = true
    stage.event(.schedule(state))
    if isEmptied {
      var changed = configuration
      changed.app.schedule = []
      stage.tell(.configured(changed))
    }
    stage.tell(.killed(isReboot: false))
    stage.tell(.launched(Launch()))
    stage.tell(.configured(configuration))
    stage.pass(seconds: 1_000)
    stage.event(.schedule(EngineState()))
    #expect(stage.violated.contains(.schedule) == !isEmptied)
  }

  /// The tenth record behind a failed upload begins the next (SDK §9.3), behind all records of its instant.
  @Test(arguments: [(false, []), (true, [Invariant.noWedge])])
  func theTenthRecordComesWithOthers(isLater: Bool, violated: [Invariant]) {
    let stage = Stage()
    let first = stage.insert()
    stage.end(stage.send([first]), status: 503)
    for _ in 0..<9 {
      stage.pass(seconds: 20)
      stage.insert()
    }
    stage.pass(seconds: 20)
    for _ in 0..<3 { stage.insert() }
    if isLater {
      stage.pass(seconds: 20)
      stage.insert()
    }
    stage.send([first])
    #expect(stage.violated.filter { $0 == .noWedge } == violated)
  }

  /// `sync()` does not ask for the network, and nothing else may upload over this one (SDK §8.5.5).
  @Test(arguments: [nil, 0, 60], [FlushTrigger.manual, .insert])
  func aSyncGoesOverAnyNetwork(askedSecondsAgo: Int64?, trigger: FlushTrigger) {
    let stage = Stage { $0.http.disableAutoSyncOnCellular = true }
    let records = [stage.insert(), stage.insert()]
    if let askedSecondsAgo {
      stage.tell(.askedToSync)
      stage.pass(seconds: askedSecondsAgo)
    }
    // Also with its second page.
    for record in records {
      let request = stage.send([record], because: trigger)
      stage.pass(seconds: 1)
      stage.end(request, status: 200)
      stage.delete(record)
    }
    #expect(stage.violated.contains(.cellularPolicy) == !(askedSecondsAgo == 0 && trigger == .manual))
  }
}
