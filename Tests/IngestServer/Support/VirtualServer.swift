import Base
import HTTP1
import Network
import Store
import Synchronization

@testable import IngestServer

/// A server in virtual time with any number of connections: no sockets and no threads. Every step happens when `settle` or
/// `advance` says so, in a fixed order, so that a test can say what came before what.
final class VirtualServer {
  final class Desk: Sendable {
    let jobs = Mutex<[(job: StoreJob, address: SessionAddress)]>([])
    let letters = Mutex<[EventHub.Message]>([])
    let questions = Mutex<[(question: StoreQuestion, address: SessionAddress)]>([])
    let wall = Mutex(WallInstant(millisecondsSince1970: 1_785_263_663_000))
  }

  let sqlite: SQLiteStore
  let store: WatchedStore
  let hub: EventHub
  let context: ServerContext
  let registry: MetricsRegistry
  private let desk = Desk()
  private let scratch = SessionScratch()
  private(set) var now = MonotonicInstant(nanoseconds: 1_000_000_000)
  private(set) var clients: [VirtualClient] = []
  /// Jobs stay undone while it is false.
  var commits = true

  init(_ configure: (inout ServerConfiguration) -> Void = { _ in }) throws {
    var configuration = ServerConfiguration()
    configuration.data = ":memory:"
    configure(&configuration)
    let desk = desk
    hub = EventHub(epoch: 7, post: { letters in desk.letters.withLock { $0 += letters } })
    sqlite = try SQLiteStore(StoreConfiguration(folder: ":memory:"))
    store = WatchedStore(sqlite, hub: hub)
    var registry = MetricsRegistry()
    let metrics = ServerMetrics(registry: &registry)
    self.registry = registry
    context = ServerContext(
      configuration, signingKey: Array(repeating: 7, count: 32), metrics: metrics, registry: registry,
      wallNow: { desk.wall.withLock { $0 } },
      submit: { job, address in
        desk.jobs.withLock { $0.append((job, address)) }
        return true
      },
      ask: { question, address in
        desk.questions.withLock { $0.append((question, address)) }
        return true
      }, hub: hub)
  }

  /// `reads` false makes a client that takes nothing of what it is sent.
  func connect(reads: Bool = true) -> VirtualClient {
    let address = SessionAddress(loop: 0, connection: UInt64(clients.count))
    let session = IngestSession(context, scratch: scratch, address: address, isLocal: true)
    let client = VirtualClient(self, session, reads: reads)
    clients.append(client)
    return client
  }

  /// Until nothing moves any more.
  func settle() {
    var isMoving = true
    while isMoving {
      isMoving = false
      for client in clients where client.move() { isMoving = true }
      if commits, commit() { isMoving = true }
      if answerQuestions() { isMoving = true }
      if deliver() { isMoving = true }
    }
  }

  /// Moves time, and rings every alarm on the way when it is due.
  func advance(milliseconds: Int64) {
    let end = now + .milliseconds(milliseconds)
    settle()
    while let next = clients.compactMap(\.alarm).min(), next <= end {
      move(to: max(next, now))
      for client in clients where client.alarm.map({ $0 <= now }) ?? false { client.ring() }
      settle()
    }
    move(to: end)
  }

  private func move(to instant: MonotonicInstant) {
    let passed = (instant - now).wholeMilliseconds
    desk.wall.withLock { $0 = $0.advanced(byMilliseconds: passed) }
    now = instant
  }

  /// All jobs that wait, in one group.
  @discardableResult
  func commit() -> Bool {
    let jobs = desk.jobs.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    guard !jobs.isEmpty else { return false }
    let results = store.apply(jobs.map(\.job), now: desk.wall.withLock { $0 })
    for (job, result) in zip(jobs, results) where job.address != .discarded {
      desk.letters.withLock { $0.append((.completed(result), job.address)) }
    }
    return true
  }

  private func answerQuestions() -> Bool {
    let questions = desk.questions.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    for (question, address) in questions {
      let message = question(reader)
      desk.letters.withLock { $0.append((message, address)) }
    }
    return !questions.isEmpty
  }

  private func deliver() -> Bool {
    let letters = desk.letters.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    for (message, address) in letters { clients[Int(address.connection)].deliver(message) }
    return !letters.isEmpty
  }

  private var reader: StoreReader {
    guard let reader = sqlite.reader else { preconditionFailure("a store in memory is always open") }
    return reader
  }

  /// Records that are stored under a run.
  func stored(run: String = "") throws -> Int {
    try reader.devices(run: run, limit: 1_000).elements.reduce(0) { $0 + Int($1.points) }
  }

  /// The page of the metrics has this line.
  func shows(metric line: String) -> Bool {
    var page: [UInt8] = []
    registry.render(into: &page)
    return String(decoding: page, as: UTF8.self).split(separator: "\n").contains { $0 == line }
  }
}
