package import Base
package import Database
import Host
import IngestServer
import Queue
import Scenario
package import Store
import Synchronization

/// A run, in one thread. Against a server inside everything goes in the order of (time, device), in virtual time, and
/// nothing comes from outside; against one outside the devices live by the machine's clock.
package final class FleetRun {
  let setup: RunSetup
  let site: Site
  let devices: PerDevice<SimulatedDevice>
  let fleets: [Range<Int>]
  var now = FleetRun.zero
  var queue = EventQueue([])
  private(set) var phase = Phase.driving
  /// When the drives and the faults ended.
  private var healed = FleetRun.zero
  private var turns = 0
  var trackRecorder: TrackRecorder
  /// How late devices were served, in microseconds of the machine's clock; empty in virtual time.
  var generatorLag = Histogram(highestTrackableValue: 3_600_000_000)
  let interruption: Interruption
  /// Looked at now and then: asking takes a lock.
  var isInterrupted = false {
    didSet { if isInterrupted && !oldValue { patienceEnd = now + Interruption.patience } }
  }
  /// When a run that is to end early has drained for long enough.
  private var patienceEnd: MonotonicInstant?

  /// What the devices are doing.
  enum Phase { case driving, settling, over }

  /// Beyond, a device goes round in circles.
  var turnsAtOnceMax = 1_000_000

  static let eventsPerCommit = 4_096
  /// In lockstep each may wait for an answer.
  private static let eventsPerLook = 512
  private static let zero = MonotonicInstant(nanoseconds: 0)

  /// `store` is what the server keeps its records in.
  package convenience init(_ setup: RunSetup, store: any Store) throws(DatabaseError) {
    try self.init(setup, to: .inside(store), watchers: [])
  }

  package convenience init(_ setup: RunSetup, store: any Store, watchers: [any Watcher]) throws(DatabaseError) {
    try self.init(setup, to: .inside(store), watchers: watchers)
  }

  /// Against a server outside the process.
  package convenience init(
    _ setup: RunSetup, over carrier: Carrier, factor: Double = 1, interruption: Interruption = Interruption()
  ) throws(DatabaseError) {
    try self.init(setup, to: .outside(carrier, factor: factor, TargetDesk()), interruption: interruption, watchers: [])
  }

  /// `watchers` see everything from the first launch on.
  package init(
    _ setup: RunSetup, to destination: RunDestination, interruption: Interruption = Interruption(),
    watchers: [any Watcher]
  ) throws(DatabaseError) {
    self.interruption = interruption
    self.setup = setup
    let names = setup.deviceNames
    // Long queues of many devices are more than a machine may have memory for.
    let database = try QueueDatabase(
      path: StoreConfiguration.scratch.spillsToDisk ? "" : ":memory:", commits: .grouped)
    site = Site(setup, to: destination, database: database, names: names, watchers: watchers)
    if let carrier = site.lockstep?.carrier {
      carrier.interruption = interruption
      interruption.onRequest(carrier.alarm)
    }
    trackRecorder = TrackRecorder(devices: names.count, span: setup.duration)
    var (fleets, places): ([Range<Int>], [(fleet: SharedFleet, index: Int)]) = ([], [])
    for fleet in setup.fleets {
      let shared = SharedFleet(fleet)
      fleets.append(places.count..<places.count + fleet.simulated.count)
      places += fleet.simulated.map { (shared, $0) }
    }
    self.fleets = fleets
    let site = site
    devices = try PerDevice(count: places.count) { device throws(DatabaseError) in
      try SimulatedDevice(device, index: places[device].index, of: places[device].fleet, in: site)
    }
    queue = EventQueue(devices.indices.map { devices[$0].next(after: now) })
  }

  /// To hear the whole story of the victims of a run like this one.
  convenience init(_ setup: RunSetup, store: any Store, following victims: [Victim]) throws(DatabaseError) {
    try self.init(setup, store: store, watchers: [])
    site.oracle.biographer = Biographer(site.oracle.ledger, of: victims)
  }

  /// With what was seen of it; what the report said of the server stands last.
  func retold(_ victim: Victim) -> Victim {
    guard let story = site.oracle.biographer?.story(of: victim), !story.isEmpty else { return victim }
    var victim = victim
    victim.story = story + victim.story.filter { $0.hasPrefix("server: ") }
    return victim
  }

  /// How many connections its devices have made.
  var connections: Int { site.inside?.connections ?? 0 }
  /// What a device takes in the array of all.
  package var bytesInline: Int { MemoryLayout<SimulatedDevice>.stride }

  /// The whole run. `progress` hears how far it has come now and then, as a share.
  /// Throws what the queues' database says, and `CirclingDevice`. `unproven` gets what is known before a server outside is
  /// asked what it has stored.
  package func run(
    progress: (Double, LedgerSums) -> Void = { _, _ in }, unproven: (RunReport) throws -> Void = { _ in }
  ) throws -> RunReport {
    try drive(progress)
    closeQueues()
    if site.inside == nil, site.proof != nil { try unproven(account(site.oracle.ledger.unprovenSums)) }
    closeStore()
    return account(site.oracle.ledger.sums)
  }

  private func drive(_ progress: (Double, LedgerSums) -> Void) throws {
    defer { site.targetFaults?.clear() }
    if let carrier = site.carrier {
      try run(over: carrier) { tell(progress) }
    } else {
      _ = try advance(toEvent: .max, progress)
    }
  }

  private func tell(_ progress: (Double, LedgerSums) -> Void) {
    progress((now - FleetRun.zero).seconds / (setup.duration + setup.settle).seconds, site.oracle.ledger.sums)
  }

  /// Drives and settles until so many events have happened, or to the end of the run. Gives whether it is over: then
  /// `report` says what it has come to. For runs in virtual time.
  func advance(
    toEvent last: Int, _ progress: (Double, LedgerSums) -> Void = { _, _ in }
  ) throws -> Bool {
    if phase == .driving {
      guard try work(before: FleetRun.zero + setup.duration, toEvent: last, { tell(progress) }) else { return false }
      if site.oracle.violations.breaksOff { settled() } else { try heal() }
    }
    if phase == .settling {
      guard try work(before: settlingEnd, toEvent: last, { tell(progress) }) else { return false }
      settled()
    }
    return true
  }

  func settled() { phase = .over }

  /// The end of the drives and of all faults.
  func heal() throws(DatabaseError) {
    healed = isEndedEarly ? now : FleetRun.zero + setup.duration
    for device in devices.indices { try devices[device].heal(at: healed, in: site) }
    queue = EventQueue(devices.indices.map { devices[$0].next(after: healed) })
    now = healed
    phase = .settling
  }

  var settlingEnd: MonotonicInstant { healed + setup.settle }

  /// A run that is to end early settles no longer than that.
  func isOutOfPatience(at instant: MonotonicInstant) -> Bool {
    phase == .settling && patienceEnd.map { instant >= max($0, healed + Interruption.patience) } ?? false
  }

  /// Once, when the run is over.
  func report() -> RunReport {
    closeQueues()
    closeStore()
    return account(site.oracle.ledger.sums)
  }

  // What is broken off has nothing to be judged in the end.

  private func closeQueues() {
    if !site.oracle.violations.breaksOff { site.oracle.closeQueues(at: now, isCut: interruption.isRequested) }
  }

  private func closeStore() {
    if !site.oracle.violations.breaksOff { site.oracle.closeStore(by: site.proof, at: now) }
  }

  private func account(_ sums: LedgerSums) -> RunReport {
    let isDrained = devices.allSatisfy { $0.host.queue.count == 0 }
    let violations = site.oracle.violations
    return RunReport(
      seed: setup.seed, devices: devices.count, duration: setup.duration, sums: sums,
      fleetHashes: fleets.map { fleet in site.trace.hash(of: fleet) { devices[$0].key } }, events: site.trace.count,
      requests: (site.carrier ?? site.lockstep?.carrier)?.requests ?? site.requestsInside,
      drained: isDrained && !violations.breaksOff ? now - healed : nil,
      victims: FleetRun.inOrder(violations.victims), remarks: FleetRun.inOrder(violations.remarks),
      invariants: site.oracle.outcomes, coverage: site.oracle.coverage.seen,
      generatorLag: generatorLag, verification: site.oracle.verification,
      findings: site.oracle.findings,
      lossSentence: site.oracle.ledger.losses.sentence,
      playedSentence: site.played.sentence, faultRefusal: site.targetFaults?.refusal,
      isInterrupted: interruption.isRequested,
      isEndedByViolation: violations.endsDrives)
  }

  /// Some are found out later than others: what happened first stands first.
  private static func inOrder(_ victims: [Victim]) -> [Victim] {
    victims.enumerated().sorted { ($0.element.instant, $0.offset) < ($1.element.instant, $1.offset) }.map(\.element)
  }

  /// The drives, not what follows.
  var isEndedEarly: Bool { isInterrupted || site.hasSeenEnough || site.oracle.violations.endsDrives }

  /// The turns of a phase, in order; gives whether it is over.
  private func work(
    before end: MonotonicInstant, toEvent last: Int, _ progress: () -> Void
  ) throws -> Bool {
    var turnsAtOnce = 0
    while let (instant, device) = queue.first, instant < end {
      if site.trace.count >= last { return false }
      now = instant
      if phase == .driving && trackRecorder.isDue(at: instant) { trackRecorder.look(at: devices, at: instant) }
      let next = try devices[device].advance(to: instant, in: site)
      // What is due again at once comes in a turn of its own.
      queue.replaceFirst(with: next.map { max($0, instant) })
      turnsAtOnce = next.map { $0 <= instant } ?? false ? turnsAtOnce + 1 : 0
      if turnsAtOnce > turnsAtOnceMax { throw CirclingDevice(device: site.names[device], instant: instant) }
      turns += 1
      if turns % FleetRun.eventsPerCommit == 0 {
        try site.database.commit()
        progress()
      }
      if site.lockstep != nil || turns % FleetRun.eventsPerLook == 0 { isInterrupted = interruption.isRequested }
      site.proveIfNeeded()
      if phase == .driving ? isEndedEarly : site.oracle.violations.breaksOff { break }
      if isOutOfPatience(at: now) { break }
    }
    try site.database.commit()
    return true
  }
}

