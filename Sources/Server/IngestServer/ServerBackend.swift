package import Base
package import Network
package import Store
import Synchronization

/// What sessions need from the threads around them: clock, store, figures. Called from any event loop.
package protocol ServerBackend: Sendable {
  var now: WallInstant { get }

  /// Submits a job to the store's writer; returns false when its queue is full. The result is sent to the address.
  func submit(_ job: StoreJob, for address: SessionAddress) -> Bool
  /// Asks a reader of the store; returns false when too many questions wait. The answer is sent to the address, before or after
  /// this call returns.
  func ask(_ question: @escaping StoreQuestion, for address: SessionAddress) -> Bool

  /// Why the store cannot commit; nil when it can.
  var outage: StoreOutage? { get }
  /// The error message of the disk or the database.
  var outageDetail: String? { get }
  /// How long the writer's current step has lasted; nil between steps.
  var stall: Nanoseconds? { get }
  /// Whether a job would be refused.
  var isFull: Bool { get }
  /// The number of jobs that wait for the writer.
  var waitingJobs: Int { get }
  /// The counters of all event loops together; nil without loops.
  var network: LoopFigures? { get }
}

extension ServerBackend {
  var stall: Nanoseconds? { nil }
}

/// The backend of a live server, with threads.
final class ThreadedBackend: ServerBackend {
  private struct Reference {
    weak var loops: LoopGroup<IngestSession>?
  }

  private let writer: WriterThread
  private let readers: ReadPool
  private let dispatcher: ResultDispatcher
  private let mailbox: Gauge
  private let clock = SystemClock()
  /// Set after the sessions' backend is made. The reference does not keep the loops alive: they end with their server.
  private let loops = Mutex(Reference())
  private let others = Mutex<@Sendable () -> LoopFigures>({ LoopFigures() })

  init(_ writer: WriterThread, _ readers: ReadPool, _ dispatcher: ResultDispatcher, mailbox: Gauge) {
    (self.writer, self.readers, self.dispatcher, self.mailbox) = (writer, readers, dispatcher, mailbox)
  }

  func watch(_ loops: LoopGroup<IngestSession>) { self.loops.withLock { $0.loops = loops } }

  /// Adds the loops of a proxy, whose connections are counted with those of its administration.
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
