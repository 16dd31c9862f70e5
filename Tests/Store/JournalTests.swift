import Base
import Database
import Store
import Support
import Synchronization
import Testing

@Suite struct JournalTests {
  private func entry(_ number: Int, run: String = "", status: Int = 200, path: String = "/locations") -> JournalEntry {
    JournalEntry(
      run: run, device: "device-\(number % 3)", receivedAt: Int64(number), method: "POST", path: path, status: status,
      head: Array("a: b".utf8), body: Array("{\(number)}".utf8), fault: number % 5 == 0 ? "delay" : nil)
  }

  private func batch(_ entries: [JournalEntry], _ limits: JournalLimits = JournalLimits()) -> JournalBatch {
    var batch = JournalBatch(limits: limits)
    for entry in entries {
      let hasRoom = batch.append(entry)
      #expect(hasRoom)
    }
    return batch
  }

  /// What an entry counts for in the bounds: its head of fixed width and its texts.
  private func size(of entry: JournalEntry) -> Int {
    let texts = [entry.run, entry.device ?? "", entry.method, entry.path, entry.fault ?? ""]
    return 56 + texts.reduce(0) { $0 + $1.utf8.count } + entry.head.count + entry.body.count + entry.answer.count
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
    try journal.append(batch(Array(entries[..<20])))
    try journal.append(batch(Array(entries[20...])))
    #expect(try all(journal, JournalFilter()).map(\.entry) == entries)
    #expect(try all(journal, JournalFilter()).map(\.sequence) == Array(1...50))
  }

  @Test func theNewestFirstIsTheSameBackwards() throws {
    let journal = try Journal(folder: ":memory:")
    for start in stride(from: 0, to: 60, by: 12) { try journal.append(batch((start..<start + 12).map { entry($0) })) }
    var filter = JournalFilter(device: "device-1")
    let forwards = try all(journal, filter).map(\.sequence)
    filter.isNewestFirst = true
    var backwards: [Int64] = []
    var next: Int64? = .max
    while let sequence = next {
      let page = try journal.requests(matching: filter, after: sequence, limit: 7)
      backwards += page.elements.map(\.sequence)
      next = page.next
    }
    #expect(backwards == forwards.reversed() && backwards.count == 20)
  }

  @Test func filtersSelectAndCombine() throws {
    let journal = try Journal(folder: ":memory:")
    let entries = (0..<60).map {
      entry(
        $0, run: $0 % 2 == 0 ? "" : "test", status: $0 % 4 == 0 ? 503 : 200, path: $0 < 30 ? "/locations" : "/logs/x")
    }
    try journal.append(batch(entries))
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
    for number in 0..<25 { try journal.append(batch([entry(number)], limits)) }
    #expect(try all(journal, JournalFilter()).map(\.sequence) == Array(16...25))
    limits.rows = 1_000
    limits.bytes = 10_000
    let small = try Journal(folder: ":memory:", limits: limits)
    let entries = (0..<300).map { entry($0) }
    try small.append(batch(entries, limits))
    // Whole blocks go, and a block is a 64th of the bound or one entry.
    let kept = try all(small, JournalFilter())
    let bytes = kept.map { size(of: $0.entry) }.reduce(0, +)
    #expect(kept.map(\.entry) == entries.suffix(kept.count))
    #expect(bytes <= 10_000 && bytes > 10_000 - 10_000 / 64 - size(of: entries[0]))
  }

  @Test func aResetForgetsOneRunAndSequencesGoOn() throws {
    let journal = try Journal(folder: ":memory:")
    try journal.append(batch([entry(1), entry(2, run: "test"), entry(3, run: "test")]))
    try journal.reset(run: "test")
    #expect(try all(journal, JournalFilter()).map(\.entry.receivedAt) == [1])
    try journal.append(batch([entry(4)]))
    #expect(try all(journal, JournalFilter()).map(\.sequence) == [1, 4])
  }

