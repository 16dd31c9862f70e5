import Base
import Contract
import HTTP1
import JSON
import Network
import Synchronization
import Upload
import Vocabulary

@testable import IngestServer
@testable import Store

/// Our own server in this process, without sockets and threads: requests go through its session byte by byte as they would
/// from a socket, and its store in memory commits at once.
final class LocalServer {
  private final class Desk: Sendable {
    let jobs = Mutex<[(job: StoreJob, address: SessionAddress)]>([])
    let questions = Mutex<[StoreQuestion]>([])
    let wall = Mutex(WallInstant(millisecondsSince1970: 1_785_263_663_000))
  }

  private let store: SQLiteStore
  private let context: ServerContext
  private let desk = Desk()
  private let session: IngestSession
  private let monotonic = MonotonicInstant(nanoseconds: 1_000_000_000)

  init(_ configure: (inout ServerConfiguration) -> Void = { _ in }) throws {
    var configuration = ServerConfiguration()
    configuration.data = ":memory:"
    configure(&configuration)
    store = try SQLiteStore(StoreConfiguration(folder: ":memory:"))
    var registry = MetricsRegistry()
    let desk = desk
    context = ServerContext(
      configuration, signingKey: Array(repeating: 7, count: 32), metrics: ServerMetrics(registry: &registry),
      registry: registry, undelivered: UndeliveredCommands(), wallNow: { desk.wall.withLock { $0 } },
      submit: { job, address in
        desk.jobs.withLock { $0.append((job, address)) }
        return true
      },
      ask: { question, _ in
        desk.questions.withLock { $0.append(question) }
        return true
      })
    context.undelivered.open { job in desk.jobs.withLock { $0.append((job, .discarded)) } }
    session = IngestSession(
      context, scratch: SessionScratch(), address: SessionAddress(loop: 0, connection: 0), isLocal: true)
  }

  /// A device's request, as the transport would send it.
  func answer(_ request: OutgoingRequest, at now: Moment) throws -> RequestOutcome {
    desk.wall.withLock { $0 = now.wall }
    let path = request.url.drop { $0 != "/" }.dropFirst(2).drop { $0 != "/" }
    let fields = request.headers.map { ($0.name, $0.value) }
    let (status, body) = try ask(request.method, String(path), fields, request.body)
    return .answered(status: status, reason: "", body: body)
  }

  /// Somebody else's.
  func ask(_ method: String, _ path: String, _ body: String? = nil) throws -> JSONValue {
    let answer = try ask(method, path, [], body.map { Array($0.utf8) })
    return try JSONValue(parsing: answer.body.span)
  }

  /// How many records of the device are stored; none of one that the server does not know.
  func count(of device: String) throws -> Int {
    guard case .array(let records)? = try ask("GET", "/admin/v1/devices/\(device)/locations?limit=1000")["locations"]
    else { return 0 }
    return records.count
  }

  private func ask(
    _ method: String, _ path: String, _ fields: [(String, String)], _ body: [UInt8]?
  ) throws -> (status: Int, body: [UInt8]) {
    var head = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n"
    for (name, value) in fields { head += "\(name): \(value)\r\n" }
    if let body { head += "Content-Length: \(body.count)\r\n" }
    var unread = Array((head + "\r\n").utf8) + (body ?? [])
    var sent: [UInt8] = []
    var isMoving = true
    while isMoving {
      isMoving = false
      var output = SessionOutput(now: monotonic, unsentMax: 65_536)
      if session.wishes.wantsInput && !unread.isEmpty {
        let shown = unread
        let taken = session.receive(shown.span, &output)
        unread.removeFirst(taken)
        isMoving = taken > 0
      }
      if commit(&output) || read(&output) { isMoving = true }
      if session.wishes.hasMoreOutput {
        session.produce(&output)
        isMoving = true
      }
      sent += output.bytes
    }
    return try Self.parse(sent)
  }

  private func commit(_ output: inout SessionOutput) -> Bool {
    let jobs = desk.jobs.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    for (job, result) in zip(jobs, store.apply(jobs.map(\.job), now: desk.wall.withLock { $0 })) {
      context.undelivered.committed(result, for: job.address)
      if job.address != .discarded { session.deliver(.completed(result), &output) }
    }
    return !jobs.isEmpty
  }

  private func read(_ output: inout SessionOutput) -> Bool {
    let questions = desk.questions.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    guard let reader = store.reader else { return false }
    for question in questions { session.deliver(question(reader), &output) }
    return !questions.isEmpty
  }

  private static func parse(_ received: [UInt8]) throws -> (status: Int, body: [UInt8]) {
    var parser = ResponseParser(to: .post)
    var head = ResponseHead()
    var body: [UInt8] = []
    var taken = 0
    while true {
      let input = received.span.extracting(taken..<received.count)
      let step = try parser.next(input, into: &head)
      switch step.event {
      case .needMoreInput: throw NoWholeAnswer(text: String(decoding: received, as: UTF8.self))
      case .head: break
      case .body(let range): for index in range { body.append(input[index]) }
      case .end: return (head.status, body)
      }
      taken += step.taken
    }
  }

  struct NoWholeAnswer: Error {
    let text: String
  }
}
