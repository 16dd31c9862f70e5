import Base
package import IngestServer
import Network
package import Store
import Synchronization
import Vocabulary

/// The server without sockets and threads: each request has a connection of its own and goes through the server's session
/// byte by byte; the store commits before the session hears of it.
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
  private let custody = CommandCustody()
  private let scratch = SessionScratch()
  private var connections: UInt64 = 0

  /// How many it has been shown so far.
  var requests: Int { Int(connections) }

  /// `store` is one in memory, or behaves like one.
  package init(store: any Store, _ configure: (inout ServerConfiguration) -> Void = { _ in }) {
    self.store = store
    var configuration = ServerConfiguration()
    configuration.data = ":memory:"
    configure(&configuration)
    var registry = MetricsRegistry()
    let metrics = ServerMetrics(registry: &registry)
    let desk = desk
    context = ServerContext(
      configuration, signingKey: Array(repeating: 7, count: 32), metrics: metrics, registry: registry,
      custody: custody, wallNow: { desk.wall.withLock { $0 } },
      submit: { job, address in
        desk.jobs.withLock { $0.append((job, address)) }
        return true
      },
      ask: { question, _ in
        desk.questions.withLock { $0.append(question) }
        return true
      })
    custody.open { job in desk.jobs.withLock { $0.append((job, .nobody)) } }
  }

  /// What the server says to these bytes until it wants nothing more; half an answer when it is cut.
  func answer(_ bytes: [UInt8], at now: Moment) -> [UInt8] {
    desk.wall.withLock { $0 = now.wall }
    connections += 1
    let address = SessionAddress(loop: 0, connection: connections)
    let session = IngestSession(context, scratch: scratch, address: address, isLocal: true)
    var taken = 0
    var output = SessionOutput(now: now.monotonic, unsentMax: .max)
    var isMoving = true
    while isMoving {
      isMoving = false
      if session.wishes.wantsInput && session.wishes.ending == .open && taken < bytes.count {
        let step = session.receive(bytes.span.extracting(taken..<bytes.count), &output)
        taken += step
        isMoving = step > 0
      }
      if commit(session, &output, at: now) || read(session, &output) { isMoving = true }
      if session.wishes.hasMoreOutput {
        session.produce(&output)
        isMoving = true
      }
    }
    session.closed(.clientClosed, now: now.monotonic)
    return output.bytes
  }

  private func commit(_ session: IngestSession, _ output: inout SessionOutput, at now: Moment) -> Bool {
    let jobs = desk.jobs.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    guard !jobs.isEmpty else { return false }
    for (job, result) in zip(jobs, store.apply(jobs.map(\.job), now: now.wall)) {
      custody.committed(result, for: job.address)
      if job.address != .nobody { session.deliver(.completed(result), &output) }
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