  @Test func aResetOfOneRunRewritesWhatItSharedABlockWith() throws {
    let journal = try Journal(folder: ":memory:")
    let entries = (0..<400).map { entry($0, run: "run-\($0 % 100)") }
    for start in stride(from: 0, to: 400, by: 80) { try journal.append(batch(Array(entries[start..<start + 80]))) }
    try journal.reset(run: "run-17")
    let kept = entries.enumerated().filter { $0.element.run != "run-17" }
    #expect(try all(journal, JournalFilter()).map(\.entry) == kept.map(\.element))
    #expect(try all(journal, JournalFilter()).map(\.sequence) == kept.map { Int64($0.offset + 1) })
    // Of all other runs nothing is missing, whatever bits their hashes share.
    for run in 0..<100 {
      #expect(try all(journal, JournalFilter(run: "run-\(run)")).count == (run == 17 ? 0 : 4))
    }
    try journal.reset(run: nil)
    #expect(try all(journal, JournalFilter()).isEmpty)
    try journal.append(batch([entry(4)]))
    #expect(try all(journal, JournalFilter()).map(\.sequence) == [401])
  }

  @Test func everyFieldComesBackAsItWas() throws {
    let journal = try Journal(folder: ":memory:")
    let full = JournalEntry(
      run: "täst", device: "", receivedAt: .max, durationMicroseconds: -1, method: "M", path: "/\u{1F697}",
      status: 599, head: [0, 255], body: Array(repeating: 7, count: 70_000),
      isBodyWhole: false, answer: [1], fault: "")
    let empty = JournalEntry(receivedAt: .min, method: "", path: "", status: 0)
    try journal.append(batch([full, empty, full]))
    #expect(try all(journal, JournalFilter()).map(\.entry) == [full, empty, full])
  }

  @Test func aPageThatLookedAtEnoughSaysWhereToGoOn() throws {
    let journal = try Journal(folder: ":memory:")
    for _ in 0..<3 { try journal.append(batch((0..<9_000).map { entry($0) })) }
    let page = try journal.requests(matching: JournalFilter(status: 404), limit: 5)
    #expect(page.elements.isEmpty && page.next == 10_000)
    #expect(try all(journal, JournalFilter(status: 404)).isEmpty)
    #expect(try all(journal, JournalFilter(device: "device-0"), pages: 1_000).count == 9_000)
  }

  @Test func anOlderJournalIsEmptiedAndItsNumbersGoOn() throws {
    let folder = try TemporaryFolder()
    do {
      let old = try Connection(path: folder.path + "/journal.db")
      try old.apply(.pageSize(bytes: 8_192))
      try old.migrate(to: Schema(applicationID: 0x5252_6A72, migrations: [Migration(1, JournalTests.firstSchema)]))
      try old.execute(
        """
        INSERT INTO requests(sequence, run, received, duration, method, path, status, head, body, answer, size)
        VALUES(41, '', 0, 0, 'POST', '/', 200, x'', x'', x'', 300)
        """)
    }
    let journal = try Journal(folder: folder.path)
    try journal.append(batch([entry(1)]))
    #expect(try all(journal, JournalFilter()).map(\.sequence) == [42])
  }

  private static let firstSchema = """
    CREATE TABLE requests(
      sequence INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL, device TEXT, received INTEGER NOT NULL,
      duration INTEGER NOT NULL, method TEXT NOT NULL, path TEXT NOT NULL, status INTEGER NOT NULL,
      head BLOB NOT NULL, body BLOB NOT NULL, answer BLOB NOT NULL, fault TEXT, size INTEGER NOT NULL) STRICT;
    CREATE INDEX requests_by_run ON requests(run);
    """

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

