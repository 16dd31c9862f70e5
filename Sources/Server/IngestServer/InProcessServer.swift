package import Base
import HTTP1
package import Network
package import Store
import Synchronization

/// The server without sockets and threads, in the caller's time: the bytes of a connection pass through its session as they
/// would from a socket, and nothing happens except inside a call on a connection. For simulated runs, and for tests of
/// clients.
package final class InProcessServer {
  let context: ServerContext
  let backend = InProcessBackend()
  let store: any Store
  /// Why a group could not be stored; nil when all were.
  package private(set) var outage: StoreOutage?
  private let scratch = SessionScratch()
  /// The number of connections made so far.
  package private(set) var connections = 0
  /// Differs from the epoch that stands for an unreadable event id.
  private static let epoch: Int64 = 7
  /// How long the server keeps a silent connection.
  package let idleLimit: Nanoseconds

  /// `store` is in memory, or behaves as if it were. `decorate` wraps the backend of the sessions.
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
      configuration, keys: InProcessServer.keys(configuration), metrics: metrics, registry: registry,
      backend: decorate(backend), hub: hub)
  }

  private static func keys(_ configuration: ServerConfiguration) -> TokenKeys {
    TokenKeys(
      own: Array(repeating: 7, count: 32), issuer: issuer(configuration), foreign: foreignKeys(configuration))
  }

  /// Only keys from a file can be used: nothing in the caller's time waits for a thread.
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

  /// The wall clock of the sessions.
  package internal(set) var now: WallInstant {
    get { backend.now }
    set { backend.setNow(newValue) }
  }

  /// Executes all waiting jobs as one group. Returns false when there are none.
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

  /// Returns false when no question was waiting.
  @discardableResult
  func answerQuestions() -> Bool {
    let questions = backend.takeQuestions()
    for (question, address) in questions {
      guard let message = ask(question) else { continue }
      backend.post([(message, address)])
    }
    return !questions.isEmpty
  }

  /// Returns the messages for a session, in order.
  func takeMessages(for address: SessionAddress) -> [SessionMessage] { backend.takeMessages(for: address) }

  /// Asks the store directly, not as a request. Returns nil when it cannot be read.
  package func ask<Answer: Sendable>(_ question: @escaping @Sendable (any StoreReader) -> Answer) -> Answer? {
    let box = AnswerBox<Answer>()
    _ = store.apply([.read { reader in box.put(question(reader)) }], now: now)
    return box.answer.withLock { $0 }
  }

  /// Carries an answer out of the store's closure.
  private final class AnswerBox<Answer: Sendable>: Sendable {
    let answer = Mutex<Answer?>(nil)

    func put(_ value: Answer) { answer.withLock { $0 = value } }
  }
}

/// Collects the jobs and questions of sessions until the server's owner executes them.
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

/// The server's end of one connection: a session, and the input it has not consumed yet.
package final class InProcessConnection {
  private let server: InProcessServer
  private let session: IngestSession
  private var untaken: ArraySlice<UInt8> = []
  private var isClosed = false

  init(of server: InProcessServer, _ session: IngestSession) {
    self.server = server
    self.session = session
  }

  /// Whether another request may follow.
  package var isOpen: Bool { !isClosed && session.wishes.ending == .open }

  /// The time at which the server continues by itself; it holds an answer back until then.
  package var alarm: MonotonicInstant? { isOpen ? session.wishes.alarm : nil }

  /// Feeds bytes to the session until it wants no more, and returns its output. The request of these bytes gets `fault`
  /// whatever the rules say; without one the rules decide.
  package func receive(
    _ bytes: ArraySlice<UInt8>, at now: MonotonicInstant, wall: WallInstant, applying fault: ServerFault? = nil
  ) -> [UInt8] {
    guard !isClosed else { return [] }
    var fault = fault
    return work(on: untaken.isEmpty ? bytes : untaken + bytes, at: now, wall: wall, applying: &fault) { _ in }
  }

  package func receive(
    _ bytes: some Sequence<UInt8>, at now: MonotonicInstant, wall: WallInstant, applying fault: ServerFault? = nil
  ) -> [UInt8] {
    receive(Array(bytes)[...], at: now, wall: wall, applying: fault)
  }

  /// Rings the session's alarm and returns its output.
  package func resume(at now: MonotonicInstant, wall: WallInstant) -> [UInt8] {
    guard !isClosed else { return [] }
    var noFault: ServerFault?
    return work(on: untaken, at: now, wall: wall, applying: &noFault) { session.alarmFired(&$0) }
  }

  package func close(_ reason: CloseReason, at now: MonotonicInstant, wall: WallInstant) {
    guard !isClosed else { return }
    isClosed = true
    server.now = wall
    session.closed(reason, now: now)
    server.commit()
    // Messages still addressed to it are discarded.
    _ = server.takeMessages(for: session.address)
  }

  /// `input` is everything that the session has not consumed yet.
  private func work(
    on input: ArraySlice<UInt8>, at now: MonotonicInstant, wall: WallInstant, applying fault: inout ServerFault?,
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
        let step = session.receive(input.span.extracting(taken..<input.count), applying: &fault, &output)
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
