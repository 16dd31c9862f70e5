package import Base
import HTTP1
package import Network
package import Store
import Synchronization

/// The server without sockets and threads, in the caller's time: what a connection brings goes through its session byte by
/// byte as it would from a socket, and nothing happens but when a connection is worked on. For simulated runs, and for
/// tests of what talks to a server.
package final class InProcessServer {
  let context: ServerContext
  let backend = InProcessBackend()
  let store: any Store
  /// Why a group could not be stored; nil when all were.
  package private(set) var outage: StoreOutage?
  private let scratch = SessionScratch()
  /// How many were made.
  package private(set) var connections = 0
  /// Not that of an event's id which cannot be read.
  private static let epoch: Int64 = 7
  /// How long it keeps a connection that is silent.
  package let idleLimit: Nanoseconds

  /// `store` is one in memory, or behaves like one. `decorate` puts something between the sessions and what is behind them.
  package init(
    store: any Store, _ configure: (inout ServerConfiguration) -> Void = { _ in },
    decorate: (any ServerBackend) -> any ServerBackend = { $0 }
  ) {
    var configuration = ServerConfiguration()
    configuration.data = ":memory:"
    configure(&configuration)
    idleLimit = .seconds(Int64(configuration.idleSeconds))
    let backend = backend
    let hub = EventHub(epoch: InProcessServer.epoch, post: { backend.post($0) })
    var registry = MetricsRegistry()
    let metrics = ServerMetrics(registry: &registry)
    let watch = CommitWatch(metrics, countsReceipts: configuration.proxy != nil) { _ in }
    self.store = WatchedStore(store, hub: hub, watch)
    context = ServerContext(
      configuration, signingKey: Array(repeating: 7, count: 32), metrics: metrics, registry: registry,
      backend: decorate(backend), hub: hub, foreignKeys: InProcessServer.foreignKeys(configuration),
      issuer: InProcessServer.issuer(configuration))
  }

  /// Those of a file: nothing in the caller's time waits for a thread.
  private static func foreignKeys(_ configuration: ServerConfiguration) -> (any KeyFinder)? {
    do throws(KeySetError) { return try configuration.foreignIssuer?.keys.open { _ in } } catch {
      preconditionFailure("\(error)")
    }
  }

  private static func issuer(_ configuration: ServerConfiguration) -> IdentityIssuer? {
    do throws(ServerError) {
      return try configuration.issuer(at: WallInstant(millisecondsSince1970: 0), in: .stock)
    } catch {
      preconditionFailure("keys in memory need no folder: \(error)")
    }
  }

  package func connect() -> InProcessConnection { InProcessConnection(of: self, makeSession(isLocal: true)) }

  func makeSession(isLocal: Bool, hasCertificate: Bool = false) -> IngestSession {
    connections += 1
    let address = SessionAddress(loop: 0, connection: UInt64(connections))
    return IngestSession(
      context, scratch: scratch, address: address,
      caller: ConnectedCaller(isLocal: isLocal, hasCertificate: hasCertificate))
  }

  /// The wall clock of its sessions.
  package internal(set) var now: WallInstant {
    get { backend.now }
    set { backend.setNow(newValue) }
  }

  /// Does all jobs that wait, as one group. False when there are none.
  @discardableResult
  func commit() -> Bool {
    let jobs = backend.takeJobs()
    guard !jobs.isEmpty else { return false }
    let results = store.apply(jobs.map(\.job), now: now)
    if case .unavailable(let outage)? = results.first { self.outage = outage }
    for (job, result) in zip(jobs, results) {
      context.undelivered.committed(result, for: job.address)
      if job.address != .discarded { backend.post([(.completed(result), job.address)]) }
    }
    return true
  }

  /// False when nothing was asked.
  @discardableResult
  func answerQuestions() -> Bool {
    let questions = backend.takeQuestions()
    for (question, address) in questions {
      guard let message = ask(question) else { continue }
      backend.post([(message, address)])
    }
    return !questions.isEmpty
  }

  /// What is to be delivered to that session, in order.
  func takeMessages(for address: SessionAddress) -> [SessionMessage] { backend.takeMessages(for: address) }

  /// Puts a question to the store, beside the requests. Nil when it cannot be read.
  package func ask<Answer: Sendable>(_ question: @escaping @Sendable (any StoreReader) -> Answer) -> Answer? {
    let box = AnswerBox<Answer>()
    _ = store.apply([.read { reader in box.put(question(reader)) }], now: now)
    return box.answer.withLock { $0 }
  }

  /// Carries an answer out of the store's call.
  private final class AnswerBox<Answer: Sendable>: Sendable {
    let answer = Mutex<Answer?>(nil)

    func put(_ value: Answer) { answer.withLock { $0 = value } }
  }
}

/// Keeps what sessions hand over until the server's owner has it done.
final class InProcessBackend: ServerBackend {
  private struct State {
    var now = WallInstant(millisecondsSince1970: 0)
    var jobs: [(job: StoreJob, address: SessionAddress)] = []
    var questions: [(question: StoreQuestion, address: SessionAddress)] = []
    var messages: [EventHub.Message] = []
  }