/// What a run has come to.
package struct RunReport: Equatable, Sendable {
  package let seed: UInt64
  package let devices: Int
  package let duration: Nanoseconds
  package var sums: LedgerSums
  /// Of each fleet, in order: sums, so that those of shards add up.
  package let fleetHashes: [TraceHash]
  package let events: Int
  package let requests: Int
  /// When the last queue was empty, counted from the end of the drives; nil when one never was.
  package let drained: Nanoseconds?
  package var victims: [Victim]
  /// What breaks no invariant and is to be told all the same.
  package var remarks: [Victim]
  package let invariants: [InvariantOutcome]
  /// Of all goals, in their order.
  package let coverage: [CoverageSeen]
  /// How late devices were served, in microseconds of the machine's clock; empty in virtual time.
  package let generatorLag: Histogram
  /// Of what the server has stored.
  package let verification: Verification
  /// What is to be known of a server outside.
  package let findings: [ServerFinding]
  /// What the lost records have in common, as a sentence.
  package let lossSentence: String?
  /// What the simulator's network has answered in the server's place, as a sentence.
  package let playedSentence: String?
  /// What the server outside did not do badly, though a fault says so; nil when it did.
  package let faultRefusal: String?
  /// It was ended early.
  package let isInterrupted: Bool
  /// A violation has ended the drives.
  package let isEndedByViolation: Bool

  /// The sum of the fleets' hashes.
  package var hash: TraceHash {
    var hash = TraceHash.zero
    for fleet in fleetHashes { hash.add(fleet) }
    return hash
  }

  /// Why it is not known what the server has stored; nil when it was asked, or was not to be asked.
  package var proofRefusal: String? { verification.reason }

  package var isRight: Bool { victims.isEmpty }
}

/// A wish from outside to end a run early, from any thread.
package final class Interruption: Sendable {
  private struct State {
    var isRequested = false
    var alarm: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  package init() {}

  /// The devices stop where they are; what they have may still be delivered for a short while.
  package func request() {
    let alarm = state.withLock { state in
      state.isRequested = true
      return state.alarm
    }
    alarm?()
  }

  package var isRequested: Bool { state.withLock { $0.isRequested } }

  /// How long queues may drain after it.
  static let patience = Nanoseconds.seconds(5)

  /// Called with the wish: ends a wait.
  func onRequest(_ alarm: @escaping @Sendable () -> Void) { state.withLock { $0.alarm = alarm } }
}

/// A device that is due again at once, for ever: a mistake of the simulator, and the end of its run.
package struct CirclingDevice: Error, Equatable, CustomStringConvertible {
  package let device: String
  package let instant: MonotonicInstant

  package var description: String {
    "\(device) goes round in circles at \(instant.clockText): it is due at once after each of its turns, which is a mistake of the simulator"
  }
}
