package import Base
package import Database
import Host
import IngestServer
package import Oracle
import Queue
import Scenario
package import Store

/// A run, in one thread. Against the in-process server everything is ordered by (time, device), in virtual time, without
/// outside input; against an external one the devices follow the machine's clock.
package final class FleetRun {
  let setup: RunSetup
  let shared: RunContext
  let devices: PerDevice<SimulatedDevice>
  let fleets: [Range<Int>]
  let sharedFleets: [SharedFleet]
  let steering: RunSteering?
  /// Acts that are pending, in order.
  var dueActs: [DueAct]
  /// The end of the drives, unless something ends them sooner.
  var drivesEnd: MonotonicInstant
  var isAborted = false
  var isPaused = false
  /// The source of the views of a watched run.
  let room: RoomWatch?
  let measures: Measures?
  let errors: ErrorWatch?
  let viewClock = SystemClock()
  var viewDue = MonotonicInstant(nanoseconds: 0)
  var now = FleetRun.zero
  var queue = EventQueue([])
  private(set) var phase = Phase.driving
  /// The time at which the drives and the faults ended.
  private var healed = FleetRun.zero
  private var turns = 0
  var trackRecorder: TrackRecorder
  /// The lag of turns, in microseconds of the machine's clock; empty in virtual time.
  var generatorLag = Histogram(highestTrackableValue: 3_600_000_000)
  let interruption: Interruption
  /// Checked every few events, as reading it takes a lock.
  var isInterrupted = false {
    didSet { if isInterrupted && !oldValue { beginGrace() } }
  }
  /// The end of the draining of an interrupted run.
  private var graceEnd: MonotonicInstant?

  /// The phase of a run.
  enum Phase { case driving, settling, over }

  /// More turns than this at one instant are a livelock.
  var turnsAtOnceMax = 1_000_000

  private static let turnsPerProgress = 4_096
  /// Smaller in lockstep, where each event may wait for an answer.
  private static let eventsPerLook = 512
  private static let zero = MonotonicInstant(nanoseconds: 0)

  /// Makes a run against the in-process server; `store` holds its records.
  package convenience init(_ setup: RunSetup, store: any Store) throws(DatabaseError) {
    try self.init(setup, to: .inside(store), watchers: [])
  }

  package convenience init(_ setup: RunSetup, store: any Store, watchers: [any Watcher]) throws(DatabaseError) {
    try self.init(setup, to: .inside(store), watchers: watchers)
  }

  /// Makes a run against a server outside the process.
  package convenience init(
    _ setup: RunSetup, over transport: FleetTransport, factor: Double = 1, interruption: Interruption = Interruption()
  ) throws(DatabaseError) {
    try self.init(
      setup, to: .outside(transport, factor: factor, TargetAccess()), interruption: interruption, watchers: [])
  }

  /// `watchers` receive every event from the first launch on; `steering` is the interface through which people act on
  /// the run and view it.
  package init(
    _ setup: RunSetup, to destination: RunDestination, interruption: Interruption = Interruption(),
    watchers: [any Watcher], steering: RunSteering? = nil
  ) throws(DatabaseError) {
    self.interruption = interruption
    self.setup = setup
    self.steering = steering
    dueActs = setup.acts.map { DueAct(instant: FleetRun.zero + $0.start, change: $0.change) }
    drivesEnd = FleetRun.zero + setup.duration
    (measures, errors) = (
      watchers.lazy.compactMap { $0 as? Measures }.first, watchers.lazy.compactMap { $0 as? ErrorWatch }.first
    )
    var watchers = watchers
    if let recording = steering?.recording { watchers.append(recording) }
    room = steering.map { _ in RoomWatch(phones: setup.deviceNames.count) }
    if let room { watchers.append(room) }
    let names = setup.deviceNames
    // The queues of many devices can exceed a machine's memory.
    let database = try QueueDatabase(
      path: StoreConfiguration.scratch.spillsToDisk ? "" : ":memory:", commits: .grouped)
    shared = RunContext(setup, to: destination, database: database, names: names, watchers: watchers)
    if let carrier = shared.carrier {
      measures?.watchConnections { carrier.openConnections }
    }
    if let transport = shared.lockstep?.transport {
      transport.interruption = interruption
      interruption.onRequest(transport.alarm)
    }
    var (fleets, places): ([Range<Int>], [(fleet: SharedFleet, index: Int)]) = ([], [])
    sharedFleets = setup.fleets.map { SharedFleet($0) }
    for fleet in sharedFleets {
      let simulated = fleet.setup.simulated
      fleets.append(places.count..<places.count + simulated.count)
      places += simulated.map { (fleet, $0) }
    }
    self.fleets = fleets
    let mapped = setup.membersOnMap()
    trackRecorder = TrackRecorder(
      of: zip(fleets, mapped).flatMap { fleet, members in fleet.filter { members.contains(places[$0].index) } },
      span: setup.duration)
    let shared = shared
    devices = try PerDevice(count: places.count) { device throws(DatabaseError) in
      try SimulatedDevice(device, index: places[device].index, of: places[device].fleet, in: shared)
    }
    queue = EventQueue(devices.indices.map { devices[$0].next(after: now) })
  }

  /// Records the history of the violating records in a second run with the same seed.
  convenience init(_ setup: RunSetup, store: any Store, following violations: [Violation]) throws(DatabaseError) {
    try self.init(setup, store: store, watchers: [])
    shared.oracle.follow(violations)
  }

  /// Adds the recorded history to a violation; statements of the report about the server come last.
  func withHistory(_ violation: Violation) -> Violation {
    let story = shared.oracle.story(of: violation)
    guard !story.isEmpty else { return violation }
    var violation = violation
    violation.story = story + violation.story.filter { $0.hasPrefix("server: ") }
    return violation
  }

  /// The number of connections that its devices have made.
  var connections: Int { shared.inside?.connections ?? 0 }
  /// The name that an external server gives in its answers.
  package var serverName: String? { shared.carrier?.serverName }
  /// The size of a device in the array of devices.
  package var bytesInline: Int { MemoryLayout<SimulatedDevice>.stride }

  /// Performs the whole run. `progress` receives the completed share now and then. Throws errors of the queue database,
  /// `ScratchError`, `LivelockError`, and `EarlierRun.Leftover`. `unproven` receives the report before an external server is
  /// asked what it has stored.
  package func run(
    progress: (Double, LedgerSums) -> Void = { _, _ in }, unproven: (RunReport) throws -> Void = { _ in }
  ) throws -> RunReport {
    defer { steering?.close(at: now) }
    try drive(progress)
    if let steering, steering.isWatched { steering.publish(view(steering.mode)) }
    return try conclude(unproven)
  }

  /// Judges the end of the run and returns its report; an aborted run is not judged.
  private func conclude(_ unproven: (RunReport) throws -> Void) rethrows -> RunReport {
    let oracle = shared.oracle
    guard !isBrokenOff else { return account(oracle.unprovenSums) }
    oracle.closeQueues(at: now, isCut: interruption.isRequested || isTargetSilent)
    if shared.inside == nil, shared.proof != nil { try unproven(account(oracle.unprovenSums)) }
    oracle.closeStore(by: shared.proof, at: now)
    return account(oracle.sums)
  }

  private func drive(_ progress: (Double, LedgerSums) -> Void) throws {
    defer { shared.targetFaults?.clear() }
    if let transport = shared.transport {
      try run(over: transport) { tell(progress) }
    } else {
      _ = try advance(toEvent: .max, progress)
    }
  }

  private func tell(_ progress: (Double, LedgerSums) -> Void) {
    progress((now - FleetRun.zero).seconds / (setup.duration + setup.settle).seconds, shared.oracle.sums)
  }

  /// Drives and settles until `last` events have happened, or to the end of the run. Returns whether the run is over;
  /// `report` then returns its result. For runs in virtual time.
  func advance(
    toEvent last: Int, _ progress: (Double, LedgerSums) -> Void = { _, _ in }
  ) throws -> Bool {
    if phase == .driving {
      guard try work(before: FleetRun.zero + setup.duration, toEvent: last, { tell(progress) }) else { return false }
      if let leftover = shared.earlierRun?.leftover { throw leftover }
      if isBrokenOff || isTargetSilent { settled() } else { try heal() }
    }
    if phase == .settling {
      guard try work(before: settlingEnd, toEvent: last, { tell(progress) }) else { return false }
      settled()
    }
    return true
  }

  /// Returns the end of the phase, which something may have moved.
  func phaseEnd(_ limit: MonotonicInstant) -> MonotonicInstant { phase == .driving ? min(limit, drivesEnd) : limit }

  func settled() { phase = .over }

  /// A paused run could not end.
  private func beginGrace() {
    graceEnd = now + Interruption.grace
    isPaused = false
    steering?.pause(false)
  }

  /// Ends the drives and all faults.
  func heal() throws(DatabaseError) {
    healed = isEndedEarly ? now : drivesEnd
    trackRecorder.look(at: devices, before: healed)
    for device in devices.indices { try devices[device].heal(at: healed, in: shared) }
    shared.drivesEnded()
    queue = EventQueue(devices.indices.map { devices[$0].next(after: healed) })
    now = healed
    phase = .settling
  }

  var settlingEnd: MonotonicInstant { healed + setup.settle }

  /// Reports whether a run that is to end early has settled for long enough.
  func isGraceOver(at instant: MonotonicInstant) -> Bool {
    phase == .settling && graceEnd.map { instant >= max($0, healed + Interruption.grace) } ?? false
  }

  /// Returns the result of a run that is over. May be called once.
  func report() -> RunReport { conclude { _ in } }

  /// The result so far; the server's store is read only at the end.
  package var interim: RunReport { account(shared.oracle.unprovenSums, as: .running) }

  private var isBrokenOff: Bool { isAborted || shared.oracle.violations.breaksOff }

  /// Whether nothing more is sent, because a server in lockstep has been silent for too long.
  private var isTargetSilent: Bool { shared.lockstep?.transport.hasGivenUp ?? false }

  /// Reports whether the scenario has the phone, or an act has added it.
  private func hasBeen(_ device: Int) -> Bool {
    devices[device].index < devices[device].fleet.setup.devices || devices[device].life.isInstalled
  }

  /// The reason for which the run ended.
  private var ending: RunSummary.Ending {
    if isAborted { return .aborted }
    if interruption.isRequested { return .signal }
    if shared.oracle.violations.endsDrives { return .violation }
    return drivesEnd < FleetRun.zero + setup.duration ? .stopped : .completed
  }

  private func account(_ sums: LedgerSums, as ending: RunSummary.Ending? = nil) -> RunReport {
    let isDrained = devices.allSatisfy { $0.host.queue.count == 0 }
    let violations = shared.oracle.violations
    var serverCounts = shared.oracle.serverCounts
    serverCounts?.isGivenUp = isTargetSilent
    return RunReport(
      seed: setup.seed, devices: devices.indices.count(where: hasBeen),
      fleetDevices: fleets.map { $0.count(where: hasBeen) }, duration: setup.duration, sums: sums,
      fleetHashes: fleets.map { fleet in shared.trace.hash(of: fleet.filter(hasBeen)) { devices[$0].key } },
      events: shared.trace.count,
      requests: shared.carrier?.requests ?? shared.requestsInside,
      drained: isDrained && !isBrokenOff ? now - healed : nil,
      violations: FleetRun.inOrder(violations.violations), remarks: FleetRun.inOrder(violations.remarks),
      invariants: shared.oracle.outcomes, coverage: shared.oracle.coverageSeen,
      generatorLag: generatorLag, verification: shared.oracle.verification,
      serverCounts: serverCounts,
      lossSentence: shared.oracle.lossSentence, lost: shared.oracle.lost,
      playedSentence: shared.played.sentence, faultRefusal: shared.targetFaults?.refusal,
      ending: ending ?? self.ending)
  }

  /// In the order of their instants; some are detected later than others.
  private static func inOrder(_ violations: [Violation]) -> [Violation] {
    violations.enumerated().sorted { ($0.element.instant, $0.offset) < ($1.element.instant, $1.offset) }.map(\.element)
  }

  /// Whether the drives, not the phases after them, end early.
  var isEndedEarly: Bool {
    isInterrupted || shared.hasSeenEnough || shared.oracle.violations.endsDrives || isTargetSilent
  }

  /// Works the turns of a phase, in order; returns whether the phase is over.
  private func work(
    before limit: MonotonicInstant, toEvent last: Int, _ progress: () -> Void
  ) throws -> Bool {
    var turnsAtOnce = 0
    while !isAborted {
      if let steering, steering.hasActs || steering.isWatched || isPaused, queue.first?.instant ?? .never > now {
        attend(steering, progress)
        if steering.hasActs { continue }
      }
      // An act that was just performed may have ended the drives.
      let end = phaseEnd(limit)
      if phase == .driving, let act = dueActs.first, act.instant < end, act.instant <= queue.first?.instant ?? .never {
        doDueActs(before: end, upTo: act.instant)
        continue
      }
      guard let (instant, device) = queue.first, instant < end, !isAborted else { break }
      if shared.trace.count >= last { return false }
      now = instant
      if phase == .driving && trackRecorder.isDue(at: instant) { trackRecorder.look(at: devices, upTo: instant) }
      let next = try devices[device].advance(to: instant, in: shared)
      // A device that is due again at the same instant gets a turn of its own.
      queue.replaceFirst(with: next.map { max($0, instant) })
      turnsAtOnce = next.map { $0 <= instant } ?? false ? turnsAtOnce + 1 : 0
      if turnsAtOnce > turnsAtOnceMax { throw LivelockError(device: shared.names[device], instant: instant) }
      turns += 1
      if shared.database.isGroupLarge { try shared.database.commit() }
      if let outage = shared.inside?.outage { throw ScratchError(outage: outage) }
      if turns % FleetRun.turnsPerProgress == 0 { progress() }
      if shared.lockstep != nil || turns % FleetRun.eventsPerLook == 0 { isInterrupted = interruption.isRequested }
      shared.proveIfNeeded()
      if phase == .driving ? isEndedEarly : isBrokenOff || isTargetSilent { break }
      if isGraceOver(at: now) { break }
    }
    try shared.database.commit()
    return true
  }
}

/// A device that is due again at once, endlessly. This is a bug of the simulator and ends the run.
package struct LivelockError: Error, Equatable, CustomStringConvertible {
  package let device: String
  package let instant: MonotonicInstant

  package var description: String {
    "\(device) does not advance after \(instant.clockText): it is scheduled again at the same time after every turn; this is a bug in the simulator"
  }
}
