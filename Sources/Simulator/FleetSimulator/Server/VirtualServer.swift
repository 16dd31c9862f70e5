import Base
package import IngestServer
import Network
import Scenario
package import Store
import Synchronization
import Vocabulary

/// The server without sockets and threads: what a connection brings goes through the server's session byte by byte; the
/// store commits before the session hears of it.
package final class VirtualServer {
  /// What sessions hand over, and the clock that they look at.
  private final class Desk: Sendable {
    let jobs = Mutex<[(job: StoreJob, address: SessionAddress)]>([])
    let questions = Mutex<[StoreQuestion]>([])
    let wall = Mutex(WallInstant(millisecondsSince1970: 0))
  }

  private let store: any Store
  private let desk = Desk()
  private let context: ServerContext
  private let undelivered = UndeliveredCommands()
  private let scratch = SessionScratch()
  private(set) var connections = 0
  /// How long it keeps a connection that is silent.
  let idleLimit: Nanoseconds

  /// How many it has been shown so far.
  var requests = 0

  /// `store` is one in memory, or behaves like one.
  package init(store: any Store, _ configure: (inout ServerConfiguration) -> Void = { _ in }) {
    self.store = store
    var configuration = ServerConfiguration()
    configuration.data = ":memory:"
    configure(&configuration)
    idleLimit = .seconds(Int64(configuration.idleSeconds))
    var registry = MetricsRegistry()
    let metrics = ServerMetrics(registry: &registry)
    let desk = desk
    context = ServerContext(
      configuration, signingKey: Array(repeating: 7, count: 32), metrics: metrics, registry: registry,
      undelivered: undelivered, wallNow: { desk.wall.withLock { $0 } },
      submit: { job, address in
        desk.jobs.withLock { $0.append((job, address)) }
        return true
      },
      ask: { question, _ in
        desk.questions.withLock { $0.append(question) }
        return true
      })
    undelivered.open { job in desk.jobs.withLock { $0.append((job, .discarded)) } }
  }

  func connect() -> VirtualConnection {
    connections += 1
    let address = SessionAddress(loop: 0, connection: UInt64(connections))
    return VirtualConnection(
      of: self, IngestSession(context, scratch: scratch, address: address, isLocal: true))
  }

  /// What goes wrong with the request that comes next; nil: nothing.
  func spoilNext(_ fault: ServerFault?) { context.spoilNext(fault) }

  /// What an administrator asks for.
  func obey(_ order: Administration, at now: Moment) {
    let connection = connect()
    let head = "POST \(order.path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(order.body.utf8.count)\r\n\r\n"
    let answer = connection.receive(head.utf8 + Array(order.body.utf8), at: now)
    connection.close(.clientClosed, at: now)
    // 429: as many commands wait as it keeps, and these are not among them.
    let isDone = ["HTTP/1.1 2", "HTTP/1.1 429"].contains { answer.starts(with: $0.utf8) }
    precondition(isDone, "the server refuses \(order.path): \(String(decoding: answer, as: UTF8.self))")
  }

  func turn(to now: Moment) { desk.wall.withLock { $0 = now.wall } }

  /// Does what a session has asked of the store. False when that is nothing.
  func serve(_ session: IngestSession, _ output: inout SessionOutput, at now: Moment) -> Bool {
    let hasCommitted = commit(session, &output, at: now)
    return read(session, &output) || hasCommitted
  }

  private func commit(_ session: IngestSession, _ output: inout SessionOutput, at now: Moment) -> Bool {
    let jobs = desk.jobs.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    guard !jobs.isEmpty else { return false }
    for (job, result) in zip(jobs, store.apply(jobs.map(\.job), now: now.wall)) {
      undelivered.committed(result, for: job.address)
      if job.address != .discarded { session.deliver(.completed(result), &output) }
    }
    return true
  }

  private func read(_ session: IngestSession, _ output: inout SessionOutput) -> Bool {
    let questions = desk.questions.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    for question in questions {
      if let message = ask(question) { session.deliver(message, &output) }
    }
    return !questions.isEmpty
  }

  /// Puts a question to the store, beside the requests.
  func ask<Answer: Sendable>(_ question: @escaping @Sendable (StoreReader) -> Answer) -> Answer? {
    let box = AnswerBox<Answer>()
    _ = store.apply([.read { reader in box.put(question(reader)) }], now: desk.wall.withLock { $0 })
    return box.answer.withLock { $0 }
  }

  /// Carries an answer out of the store's call.
  private final class AnswerBox<Answer: Sendable>: Sendable {
    let answer = Mutex<Answer?>(nil)

    func put(_ value: Answer) { answer.withLock { $0 = value } }
  }
}

extension VirtualServer {
  /// As the devices of a run need it.
  convenience init(store: any Store, for setup: RunSetup) {
    self.init(store: store) { configuration in
      configuration.journalShare = 0
      guard let authorization = setup.authorization else { return }
      configuration.authentication = .required
      configuration.accessSeconds = Int(max(1, authorization.accessTokenLifetime.seconds))
    }
  }
}

/// The server's end of one connection: a session, and what it has not taken yet.
final class VirtualConnection {
  private let server: VirtualServer
  private let session: IngestSession
  private var untaken: [UInt8] = []
  private var isClosed = false

  init(of server: VirtualServer, _ session: IngestSession) {
    self.server = server
    self.session = session
  }

  /// Whether another request may follow on it.
  var isOpen: Bool { !isClosed && session.wishes.ending == .open }

  /// When the server goes on by itself; it holds an answer back until then.
  var alarm: MonotonicInstant? { isOpen ? session.wishes.alarm : nil }

  /// What the server says to the bytes, until it wants nothing more.
  func receive(_ bytes: some Sequence<UInt8>, at now: Moment) -> [UInt8] {
    guard !isClosed else { return [] }
    untaken.append(contentsOf: bytes)
    return work(at: now) { _ in }
  }

  /// What it says when the alarm has rung.
  func goOn(at now: Moment) -> [UInt8] {
    guard !isClosed else { return [] }
    return work(at: now) { session.alarmRang(&$0) }
  }

  func close(_ reason: CloseReason, at now: Moment) {
    guard !isClosed else { return }
    isClosed = true
    server.turn(to: now)
    session.closed(reason, now: now.monotonic)
    var nothing = SessionOutput(now: now.monotonic, unsentMax: .max)
    _ = server.serve(session, &nothing, at: now)
  }

  private func work(at now: Moment, _ begin: (inout SessionOutput) -> Void) -> [UInt8] {
    server.turn(to: now)
    var output = SessionOutput(now: now.monotonic, unsentMax: .max)
    begin(&output)
    var taken = 0
    var isMoving = true
    while isMoving {
      isMoving = false
      if session.wishes.wantsInput && session.wishes.ending == .open && taken < untaken.count {
        let step = session.receive(untaken.span.extracting(taken..<untaken.count), &output)
        taken += step
        isMoving = step > 0
      }
      if server.serve(session, &output, at: now) { isMoving = true }
      if session.wishes.hasMoreOutput {
        session.produce(&output)
        isMoving = true
      }
    }
    if taken == untaken.count { untaken = [] } else { untaken.removeFirst(taken) }
    switch session.wishes.ending {
    case .open: break
    case .afterOutput: close(.finished, at: now)
    case .atOnce, .reset: close(.aborted, at: now)
    }
    return output.bytes
  }
}