  @Test func droppedEntriesAreCounted() throws {
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

/// What a proxy writes down of the records that it has passed on.
@Suite struct LedgerRecordTests {
  private func batch(_ records: [LedgerRecord]) -> JournalBatch {
    var batch = JournalBatch(limits: JournalLimits())
    let hasRoom = batch.append(nil, sent: records)
    #expect(hasRoom)
    return batch
  }

  private func record(
    _ number: UInt64, at: Int64, status: Int, isDelivered: Bool = true, run: String = "", device: String = "car"
  ) -> LedgerRecord {
    LedgerRecord(
      uuid: UUID128(high: 0, low: number), device: DeviceIdentity(run: run, name: device), at: at, answeredAt: at + 5,
      status: status, isDelivered: isDelivered)
  }

  private func all(_ journal: Journal, _ filter: LedgerFilter, pages: Int) throws -> [LedgerAccount] {
    var found: [LedgerAccount] = []
    var cursor: LedgerRecordCursor?
    repeat {
      let page = try journal.sentRecords(matching: filter, after: cursor, limit: pages)
      found += page.elements
      cursor = page.next
    } while cursor != nil
    return found
  }

  @Test func sendingsOfARecordAddUp() throws {
    let journal = try Journal(folder: ":memory:")
    try journal.append(
      batch([
        record(1, at: 10, status: 0), record(2, at: 11, status: 503),
        record(3, at: 12, status: 200, isDelivered: false),
      ]))
    try journal.append(batch([record(1, at: 20, status: 200), record(3, at: 21, status: 200, run: "r")]))
    let found = try all(journal, LedgerFilter(), pages: 2)
    #expect(found.map(\.state) == [.acknowledged, .refused, .undelivered, .acknowledged])
    #expect(found.map(\.attempts) == [2, 1, 1, 1])
    #expect(found[0].firstAt == 10 && found[0].lastAt == 20 && found[0].acknowledgedAt == 25)
    try journal.append(batch([record(3, at: 30, status: 500), record(3, at: 31, status: 200)]))
    var filter = LedgerFilter()
    filter.uuid = UUID128(high: 0, low: 3)
    filter.run = ""
    let third = try all(journal, filter, pages: 9)
    #expect(third.map(\.attempts) == [3] && third[0].acknowledgements == 2 && third[0].deliveries == 1)
    #expect(third[0].acknowledgedAt == 17 && third[0].state == .acknowledged)
  }

  /// As the store tells records apart.
  @Test func aUUIDMayBeThatOfRecordsOfSeveralDevices() throws {
    let journal = try Journal(folder: ":memory:")
    try journal.append(batch([record(1, at: 10, status: 200), record(1, at: 11, status: 500, device: "van")]))
    let found = try all(journal, LedgerFilter(), pages: 1)
    #expect(found.map(\.device.name) == ["car", "van"] && found.map(\.state) == [.acknowledged, .refused])
    #expect(found.map(\.attempts) == [1, 1])
  }

  @Test func pagesOfAnySizeHoldEveryRecordOnce() throws {
    let journal = try Journal(folder: ":memory:")
    let records = (0..<40).map { number in
      record(number / 4, at: 1, status: number % 3 == 0 ? 200 : 0, run: "\(number % 2)", device: "\(number / 2 % 2)")
    }
    try journal.append(batch(records))
    var filter = LedgerFilter()
    for pages in [1, 3, 39, 40, 100] {
      #expect(try all(journal, filter, pages: pages).count == 40)
      filter.state = .acknowledged
      #expect(try all(journal, filter, pages: pages).count == 14)
      filter.state = nil
    }
  }

  @Test func aResetForgetsThemByRun() throws {
    let journal = try Journal(folder: ":memory:")
    try journal.append(batch([record(1, at: 1, status: 200, run: "a"), record(1, at: 1, status: 200, run: "b")]))
    try journal.reset(run: "a")
    #expect(try all(journal, LedgerFilter(), pages: 9).map(\.device.run) == ["b"])
    try journal.reset(run: nil)
    #expect(try all(journal, LedgerFilter(), pages: 9).isEmpty)
  }
}
