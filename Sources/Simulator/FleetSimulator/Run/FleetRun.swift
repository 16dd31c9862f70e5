import Base
package import Database
import Host
import IngestServer
import Queue
import Scenario
package import Store

/// A run in virtual time: everything in one thread, in the order of (time, device), and nothing from outside.
package final class FleetRun {
  private let setup: RunSetup
  private let site: Site
  private var devices: ContiguousArray<SimulatedDevice> = []
  private var fleets: [Range<Int>] = []
  private var now = MonotonicInstant(nanoseconds: 0)

  private static let eventsPerCommit = 4_096

  /// `store` is what the server keeps its records in. Events with a number in `recording` are kept.
  package convenience init(_ setup: RunSetup, store: any Store, recording: Range<Int>? = nil) throws(DatabaseError) {
    try self.init(setup, store: store, recording: recording, watchers: [])
  }

  init(
    _ setup: RunSetup, store: any Store, recording: Range<Int>? = nil, watchers: [any Watcher]
  ) throws(DatabaseError) {
    self.setup = setup
    let names = setup.fleets.flatMap { fleet in fleet.simulated.map { "\(fleet.name)-\($0)" } }
    let server = VirtualServer(store: store) { configuration in
      configuration.journalShare = 0
      guard let authorization = setup.authorization else { return }
      configuration.authentication = .required
      configuration.accessSeconds = Int(max(1, authorization.accessTokenLifetime.seconds))
    }
    let database = try QueueDatabase(path: setup.queuePath, commits: .grouped)
    site = Site(
      setup, server: server, database: database, names: names, recording: recording, watchers: watchers)
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
  var connections: Int { site.server.connections }
  /// What a device takes in the array of all.
  package var bytesInline: Int { MemoryLayout<SimulatedDevice>.stride }
  package var checkpoints: [TraceHash] { site.trace.checkpoints }

  /// The whole run. `progress` hears how far it has come now and then, as a share.
  package func run(progress: (Double, LedgerSums) -> Void = { _, _ in }) throws(DatabaseError) -> RunReport {
    let zero = MonotonicInstant(nanoseconds: 0)
    let healing = zero + setup.duration
    let end = healing + setup.settle
    var queue = EventQueue(devices.map { $0.next(after: zero) })
    try work(on: &queue, before: healing) {
      progress((now - zero).seconds / (end - zero).seconds, site.oracle.ledger.sums)
    }
    for device in devices.indices { try devices[device].heal(at: healing, in: site) }
    queue = EventQueue(devices.map { $0.next(after: healing) })
    now = healing
    try work(on: &queue, before: end) {}
    let isDrained = devices.allSatisfy { $0.host.queue.count == 0 }
    site.oracle.close(by: site.server, at: now)
    return RunReport(
      seed: setup.seed, devices: devices.count, duration: setup.duration, sums: site.oracle.ledger.sums,
      fleetHashes: fleets.map { fleet in site.trace.hash(of: fleet) { devices[$0].key } }, events: site.trace.count,
      requests: site.server.requests,
      drained: isDrained ? now - healing : nil, victims: site.oracle.violations.victims,
      remarks: site.oracle.violations.remarks, invariants: site.oracle.outcomes, coverage: site.oracle.coverage.seen)
  }

  private func work(
    on queue: inout EventQueue, before end: MonotonicInstant, _ progress: () -> Void
  ) throws(DatabaseError) {
    var turns = 0
    while let (instant, device) = queue.first, instant < end {
      now = instant
      let next = try devices[device].advance(to: instant, in: site)
      // What is due again at once comes in a turn of its own.
      queue.replaceFirst(with: next.map { max($0, instant) })
      turns += 1
      if turns % FleetRun.eventsPerCommit == 0 {
        try site.database.commit()
        progress()
      }
      if site.oracle.ledger.needsProof { site.oracle.ledger.prove(by: site.server) }
    }
    try site.database.commit()
  }
}
