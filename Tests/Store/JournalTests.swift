import Base
import Store
import Synchronization
import Testing

@Suite struct JournalTests {
  private func entry(_ number: Int, run: String = "", status: Int = 200, path: String = "/locations") -> JournalEntry {
    JournalEntry(
      run: run, device: "device-\(number % 3)", receivedAt: Int64(number), method: "POST", path: path, status: status,
      head: Array("a: b".utf8), body: Array("{\(number)}".utf8), fault: number % 5 == 0 ? "delay" : nil)
  }

  private func all(_ journal: Journal, _ filter: JournalFilter, pages: Int = 7) throws -> [JournaledRequest] {
    var found: [JournaledRequest] = []
    var next: Int64? = 0
    while let sequence = next {
      let page = try journal.requests(matching: filter, after: sequence, limit: pages)
      found += page.elements
      next = page.next
    }
    return found
  }

  @Test func whatIsWrittenComesBackInOrder() throws {
    let journal = try Journal(folder: ":memory:")
    let entries = (0..<50).map { entry($0) }
    try journal.append(Array(entries[..<20]))
    try journal.append(Array(entries[20...]))
    #expect(try all(journal, JournalFilter()).map(\.entry) == entries)
    #expect(try all(journal, JournalFilter()).map(\.sequence) == Array(1...50))
  }

  @Test func filtersSelectAndCombine() throws {
    let journal = try Journal(folder: ":memory:")
    let entries = (0..<60).map {
      entry(
        $0, run: $0 % 2 == 0 ? "" : "test", status: $0 % 4 == 0 ? 503 : 200, path: $0 < 30 ? "/locations" : "/logs/x")
    }
    try journal.append(entries)
    func count(_ filter: JournalFilter) throws -> Int { try all(journal, filter).count }
    #expect(try count(JournalFilter(run: "test")) == 30)
    #expect(try count(JournalFilter(device: "device-1")) == 20)
    #expect(try count(JournalFilter(status: 503)) == 15)
    #expect(try count(JournalFilter(pathPrefix: "/logs")) == 30)
    #expect(try count(JournalFilter(run: "", status: 503, pathPrefix: "/loc")) == 8)
    #expect(try count(JournalFilter(run: "test", status: 503)) == 0)
  }

  @Test func theOldestGiveWay() throws {
    var limits = JournalLimits()
    limits.rows = 10
    let journal = try Journal(folder: ":memory:", limits: limits)
    for number in 0..<25 { try journal.append([entry(number)]) }
    #expect(try all(journal, JournalFilter()).map(\.sequence) == Array(16...25))
    limits.rows = 1_000
    limits.bytes = 3_000
    let small = try Journal(folder: ":memory:", limits: limits)
    try small.append((0..<100).map { entry($0) })
    let kept = try all(small, JournalFilter())
    #expect(kept.last?.sequence == 100 && kept.count > 5 && kept.count < 12)
  }

  @Test func aResetForgetsOneRunAndSequencesGoOn() throws {
    let journal = try Journal(folder: ":memory:")
    try journal.append([entry(1), entry(2, run: "test"), entry(3, run: "test")])
    try journal.reset(run: "test")
    #expect(try all(journal, JournalFilter()).map(\.entry.receivedAt) == [1])
    try journal.append([entry(4)])
    #expect(try all(journal, JournalFilter()).map(\.sequence) == [1, 4])
  }

  @Test func theWriterWritesAndAnswersAndSurvives() async throws {
    let folder = try TemporaryFolder()
    var registry = MetricsRegistry()
    let dropped = registry.counter("dropped_total", help: "Dropped.")
    do {
      let writer = try JournalWriter(folder: folder.path, dropped: dropped)
      for number in 0..<100 { #expect(writer.record(entry(number))) }
      let page = await withCheckedContinuation { continuation in
        let isAccepted = writer.ask { journal in
          continuation.resume(returning: Result { try journal.requests(limit: 1_000).elements.count })
        }
        #expect(isAccepted)
      }
      #expect(try page.get() == 100)
      #expect(writer.record(entry(100)))
      writer.stop()
      #expect(!writer.record(entry(101)))
    }
    #expect(dropped.value == 1)
    #expect(try all(try Journal(folder: folder.path), JournalFilter()).count == 101)
  }

  @Test func whatDoesNotFitIsCounted() throws {
    var registry = MetricsRegistry()
    let dropped = registry.counter("dropped_total", help: "Dropped.")
    var limits = JournalLimits()
    limits.mailboxEntries = 3
    let writer = try JournalWriter(folder: ":memory:", limits: limits, dropped: dropped)
    let gate = Gate()
    gate.mutex.withLock { _ in
      // The journal's thread waits at the gate; meanwhile three entries fit.
      #expect(writer.ask { _ in gate.mutex.withLock { _ in } })
      var accepted = 0
      for number in 0..<1_000 where writer.record(entry(number)) { accepted += 1 }
      #expect(accepted >= 3 && accepted <= 6)
      #expect(dropped.value == UInt64(1_000 - accepted))
    }
    writer.stop()
  }

  private final class Gate: Sendable {
    let mutex = Mutex(())
  }
}
