import Base
import Contract
import HTTP1
import Network
import Store
import Synchronization

@testable import IngestServer

/// One connection at a time to a server in this process, whose store commits each job as soon as the session has handed
/// it over. Time stands still until it is moved.
final class SessionHarness {
  let store: SQLiteStore
  let server: InProcessServer
  let room: LimitedBackend
  private(set) var monotonic = MonotonicInstant(nanoseconds: 1_000_000_000)
  var session: IngestSession
  private(set) var output: SessionOutput
  private var unread: [UInt8] = []
  var sent: [UInt8] = []

  init(_ configure: (inout ServerConfiguration) -> Void = { _ in }) throws {
    store = try SQLiteStore(StoreConfiguration(folder: ":memory:"))
    var room: LimitedBackend?
    server = InProcessServer(store: store, configure) { backend in
      let limited = LimitedBackend(backend)
      room = limited
      return limited
    }
    guard let room else { preconditionFailure("a server has one backend") }
    self.room = room
    server.now = WallInstant(millisecondsSince1970: 1_785_263_663_000)
    session = server.makeSession(isLocal: true)
    output = SessionOutput(now: monotonic, unsentMax: 65_536)
  }

  var context: ServerContext { server.context }
  var now: WallInstant { server.now }
  var reader: any StoreReader {
    guard let reader = store.reader else { preconditionFailure("a store in memory stays open") }
    return reader
  }

  /// The store's mailbox takes nothing from now on, or takes again. `shows` false: it fills while a body comes in.
  func setFull(_ isFull: Bool, shows: Bool = true) { room.setFull(isFull, shows: shows) }

  func advance(seconds: Int64) { advance(milliseconds: seconds * 1_000) }

  func advance(milliseconds: Int64) {
    server.now = server.now.advanced(byMilliseconds: milliseconds)
    monotonic = monotonic + Nanoseconds(milliseconds * 1_000_000)
    output = SessionOutput(now: monotonic, unsentMax: 65_536)
  }

  /// A new connection; what the old one had not sent is lost.
  func connect(isLocal: Bool = true) {
    unread = []
    sent = []
    session = server.makeSession(isLocal: isLocal)
  }

  /// Another connection of the same loop shows up and sends these bytes.
  func interrupt(with bytes: [UInt8]) {
    var output = SessionOutput(now: monotonic, unsentMax: 65_536)
    let taken = server.makeSession(isLocal: true).receive(bytes.span, &output)
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
    let hasCommitted = server.commit()
    let messages = server.takeMessages(for: session.address)
    if delivers { for message in messages { call { $0.deliver(message, &$1) } } }
    return hasCommitted
  }

  /// The connection ends, for this reason; then there is a new one.
  func close(_ reason: CloseReason) {
    session.closed(reason, now: monotonic)
    connect()
  }

  /// Says what the next answer of a job will be instead of asking the store.
  func fail(_ outage: StoreOutage) {
    for _ in 0..<server.backend.takeJobs().count { call { $0.deliver(.completed(.unavailable(outage)), &$1) } }
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
    // An answer that is held back comes at its time.
    if sent.isEmpty, let alarm = session.wishes.alarm {
      advance(milliseconds: (alarm - monotonic).wholeMilliseconds)
      ring()
    }
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

/// Takes no more than a test allows.
final class LimitedBackend: ServerBackend {
  private struct Limits {
    var isFull = false
    /// False when the mailbox fills only while a body comes in.
    var showsFull = true
    var questionsMax = 1
    var questions = 0
  }

  private let inner: any ServerBackend
  private let limits = Mutex(Limits())

  init(_ inner: any ServerBackend) { self.inner = inner }

  func setFull(_ isFull: Bool, shows: Bool) {
    limits.withLock { ($0.isFull, $0.showsFull) = (isFull, shows) }
  }

  /// How many questions may wait from now on.
  func setQuestionsMax(_ count: Int) { limits.withLock { $0.questionsMax = count } }
  func answeredQuestions() { limits.withLock { $0.questions = 0 } }

  var now: WallInstant { inner.now }

  func submit(_ job: StoreJob, for address: SessionAddress) -> Bool {
    !limits.withLock { $0.isFull } && inner.submit(job, for: address)
  }

  func ask(_ question: @escaping StoreQuestion, for address: SessionAddress) -> Bool {
    let hasRoom = limits.withLock { limits in
      guard limits.questions < limits.questionsMax else { return false }
      limits.questions += 1
      return true
    }
    return hasRoom && inner.ask(question, for: address)
  }

  var outage: StoreOutage? { inner.outage }
  var outageDetail: String? { inner.outageDetail }
  var isFull: Bool { limits.withLock { $0.isFull && $0.showsFull } }
  var waitingJobs: Int { inner.waitingJobs }
  var network: LoopFigures? { inner.network }
}

/// The session owed an answer and gave none.
struct NoAnswer: Error {
  let request: String
}
