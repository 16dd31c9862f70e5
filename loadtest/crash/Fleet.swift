import Synchronization
import Threads

/// The clients of one campaign and their threads.
final class Fleet {
  let course: Course
  let clients: [Client]
  private var threads: [NamedThread] = []

  init(clients count: Int, seed: UInt64, losesOnlyAnswers: Bool = false) throws(CampaignError) {
    let course = Course(losesOnlyAnswers: losesOnlyAnswers)
    self.course = course
    clients = (0..<count).map { Client(number: $0, seed: seed, course: course) }
    for client in clients { threads.append(NamedThread.started("client") { client.run() }) }
  }

  /// Every client gets the 2xx for what it has begun; then there are no clients any more.
  func finish() -> [Ledger] {
    course.stop()
    for thread in threads { thread.join() }
    threads = []
    return ledgers
  }

  var ledgers: [Ledger] { clients.map { $0.ledger.withLock { $0 } } }

  var acknowledgedBatches: Int { clients.reduce(0) { $0 + $1.ledger.withLock { $0.acknowledgedBatches } } }
}
