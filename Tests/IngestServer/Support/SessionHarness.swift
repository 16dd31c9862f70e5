import Base
import Contract
import HTTP1
import Network
import Store
import Synchronization

@testable import IngestServer

/// A server without sockets and threads: one connection at a time, and a store in memory that commits each job as soon as
/// the session has handed it over. Time stands still until it is moved.
final class SessionHarness {
  /// What the session hands over, and the clock it looks at.
  final class Desk: Sendable {
    let jobs = Mutex<[(job: StoreJob, address: SessionAddress)]>([])
    let wall = Mutex(WallInstant(millisecondsSince1970: 1_785_263_663_000))
    let isFull = Mutex(false)
    /// False when the mailbox fills only while a body comes in.
    let showsFull = Mutex(true)
    let questions = Mutex<[StoreQuestion]>([])
    let questionsMax = Mutex(1)
  }

  let store: SQLiteStore
  let context: ServerContext
  let desk = Desk()
  private let scratch = SessionScratch()
  private(set) var monotonic = MonotonicInstant(nanoseconds: 1_000_000_000)
  var session: IngestSession
  private(set) var output: SessionOutput
  private var unread: [UInt8] = []
  var sent: [UInt8] = []

  init(_ configure: (inout ServerConfiguration) -> Void = { _ in }) throws {
    var configuration = ServerConfiguration()
    configuration.data = ":memory:"
    configure(&configuration)
    store = try SQLiteStore(StoreConfiguration(folder: ":memory:"))
    var registry = MetricsRegistry()
    let metrics = ServerMetrics(registry: &registry)
    let desk = desk
    context = ServerContext(
      configuration, signingKey: Array(repeating: 7, count: 32), metrics: metrics, registry: registry,
      undelivered: UndeliveredCommands(), wallNow: { desk.wall.withLock { $0 } },
      submit: { job, address in
        if desk.isFull.withLock({ $0 }) { return false }
        desk.jobs.withLock { $0.append((job, address)) }
        return true
      },
      ask: { question, _ in
        desk.questions.withLock { questions in
          guard questions.count < desk.questionsMax.withLock({ $0 }) else { return false }
          questions.append(question)
          return true
        }
      }, probes: ServerProbes(isFull: { desk.isFull.withLock { $0 } && desk.showsFull.withLock { $0 } }))
    context.undelivered.open { job in desk.jobs.withLock { $0.append((job, .discarded)) } }
    session = IngestSession(
      context, scratch: scratch, address: SessionAddress(loop: 0, connection: 0), isLocal: true)
    output = SessionOutput(now: monotonic, unsentMax: 65_536)
  }

  var now: WallInstant { desk.wall.withLock { $0 } }
  var reader: StoreReader {
    guard let reader = store.reader else { preconditionFailure("a store in memory stays open") }
    return reader
  }

  /// The store's mailbox takes nothing from now on, or takes again. `shows` false: it fills while a body comes in.
  func setFull(_ isFull: Bool, shows: Bool = true) {
    desk.isFull.withLock { $0 = isFull }
    desk.showsFull.withLock { $0 = shows }
  }

  func advance(seconds: Int64) { advance(milliseconds: seconds * 1_000) }

  func advance(milliseconds: Int64) {
    desk.wall.withLock { $0 = $0.advanced(byMilliseconds: milliseconds) }
    monotonic = monotonic + Nanoseconds(milliseconds * 1_000_000)
    output = SessionOutput(now: monotonic, unsentMax: 65_536)
  }

  /// A new connection; what the old one had not sent is lost.
  func connect(isLocal: Bool = true) {
    unread = []
    sent = []
    session = IngestSession(
      context, scratch: scratch, address: SessionAddress(loop: 0, connection: 0), isLocal: isLocal)
  }

