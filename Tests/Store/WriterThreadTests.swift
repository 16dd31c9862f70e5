import Base
import Glibc
import Store
import Support
import Synchronization
import Testing

@Suite struct WriterThreadTests {
  /// Everything that came back, in order.
  private final class Inbox: Sendable {
    let completions = Mutex<[Completion]>([])
    let batches = Mutex(0)

    func deliver(_ some: [Completion]) {
      completions.withLock { $0 += some }
      batches.withLock { $0 += 1 }
    }

    var tickets: [Ticket] { completions.withLock { $0.map(\.ticket) } }
  }

  private func metrics() -> WriterMetrics {
    var registry = MetricsRegistry()
    return WriterMetrics(in: &registry)
  }

  private func job(_ number: Int = 1) -> StoreJob { .ingest(Sample.batch([number])) }

  @Test(arguments: StoreKind.allCases) func everyJobOfEveryProducerComesBackOnce(_ kind: StoreKind) async throws {
    let inbox = Inbox()
    let store = try TestStore(kind, isKept: true)
    store.close()
    let place = store.place
    var registry = MetricsRegistry()
    let metrics = WriterMetrics(in: &registry)
    let writer = try WriterThread(metrics: metrics, deliver: { inbox.deliver($0) }) { () throws(StoreError) in
      let timer = CommitTimer(metrics.commitTime) { SystemClock().monotonicNow }
      return try place.open(commitTimer: timer)
    }
    await withTaskGroup { group in
      for producer in 0..<4 {
        group.addTask {
          for number in 0..<250 {
            let batch = Sample.batch(Sample.device(producer), [number])
            #expect(writer.submit(.ingest(batch), ticket: Ticket(owner: producer, number: UInt64(number))))
          }
        }
      }
    }
    writer.stop()
    #expect(inbox.tickets.count == 1_000)
    #expect(Set(inbox.tickets).count == 1_000)
    for producer in 0..<4 {
      let own = inbox.tickets.filter { $0.owner == producer }.map(\.number)
      #expect(own == Array(0..<250), "the order of submission is kept")
    }
    #expect(try place.openReader().countStored() == 1_000)
    var page: [UInt8] = []
    registry.render(into: &page)
    func figure(_ name: String) -> Double? {
      let line = String(decoding: page, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix(name + " ") }
      return line?.split(separator: " ").last.flatMap { Double($0) }
    }
    let (group, commit) = ("rollingroad_store_group_seconds", "rollingroad_store_commit_seconds")
    #expect(figure(commit + "_count") == figure(group + "_count"))
    let (whole, part) = try (#require(figure(group + "_sum")), #require(figure(commit + "_sum")))
    #expect(part > 0 && part < whole, "a commit is a part of its group")
  }

  @Test func whatArrivesDuringACommitIsTheNextGroup() throws {
    let inbox = Inbox()
    let record = StubStore.Record()
    let metrics = metrics()
    let writer = try WriterThread(metrics: metrics, deliver: { inbox.deliver($0) }) { StubStore(record) }
    record.gate.withLock { _ in
      #expect(writer.submit(job(), ticket: Ticket(number: 0)))
      while record.groups.withLock({ $0.isEmpty }) { sched_yield() }
      for number in 1..<10 { #expect(writer.submit(job(), ticket: Ticket(number: UInt64(number)))) }
    }
    writer.stop()
    #expect(record.groups.withLock { $0 } == [1, 9])
    #expect(inbox.batches.withLock { $0 } == 2)
    #expect(record.isClosed.withLock { $0 })
  }

  @Test func aFullMailboxRefusesAndLosesNothing() throws {
    let inbox = Inbox()
    let record = StubStore.Record()
    let metrics = metrics()
    var limits = WriterLimits()
    limits.mailboxJobs = 5
    let writer = try WriterThread(limits: limits, metrics: metrics, deliver: { inbox.deliver($0) }) {
      StubStore(record)
    }
    var accepted: [UInt64] = []
    record.gate.withLock { _ in
      #expect(writer.submit(job(), ticket: Ticket(number: 100)))
      while record.groups.withLock({ $0.isEmpty }) { sched_yield() }
      for number in 0..<8 as Range<UInt64> where writer.submit(job(), ticket: Ticket(number: number)) {
        accepted.append(number)
      }
    }
    writer.stop()
    #expect(accepted == [0, 1, 2, 3, 4])
    #expect(inbox.tickets.map(\.number) == [100] + accepted)
    #expect(metrics.refusedJobs.value == 3)
    #expect(!writer.submit(job(), ticket: Ticket(number: 9)), "nothing is taken after the stop")
  }

  @Test func aFullMailboxSaysSoUntilTheWriterTakesSomethingOut() throws {
    let inbox = Inbox()
    let record = StubStore.Record()
    var limits = WriterLimits()
    limits.mailboxJobs = 2
    let writer = try WriterThread(limits: limits, metrics: metrics(), deliver: { inbox.deliver($0) }) {
      StubStore(record)
    }
    record.gate.withLock { _ in
      #expect(writer.submit(job(), ticket: Ticket(number: 0)))
      while record.groups.withLock({ $0.isEmpty }) { sched_yield() }
      #expect(writer.submit(job(), ticket: Ticket(number: 1)) && !writer.isFull)
      #expect(writer.submit(job(), ticket: Ticket(number: 2)) && writer.isFull)
    }
    while inbox.tickets.count < 3 { sched_yield() }
    #expect(!writer.isFull)
    writer.stop()
  }

  @Test func bytesAreBoundedTooAndAGroupHasLimits() throws {
    let inbox = Inbox()
    let record = StubStore.Record()
    var limits = WriterLimits()
    limits.mailboxBytes = job().byteCount * 6
    limits.groupRows = 2
    let writer = try WriterThread(limits: limits, metrics: metrics(), deliver: { inbox.deliver($0) }) {
      StubStore(record)
    }
    var count = 0
    record.gate.withLock { _ in
      #expect(writer.submit(job(), ticket: Ticket(number: 0)))
      while record.groups.withLock({ $0.isEmpty }) { sched_yield() }
      while writer.submit(job(), ticket: Ticket(number: 1)) { count += 1 }
    }
    writer.stop()
    #expect(count == 6)
    #expect(record.groups.withLock { $0 } == [1, 2, 2, 2])
  }

  @Test func anOutageIsReportedToEachJobAndToTheWorld() throws {
    let inbox = Inbox()
    let record = StubStore.Record()
    let writer = try WriterThread(metrics: metrics(), deliver: { inbox.deliver($0) }) {
      StubStore(record, answering: .unavailable(.inputOutput))
    }
    #expect(writer.submit(job(), ticket: Ticket(number: 1)))
    writer.stop()
    #expect(inbox.completions.withLock { $0.map(\.result) } == [.unavailable(.inputOutput)])
    #expect(writer.outage == .inputOutput)
  }

  @Test func aStoreThatDoesNotOpenIsAnError() {
    #expect(throws: StoreError.self) {
      try WriterThread(metrics: metrics(), deliver: { _ in }) { () throws(StoreError) in
        try SQLiteStore(StoreConfiguration(folder: "/proc/nothing"))
      }
    }
  }

  @Test(arguments: [true, false])
  func theReadPoolAnswers(isInMemory: Bool) async throws {
    let inbox = Inbox()
    let folder = try TemporaryFolder()
    let configuration = StoreConfiguration(folder: isInMemory ? ":memory:" : folder.path)
    let writer = try WriterThread(metrics: metrics(), deliver: { inbox.deliver($0) }) { () throws(StoreError) in
      try SQLiteStore(configuration)
    }
    let path = folder.path
    let pool =
      isInMemory
      ? ReadPool(through: writer) : try ReadPool { () throws(StoreError) in try SQLiteReader(folder: path) }
    #expect(writer.submit(job(7), ticket: Ticket(number: 1)))
    while inbox.tickets.isEmpty { sched_yield() }
    let counts = await withCheckedContinuation { continuation in
      let isAccepted = pool.ask { reader in continuation.resume(returning: Result { try reader.counts() }) }
      #expect(isAccepted)
    }
    #expect(try counts.get().accepted == 1)
    pool.stop()
    writer.stop()
  }
}
