import Base
package import Database
import Host
import IngestServer
import Queue
import Scenario
package import Store

/// A run, in one thread. Against a server inside everything goes in the order of (time, device), in virtual time, and
/// nothing comes from outside; against one outside the devices live by the machine's clock.
package final class FleetRun {
  let setup: RunSetup
  let site: Site
  var devices: ContiguousArray<SimulatedDevice> = []
  private(set) var fleets: [Range<Int>] = []
  var now = MonotonicInstant(nanoseconds: 0)
  var trackRecorder: TrackRecorder
  /// How late devices were served, in microseconds of the machine's clock; empty in virtual time.
  var generatorLag = Histogram(highestTrackableValue: 3_600_000_000)
  let interruption: Interruption
  /// Looked at now and then: asking takes a lock.
  var isInterrupted = false

  static let eventsPerCommit = 4_096
  /// In lockstep each may wait for an answer.
  private static let eventsPerLook = 512

  /// `store` is what the server keeps its records in. Events with a number in `recording` are kept.
  package convenience init(_ setup: RunSetup, store: any Store, recording: Range<Int>? = nil) throws(DatabaseError) {
    try self.init(setup, to: .inside(store), recording: recording, watchers: [])
  }

  package convenience init(_ setup: RunSetup, store: any Store, watchers: [any Watcher]) throws(DatabaseError) {
    try self.init(setup, to: .inside(store), watchers: watchers)
  }

  /// Against a server outside the process.
  package convenience init(
    _ setup: RunSetup, over carrier: Carrier, factor: Double = 1, interruption: Interruption = Interruption()
  ) throws(DatabaseError) {
    try self.init(setup, to: .outside(carrier, factor: factor, nil), interruption: interruption, watchers: [])
  }

  /// `watchers` see everything from the first launch on.
  package init(
    _ setup: RunSetup, to destination: RunDestination, recording: Range<Int>? = nil,
    interruption: Interruption = Interruption(), watchers: [any Watcher]
  ) throws(DatabaseError) {
    self.interruption = interruption
    self.setup = setup
    let names = setup.deviceNames
    let database = try QueueDatabase(path: setup.queuePath, commits: .grouped)
    site = Site(
      setup, to: destination, database: database, names: names, recording: recording, watchers: watchers)
    trackRecorder = TrackRecorder(devices: names.count, span: setup.duration)
    devices.reserveCapacity(names.count)
    for fleet in setup.fleets {
      let start = devices.count
      let shared = SharedFleet(fleet)
      for index in fleet.simulated {
        devices.append(try SimulatedDevice(devices.count, index: index, of: shared, in: site))
      }
      fleets.append(start..<devices.count)
    }
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

  package var recorded: [TraceEvent] { site.trace.recorded }
  /// How many connections its devices have made.
  var connections: Int { site.inside?.connections ?? 0 }
  /// What a device takes in the array of all.
  package var bytesInline: Int { MemoryLayout<SimulatedDevice>.stride }
  package var checkpoints: [TraceHash] { site.trace.checkpoints }

  /// The whole run. `progress` hears how far it has come now and then, as a share.
  package func run(progress: (Double, LedgerSums) -> Void = { _, _ in }) throws(DatabaseError) -> RunReport {
    let zero = MonotonicInstant(nanoseconds: 0)
    let healing = zero + setup.duration
    let end = healing + setup.settle
    var queue = EventQueue(devices.map { $0.next(after: zero) })
    try drive(on: &queue, before: healing) {
      progress((now - zero).seconds / (end - zero).seconds, site.oracle.ledger.sums)
    }
    let healed = isEndedEarly ? now : healing
    for device in devices.indices { try devices[device].heal(at: healed, in: site) }
    queue = EventQueue(devices.map { $0.next(after: healed) })
    now = healed
    try settle(on: &queue, before: healed + min(setup.settle, interruption.patience ?? setup.settle))
    let isDrained = devices.allSatisfy { $0.host.queue.count == 0 }
    site.oracle.close(by: site.proof, at: now)
    return RunReport(
      seed: setup.seed, devices: devices.count, duration: setup.duration, sums: site.oracle.ledger.sums,
      fleetHashes: fleets.map { fleet in site.trace.hash(of: fleet) { devices[$0].key } }, events: site.trace.count,
      requests: site.inside?.requests ?? (site.carrier ?? site.lockstep?.carrier)?.requests ?? 0,
      drained: isDrained ? now - healed : nil, victims: site.oracle.violations.victims,
      remarks: site.oracle.violations.remarks, invariants: site.oracle.outcomes, coverage: site.oracle.coverage.seen,
      generatorLag: generatorLag, proofRefusal: site.proof?.refusal, isInterrupted: interruption.isRequested)
  }

  /// The drives, not what follows.
  var isEndedEarly: Bool { isInterrupted || site.hasSeenEnough }

  private func drive(
    on queue: inout EventQueue, before end: MonotonicInstant, _ progress: () -> Void
  ) throws(DatabaseError) {
    guard let carrier = site.carrier else { return try work(on: &queue, before: end, progress) }
    try work(on: &queue, over: carrier, by: RunClock(factor: site.clockFactor, from: now), before: end, progress)
  }

  /// Nobody drives any more and the network keeps its own time, so that nothing is gained by a faster clock.
  private func settle(on queue: inout EventQueue, before end: MonotonicInstant) throws(DatabaseError) {
    guard let carrier = site.carrier else { return try work(on: &queue, before: end, isDriving: false) {} }
    try work(on: &queue, over: carrier, by: RunClock(factor: 1, from: now), before: end, untilIdle: true) {}
  }

  private func work(
    on queue: inout EventQueue, before end: MonotonicInstant, isDriving: Bool = true, _ progress: () -> Void
  ) throws(DatabaseError) {
    var turns = 0
    while let (instant, device) = queue.first, instant < end {
      now = instant
      if isDriving && trackRecorder.isDue(at: instant) { trackRecorder.look(at: devices, at: instant) }
      let next = try devices[device].advance(to: instant, in: site)
      // What is due again at once comes in a turn of its own.
      queue.replaceFirst(with: next.map { max($0, instant) })
      turns += 1
      if turns % FleetRun.eventsPerCommit == 0 {
        try site.database.commit()
        progress()
      }
      if turns % FleetRun.eventsPerLook == 0 { isInterrupted = interruption.isRequested }
      if isDriving && isEndedEarly { break }
      site.proveIfNeeded()
    }
    try site.database.commit()
  }
}