  /// Another connection of the same loop shows up and sends these bytes.
  func interrupt(with bytes: [UInt8]) {
    var output = SessionOutput(now: monotonic, unsentMax: 65_536)
    let other = IngestSession(
      context, scratch: scratch, address: SessionAddress(loop: 0, connection: 1), isLocal: true)
    let taken = other.receive(bytes.span, &output)
    precondition(taken > 0, "a new session takes what it is shown")
  }

  /// The server has said its last word on this connection.
  var isFinished: Bool { session.wishes.ending != .open }

  /// Shows the session these bytes, and does what it wants until it wants nothing more. `commits` false leaves the jobs
  /// undone.
  func send(_ bytes: [UInt8], commits: Bool = true) {
    unread += bytes
    var isMoving = true
    while isMoving {
      isMoving = false
      if session.wishes.wantsInput, session.wishes.ending == .open, !unread.isEmpty {
        let shown = unread
        output.bytes = []
        let taken = session.receive(shown.span, &output)
        sent += output.bytes
        unread.removeFirst(taken)
        isMoving = taken > 0
      }
      if commits, commit() { isMoving = true }
      if commits, read() { isMoving = true }
      if session.wishes.hasMoreOutput {
        call { $0.produce(&$1) }
        isMoving = true
      }
    }
  }

  func send(_ text: String, commits: Bool = true) { send(Array(text.utf8), commits: commits) }

  /// Does the jobs that were handed over; false when there are none. `delivers` false lets the
  /// results be on their way for ever.
  @discardableResult
  func commit(delivers: Bool = true) -> Bool {
    let jobs = desk.jobs.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    for (job, result) in zip(jobs, store.apply(jobs.map(\.job), now: now)) {
      context.undelivered.committed(result, for: job.address)
      if delivers && job.address != .discarded { call { $0.deliver(.completed(result), &$1) } }
    }
    return !jobs.isEmpty
  }

  /// The connection ends, for this reason; then there is a new one.
  func close(_ reason: CloseReason) {
    session.closed(reason, now: monotonic)
    connect()
  }

  /// Says what the next answer of a job will be instead of asking the store.
  func fail(_ outage: StoreOutage) {
    let count = desk.jobs.withLock { waiting in
      defer { waiting = [] }
      return waiting.count
    }
    for _ in 0..<count { call { $0.deliver(.completed(.unavailable(outage)), &$1) } }
  }

  func endInput() { call { $0.inputEnded(&$1) } }
  func drain() { call { $0.drain(&$1) } }
  func timeOut(_ limit: TimeLimit) { call { $0.timedOut(limit, &$1) } }

  @discardableResult
  func call<Result>(_ body: (inout IngestSession, inout SessionOutput) -> Result) -> Result {
    output.bytes = []
    let result = body(&session, &output)
    sent += output.bytes
    return result
  }

  /// The next answer that has been sent; nil when there is none.
  func answer(to method: HTTPMethod = .post) throws -> TestAnswer? { try TestAnswer.take(from: &sent, to: method) }

  /// One whole request and its answer.
  func request(
    _ method: String, _ target: String, _ fields: [(String, String)] = [], body: String? = nil,
    host: String = "localhost"
  ) throws -> TestAnswer {
    send(SessionHarness.bytes(method, target, fields, body: body, host: host))
    guard let answer = try answer(to: method == "HEAD" ? .head : .post) else {
      throw NoAnswer(request: "\(method) \(target)")
    }
    return answer
  }

  func upload(_ body: String, to target: String = "/locations", _ fields: [(String, String)] = []) throws -> TestAnswer
  {
    try request("POST", target, fields, body: body)
  }

  static func bytes(
    _ method: String, _ target: String, _ fields: [(String, String)] = [], body: String? = nil,
    host: String = "localhost"
  ) -> [UInt8] {
    var text = "\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\n"
    for (name, value) in fields { text += "\(name): \(value)\r\n" }
    if let body { text += "Content-Length: \(body.utf8.count)\r\n" }
    return Array((text + "\r\n" + (body ?? "")).utf8)
  }
}

/// The session owed an answer and gave none.
struct NoAnswer: Error {
  let request: String
}
