package import Base
package import Network
package import Store
import Synchronization

/// What sessions need of what runs beside them: clock, store, figures. Called from any event loop.
package protocol ServerBackend: Sendable {
  var now: WallInstant { get }

  /// Hands a job to the store's writer; false when it has more than it can take. The result comes back to the address.
  func submit(_ job: StoreJob, for address: SessionAddress) -> Bool
  /// Puts a question to a reader of the store; false when too many wait. What it returns comes back to the address, before
  /// or after this call returns.
  func ask(_ question: @escaping StoreQuestion, for address: SessionAddress) -> Bool

  /// Why the store cannot commit.
  var outage: StoreOutage? { get }
  /// What the disk or the database said of it.
  var outageDetail: String? { get }
  /// How long the writer's step at hand has lasted; nil between two.
  var stall: Nanoseconds? { get }
  /// A job would be refused.
  var isFull: Bool { get }
  /// Jobs that wait for the writer.
  var waitingJobs: Int { get }
  /// The counters of all event loops together; nil where there are none.
  var network: LoopFigures? { get }
}

extension ServerBackend {
  var stall: Nanoseconds? { nil }
}

/// The threads of a live server.
final class ThreadedBackend: ServerBackend {
  private struct Reference {
    weak var loops: LoopGroup<IngestSession>?
  }

  private let writer: WriterThread
  private let readers: ReadPool
  private let dispatcher: ResultDispatcher
  private let mailbox: Gauge
  private let clock = SystemClock()
  /// Made after their sessions' backend, which does not keep them alive: they end with their server.
  private let loops = Mutex(Reference())
  private let others = Mutex<@Sendable () -> LoopFigures>({ LoopFigures() })

  init(_ writer: WriterThread, _ readers: ReadPool, _ dispatcher: ResultDispatcher, mailbox: Gauge) {
    (self.writer, self.readers, self.dispatcher, self.mailbox) = (writer, readers, dispatcher, mailbox)
  }

  func watch(_ loops: LoopGroup<IngestSession>) { self.loops.withLock { $0.loops = loops } }

  /// The loops of a proxy, whose connections are counted with those of its administration.
  func watch(others figures: @escaping @Sendable () -> LoopFigures) { others.withLock { $0 = figures } }

  var now: WallInstant { clock.wallNow }

  func submit(_ job: StoreJob, for address: SessionAddress) -> Bool {
    writer.submit(job, ticket: Ticket(owner: address.loop, number: address.connection))
  }

  func ask(_ question: @escaping StoreQuestion, for address: SessionAddress) -> Bool {
    readers.ask { [dispatcher] reader in dispatcher.send(question(reader), to: address) }
  }

  var outage: StoreOutage? { writer.outage }
  var outageDetail: String? { writer.outageDetail }
  var stall: Nanoseconds? { writer.stall }
  var isFull: Bool { writer.isFull }
  var waitingJobs: Int { Int(mailbox.value) }
  var network: LoopFigures? { loops.withLock { $0.loops }?.figures.reduce(others.withLock { $0 }(), +) }
}
