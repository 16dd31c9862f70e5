import Base
import Contract
import HTTP1
import Host
import IngestServer
import Oracle
import Queue
import Upload
import Vocabulary
import World

/// The state that the devices of a run share: the city, the route to the server, the queue database, the ledger, the trace.
final class RunContext {
  let setup: RunSetup
  let names: [String]
  let clock: DayClock
  private let way: ServerLocation
  /// The number of requests that the in-process server has received.
  var requestsInside = 0
  /// Seconds of device time per second of network time.
  let clockFactor: Double
  /// The proof of what is stored; nil when nothing can be asked.
  let proof: (any StoreProof)?
  /// The faults of a real server; nil without such faults.
  let targetFaults: TargetFaults?
  /// Nil where no earlier run can have made the same records.
  let earlierRun: EarlierRun?
  /// The faults of the server that are simulated in front of it.
  var played = PlayedAnswers()
  let database: QueueDatabase
  let oracle: Oracle
  var faults: FaultPlan
  let queueWatch = QueueWatch()
  let scratch = HostScratch()
  /// The effects of the app of the current device, and the requests that it has made, until the watchers are notified.
  var said = RecycledList<HostEffect>()
  var requests: [OutgoingRequest] = []
  let logEntriesKept: Int
  /// Whether each device's records are traced; nil: requests carry no trace context.
  let traced: [Bool]?
  /// The time at which a fault last requested a new token key.
  private var keysRotatedAt: MonotonicInstant?
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
      (way, clockFactor) = (.inside(server), 1)
      (proof, targetFaults, earlierRun) = (server, nil, nil)
    case .outside(let transport, let factor, let access):
      (way, clockFactor) = (.outside(transport), factor)
      (proof, targetFaults, earlierRun) = (access.proof, access.faults, nil)
    case .lockstep(let transport, let latency, let access):
      (way, clockFactor) = (.lockstep(Lockstep(transport: transport, latency: latency)), 1)
      (proof, targetFaults, earlierRun) = (access.proof, access.faults, access.earlierRun)
    }
    self.database = database
    database.observer = queueWatch
    let sight: StoreVisibility =
      way.inside != nil ? .inside : proof.map { $0.readsContents ? .listing : .questions } ?? .none
    oracle = Oracle(of: setup.judged(with: sight))
    faults = FaultPlan(of: setup)
    logEntriesKept = setup.logEntriesKept
    traced = setup.tracedShare.map { setup.devicesDrawn(share: $0) }
    trace = Trace(in: oracle.space)
    let milliseconds = setup.start.millisecondsSince1970 + Int64(setup.zoneOffsetSeconds) * 1_000
    let day = milliseconds.quotientRoundedDown(by: 86_400_000)
    // 1 January 1970 was a Thursday; 1 is Sunday.
    let weekday = Int(((day + 4) % 7 + 7) % 7) + 1
    clock = DayClock(secondsAfterMidnight: Double(milliseconds - day * 86_400_000) / 1_000, firstWeekday: weekday)
  }

  var inside: InProcessServer? { way.inside }
  var transport: FleetTransport? { way.transport }
  var lockstep: Lockstep? { way.lockstep }
  var carrier: FleetTransport? { way.carrier }

  /// Proves what is stored, if the ledger needs it. A real server is queried only at the end, because queries would
  /// delay the devices.
  func proveIfNeeded() {
    if oracle.needsProof && (proof == nil || inside != nil) { oracle.prove(by: proof) }
  }

  var playsFaults: Bool { targetFaults == nil && inside == nil && (setup.playsFaults || setup.isSteerable) }

  /// Executes an administrative request.
  func perform(_ request: Administration, at now: Moment) {
    if let targetFaults { targetFaults.perform(request) } else { server.perform(request, at: now) }
  }

  /// Once per fault, however many devices it affects.
  func rotateKeys(at now: Moment) {
    guard keysRotatedAt != now.monotonic else { return }
    keysRotatedAt = now.monotonic
    perform(.rotateKeys, at: now)
  }

  var server: InProcessServer {
    guard let inside else { preconditionFailure("only requests within the run come to a server inside") }
    return inside
  }

  func tell(_ event: SimulationEvent, _ context: EventContext) {
    oracle.see(event, context)
    for watcher in watchers { watcher.see(event, context) }
  }

  func markAct(_ words: String, from start: Nanoseconds, until end: Nanoseconds) {
    for watcher in watchers { watcher.mark(words, from: start, until: end) }
  }

  func drivesEnded() {
    for watcher in watchers { watcher.drivesEnded() }
  }

  /// Whether a watcher wants the drives to end, or an earlier run has left the same records.
  var hasSeenEnough: Bool { earlierRun?.leftover != nil || watchers.contains { $0.hasSeenEnough } }

  /// Reports the changes of the queues during the turn of this device.
  func balance(_ context: EventContext, queued: @autoclosure () -> Int) {
    guard !queueWatch.notes.isEmpty else { return }
    let notes = queueWatch.notes.take()
    for note in notes { tell(.queue(note), context) }
    queueWatch.notes.giveBack(consume notes)
    oracle.compare(context, queued: queued())
  }
}

/// The location of the server that a run's devices send to.
enum ServerLocation {
  /// In the process, over modelled links.
  case inside(InProcessServer)
  /// Outside, in real time.
  case outside(FleetTransport)
  /// Outside, in virtual time.
  case lockstep(Lockstep)

  /// The server, where requests go over modelled links; nil when they leave the process.
  var inside: InProcessServer? { if case .inside(let server) = self { server } else { nil } }
  /// The transport to an external server in real time.
  var transport: FleetTransport? { if case .outside(let transport) = self { transport } else { nil } }
  /// The transport to an external server in virtual time.
  var lockstep: Lockstep? { if case .lockstep(let lockstep) = self { lockstep } else { nil } }
  /// The transport to an external server, in real or virtual time.
  var carrier: FleetTransport? { transport ?? lockstep?.transport }
}

extension Int64 {
  fileprivate func quotientRoundedDown(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
