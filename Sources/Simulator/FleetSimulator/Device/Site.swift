import Base
import Contract
import DeviceLog
import Engine
import Gzip
import HTTP1
import Host
import IngestServer
import Queue
import Upload
import Vocabulary
import World

/// What the devices of a run share: the city, the way to the server, the database of their queues, the book, the trace.
final class Site {
  let setup: RunSetup
  let names: [String]
  let clock: DayClock
  /// Where requests go over modelled links; nil when they leave the process.
  let inside: InProcessServer?
  /// How many requests it has been shown.
  var requestsInside = 0
  /// Takes requests out of the process.
  let carrier: Carrier?
  /// Takes them out of the process in virtual time.
  let lockstep: Lockstep?
  /// Seconds of the devices in a second of the network.
  let clockFactor: Double
  let database: QueueDatabase
  let oracle: Oracle
  let faults: FaultPlan
  let scratch = HostScratch()
  let logEntriesKept: Int
  var head = ResponseHead()
  var trace: Trace
  private let watchers: [any Watcher]

  init(
    _ setup: RunSetup, to destination: RunDestination, database: QueueDatabase, names: [String],
    watchers: [any Watcher]
  ) {
    self.setup = setup
    self.names = names
    self.watchers = watchers
    switch destination {
    case .inside(let store):
      let server = InProcessServer(store: store, for: setup)
      inside = server
      (carrier, lockstep, clockFactor, proof, targetFaults) = (nil, nil, 1, server, nil)
    case .outside(let carrier, let factor, let desk):
      inside = nil
      (self.carrier, lockstep, clockFactor) = (carrier, nil, factor)
      (proof, targetFaults) = (desk.proof, desk.faults)
    case .lockstep(let carrier, let latency, let desk):
      inside = nil
      (self.carrier, lockstep, clockFactor) = (nil, Lockstep(carrier: carrier, latency: latency), 1)
      (proof, targetFaults) = (desk.proof, desk.faults)
    }
    self.database = database
    database.notes = []
    let sight: ServerSight =
      inside != nil ? .inside : proof.map { $0.readsContents ? .listing : .questions } ?? .none
    oracle = Oracle(of: setup, names: names, sight: sight)
    faults = FaultPlan(of: setup)
    logEntriesKept = setup.logEntriesKept
    trace = Trace(in: oracle.ledger.space)
    let milliseconds = setup.start.millisecondsSince1970 + Int64(setup.zoneOffsetSeconds) * 1_000
    let day = milliseconds.quotientRoundedDown(by: 86_400_000)
    // 1 January 1970 was a Thursday; 1 is Sunday.
    let weekday = Int(((day + 4) % 7 + 7) % 7) + 1
    clock = DayClock(secondsAfterMidnight: Double(milliseconds - day * 86_400_000) / 1_000, firstWeekday: weekday)
  }

  /// Whom to ask what is stored; nil when nothing can.
  let proof: (any StoreProof)?

  /// A real server is asked in the end: questions would keep the devices waiting.
  func proveIfNeeded() {
    if oracle.ledger.needsProof && (proof == nil || inside != nil) { oracle.ledger.prove(by: proof) }
  }

  /// What a real server does badly; nil where no fault asks for it.
  let targetFaults: TargetFaults?

  /// Faults of the server are played in front of it.
  var played = PlayedAnswers()
  var playsFaults: Bool { targetFaults == nil && inside == nil && setup.playsFaults }

  /// What an administrator of the server asks for.
  func obey(_ order: Administration, at now: Moment) {
    if let targetFaults { targetFaults.obey(order) } else { server.obey(order, at: now) }
  }

  var server: InProcessServer {
    guard let inside else { preconditionFailure("only requests within the run come to a server inside") }
    return inside
  }

  func tell(_ happening: Happening, _ sighting: Sighting) {
    oracle.see(happening, sighting)
    for watcher in watchers { watcher.see(happening, sighting) }
  }

  /// A watcher wants the drives to end.
  var hasSeenEnough: Bool { watchers.contains { $0.hasSeenEnough } }

  /// Tells what the queues did while this device worked.
  func balance(_ sighting: Sighting, queued: @autoclosure () -> Int) {
    guard var notes = database.notes, !notes.isEmpty else { return }
    // The only reference, so that its memory is used again.
    database.notes = nil
    for note in notes { tell(.queue(note), sighting) }
    notes.removeAll(keepingCapacity: true)
    database.notes = notes
    oracle.compare(sighting, queued: queued())
  }
}

extension Int64 {
  fileprivate func quotientRoundedDown(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}

/// The phone under a simulated app: remembers what is wanted of it until the device has time to do it.
struct SimulatedPhone: Platform {
  var updates: LocationUpdates?
  var isSampling = false
  var wantsActivities = false
  var region: Circle?
  var regionIsNew = false
  /// What else is wanted, until the device has heeded it.
  var orders: [SensorDemand] = []
  var outbox: [OutgoingRequest] = []
  var cancelled: [UInt64] = []
  /// What the app was told since the watchers heard of it the last time.
  var told: [HostEvent] = []
  var logged: [LogEntry] = []
  /// Whether the watchers hear of what is logged.
  var isLogged = false
  /// For a server that asks for it; nil in runs in which none can.
  var recentLog: RecentLog?

  /// What the system watches on when the process is gone.
  init(watching region: Circle? = nil) { self.region = region }

  mutating func demand(_ demand: SensorDemand, at now: Moment) {
    switch demand {
    case .locationUpdates(let updates): self.updates = updates
    case .sampling(let accuracy): isSampling = accuracy != nil
    case .stationaryRegion(let region):
      self.region = region
      regionIsNew = true
    case .activityUpdates(let isOn): wantsActivities = isOn
    case .proximityRegion, .geofences, .significantChanges, .backgroundFetch: orders.append(demand)
    }
  }

  mutating func send(_ request: OutgoingRequest, at now: Moment) { outbox.append(request) }
  mutating func cancel(request: UInt64) { cancelled.append(request) }
  mutating func backgroundTask(id: Int, isStart: Bool) {}
  mutating func deliver(_ event: HostEvent, at now: Moment) { told.append(event) }
  mutating func log(_ entry: LogEntry, at now: Moment) {
    if isLogged { logged.append(entry) }
    recentLog?.append(entry, at: now.wall)
  }

  mutating func destroyLog() { recentLog?.removeAll() }

  mutating func compressedLog() -> [UInt8] {
    let none = "this phone keeps no log: the run has no server that can ask for it\n"
    return GzipFile.pack(recentLog?.content ?? Array(none.utf8))
  }
}