  private let state = Mutex(State())

  var now: WallInstant { state.withLock { $0.now } }
  func setNow(_ now: WallInstant) { state.withLock { $0.now = now } }

  func submit(_ job: StoreJob, for address: SessionAddress) -> Bool {
    state.withLock { $0.jobs.append((job, address)) }
    return true
  }

  func ask(_ question: @escaping StoreQuestion, for address: SessionAddress) -> Bool {
    state.withLock { $0.questions.append((question, address)) }
    return true
  }

  func post(_ messages: [EventHub.Message]) { state.withLock { $0.messages += messages } }

  func takeJobs() -> [(job: StoreJob, address: SessionAddress)] {
    state.withLock { state in
      defer { state.jobs = [] }
      return state.jobs
    }
  }

  func takeQuestions() -> [(question: StoreQuestion, address: SessionAddress)] {
    state.withLock { state in
      defer { state.questions = [] }
      return state.questions
    }
  }

  func takeMessages(for address: SessionAddress) -> [SessionMessage] {
    state.withLock { state in
      let taken = state.messages.filter { $0.address == address }.map(\.message)
      if !taken.isEmpty { state.messages.removeAll { $0.address == address } }
      return taken
    }
  }

  var outage: StoreOutage? { nil }
  var outageDetail: String? { nil }
  var isFull: Bool { false }
  var waitingJobs: Int { state.withLock { $0.jobs.count } }
  var network: LoopFigures? { nil }
}

/// The server's end of one connection: a session, and what it has not taken yet.
package final class InProcessConnection {
  private let server: InProcessServer
  private let session: IngestSession
  private var untaken: ArraySlice<UInt8> = []
  private var isClosed = false

  init(of server: InProcessServer, _ session: IngestSession) {
    self.server = server
    self.session = session
  }

  /// Whether another request may follow on it.
  package var isOpen: Bool { !isClosed && session.wishes.ending == .open }

  /// When the server goes on by itself; it holds an answer back until then.
  package var alarm: MonotonicInstant? { isOpen ? session.wishes.alarm : nil }

  /// What the server says to the bytes, until it wants nothing more. The request that they belong to meets `fault`,
  /// whatever the rules say; without one the rules decide.
  package func receive(
    _ bytes: ArraySlice<UInt8>, at now: MonotonicInstant, wall: WallInstant, meeting fault: ServerFault? = nil
  ) -> [UInt8] {
    guard !isClosed else { return [] }
    var fault = fault
    return work(on: untaken.isEmpty ? bytes : untaken + bytes, at: now, wall: wall, meeting: &fault) { _ in }
  }

  package func receive(
    _ bytes: some Sequence<UInt8>, at now: MonotonicInstant, wall: WallInstant, meeting fault: ServerFault? = nil
  ) -> [UInt8] {
    receive(Array(bytes)[...], at: now, wall: wall, meeting: fault)
  }

  /// What it says when the alarm has rung.
  package func goOn(at now: MonotonicInstant, wall: WallInstant) -> [UInt8] {
    guard !isClosed else { return [] }
    var noFault: ServerFault?
    return work(on: untaken, at: now, wall: wall, meeting: &noFault) { session.alarmRang(&$0) }
  }

  package func close(_ reason: CloseReason, at now: MonotonicInstant, wall: WallInstant) {
    guard !isClosed else { return }
    isClosed = true
    server.now = wall
    session.closed(reason, now: now)
    server.commit()
    // What is still on its way to it is lost.
    _ = server.takeMessages(for: session.address)
  }

  /// `input` is all that it has not taken yet.
  private func work(
    on input: ArraySlice<UInt8>, at now: MonotonicInstant, wall: WallInstant, meeting fault: inout ServerFault?,
    _ begin: (inout SessionOutput) -> Void
  ) -> [UInt8] {
    server.now = wall
    var output = SessionOutput(now: now, unsentMax: .max)
    begin(&output)
    var taken = 0
    var isMoving = true
    while isMoving {
      isMoving = false
      if session.wishes.wantsInput && session.wishes.ending == .open && taken < input.count {
        let step = session.receive(input.span.extracting(taken..<input.count), meeting: &fault, &output)
        taken += step
        isMoving = step > 0
      }
      if server.commit() { isMoving = true }
      if server.answerQuestions() { isMoving = true }
      for message in server.takeMessages(for: session.address) {
        session.deliver(message, &output)
        isMoving = true
      }
      if session.wishes.hasMoreOutput {
        session.produce(&output)
        isMoving = true
      }
    }
    untaken = taken == input.count ? [] : input.dropFirst(taken)
    switch session.wishes.ending {
    case .open: break
    case .afterOutput: close(.finished, at: now, wall: wall)
    case .atOnce, .reset: close(.aborted, at: now, wall: wall)
    }
    return output.bytes
  }
}
