import Base
package import Database
import Host
import IngestServer
import Queue
import Scenario
package import Store

/// A run in virtual time: everything in one thread, in the order of (time, device), and nothing from outside.
package final class FleetRun {
  let setup: RunSetup
  let site: Site
  private var devices: ContiguousArray<SimulatedDevice> = []
  private(set) var fleets: [Range<Int>] = []
  private var now = MonotonicInstant(nanoseconds: 0)
  private(set) var trackRecorder: TrackRecorder

  private static let eventsPerCommit = 4_096

  /// `store` is what the server keeps its records in. Events with a number in `recording` are kept.
  package convenience init(_ setup: RunSetup, store: any Store, recording: Range<Int>? = nil) throws(DatabaseError) {
    try self.init(setup, store: store, recording: recording, watchers: [])
  }

  /// `watchers` see everything from the first launch on.
  package init(
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
    try work(on: &queue, before: healing) { progress((now - zero).seconds / (end - zero).seconds, site.ledger.sums) }
    let healed = site.hasSeenEnough ? now : healing
    for device in devices.indices { try devices[device].heal(at: healed, in: site) }
    queue = EventQueue(devices.map { $0.next(after: healed) })
    now = healed
    try work(on: &queue, before: healed + setup.settle, isDriving: false) {}
    let isDrained = devices.allSatisfy { $0.host.queue.count == 0 }
    site.ledger.close(by: site.server, at: now)
    return RunReport(
      seed: setup.seed, devices: devices.count, duration: setup.duration, sums: site.ledger.sums,
      fleetHashes: fleets.map { fleet in site.trace.hash(of: fleet) { devices[$0].key } }, events: site.trace.count,
      requests: site.server.requests,
      drained: isDrained ? now - healed : nil, victims: site.ledger.victims)
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
      if isDriving && site.hasSeenEnough { break }
      if site.ledger.needsProof { site.ledger.prove(by: site.server) }
    }
    try site.database.commit()
  }
}
