import Base
import Contract
import HTTP1
import Host
import IngestServer
import Queue
import Upload
import Vocabulary
import World

/// What the devices of a run share: the city, the way to the server, the database of their queues, the book, the trace.
final class RunContext {
  let setup: RunSetup
  let names: [String]
  let clock: DayClock
  private let way: ServerWay
  /// How many requests a server inside has been shown.
  var requestsInside = 0
  /// Seconds of the devices in a second of the network.
  let clockFactor: Double
  let database: QueueDatabase
  let oracle: Oracle
  var faults: FaultPlan
  let queueWatch = QueueWatch()
  let scratch = HostScratch()
  /// What the app of the device that works now has said, and which requests it has made, until the watchers hear of it.
  var said = RecycledList<HostEffect>()
  var requests: [OutgoingRequest] = []
  let logEntriesKept: Int
  /// Of each device, whether its records are traced; nil: requests say nothing of traces.
  let traced: [Bool]?
  /// When a fault has last asked for a new key of tokens.
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
    case .outside(let transport, let factor, let desk):
      (way, clockFactor) = (.outside(transport), factor)
      (proof, targetFaults, earlierRun) = (desk.proof, desk.faults, nil)
    case .lockstep(let transport, let latency, let desk):
      (way, clockFactor) = (.lockstep(Lockstep(transport: transport, latency: latency)), 1)
      (proof, targetFaults, earlierRun) = (desk.proof, desk.faults, desk.earlierRun)
    }
    self.database = database
    database.observer = queueWatch
    let sight: ServerSight =
      way.inside != nil ? .inside : proof.map { $0.readsContents ? .listing : .questions } ?? .none
    oracle = Oracle(of: setup, names: names, sight: sight)
    faults = FaultPlan(of: setup)
    logEntriesKept = setup.logEntriesKept
    traced = setup.tracedShare.map { setup.devicesDrawn(share: $0) }
    trace = Trace(in: oracle.ledger.space)
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

  /// Whom to ask what is stored; nil when nothing can.
  let proof: (any StoreProof)?

  /// A real server is asked in the end: questions would keep the devices waiting.
  func proveIfNeeded() {
    if oracle.ledger.needsProof && (proof == nil || inside != nil) { oracle.ledger.prove(by: proof) }
  }

  /// What a real server does badly; nil where no fault asks for it.
  let targetFaults: TargetFaults?

  /// Nil where none can have made the same records.
  let earlierRun: EarlierRun?

  /// Faults of the server are played in front of it.
  var played = PlayedAnswers()
  var playsFaults: Bool { targetFaults == nil && inside == nil && (setup.playsFaults || setup.isSteerable) }

  /// What an administrator of the server asks for.
  func obey(_ order: Administration, at now: Moment) {
    if let targetFaults { targetFaults.obey(order) } else { server.obey(order, at: now) }
  }

  /// Once, however many devices a fault means.
  func rotateKeys(at now: Moment) {
    guard keysRotatedAt != now.monotonic else { return }
    keysRotatedAt = now.monotonic
    obey(.rotateKeys, at: now)
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

  /// A watcher wants the drives to end, or the run is none.
  var hasSeenEnough: Bool { earlierRun?.leftover != nil || watchers.contains { $0.hasSeenEnough } }

  /// Tells what the queues did while this device worked.
  func balance(_ context: EventContext, queued: @autoclosure () -> Int) {
    guard !queueWatch.notes.isEmpty else { return }
    let notes = queueWatch.notes.take()
    for note in notes { tell(.queue(note), context) }
    queueWatch.notes.giveBack(consume notes)
    oracle.compare(context, queued: queued())
  }
}

/// Where the server is that the devices of a run send to.
enum ServerWay {
  /// In the process, behind modelled links.
  case inside(InProcessServer)
  /// Outside, by the machine's clock.
  case outside(FleetTransport)
  /// Outside, in virtual time.
  case lockstep(Lockstep)

  /// Where requests go over modelled links; nil when they leave the process.
  var inside: InProcessServer? { if case .inside(let server) = self { server } else { nil } }
  /// What takes requests out of the process by the machine's clock.
  var transport: FleetTransport? { if case .outside(let transport) = self { transport } else { nil } }
  /// What takes them out of the process in virtual time.
  var lockstep: Lockstep? { if case .lockstep(let lockstep) = self { lockstep } else { nil } }
  /// What takes them out of the process, whatever the time.
  var carrier: FleetTransport? { transport ?? lockstep?.transport }
}

extension Int64 {
  fileprivate func quotientRoundedDown(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
