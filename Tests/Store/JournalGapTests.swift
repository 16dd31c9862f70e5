import Base
import Store
import Support
import Synchronization
import Testing

/// What the journal says of the requests that it does not have.
@Suite struct JournalGapTests {
  private func entry(_ number: Int, run: String) -> JournalEntry {
    JournalEntry(run: run, receivedAt: Int64(number), method: "POST", path: "/locations", status: 200)
  }

  private func batch(_ entries: [JournalEntry], _ limits: JournalLimits) -> JournalBatch {
    var batch = JournalBatch(limits: limits)
    for entry in entries {
      let hasRoom = batch.append(entry)
      #expect(hasRoom)
    }
    return batch
  }

  private var small: JournalLimits {
    var limits = JournalLimits()
    limits.rows = 10
    return limits
  }

  @Test(arguments: [false, true]) func aRunWhoseOldestEntriesAreGoneHasAGap(isOpenedAgain: Bool) throws {
    let folder = try TemporaryFolder()
    var journal = try Journal(folder: folder.path, limits: small)
    for number in 1...4 { try journal.append(batch([entry(number, run: "old")], small)) }
    #expect(try journal.gaps(of: "old", from: .min).isEmpty)
    for number in 5...12 { try journal.append(batch([entry(number, run: "new")], small)) }
    if isOpenedAgain {
      try journal.close()
      journal = try Journal(folder: folder.path, limits: small)
    }
    // Entries 1 and 2 are gone, 3 is the oldest.
    let gap = JournalGap(cause: .forgotten, count: nil, last: 2)
    #expect(try journal.gaps(of: "old", from: .min) == [gap])
    #expect(try journal.gaps(of: "old", from: 2) == [gap])
    #expect(try journal.gaps(of: "old", from: 3).isEmpty)
    // Of the others nothing is missing, and of a run that never came neither.
    #expect(try journal.gaps(of: "new", from: .min).isEmpty)
    #expect(try journal.gaps(of: "none", from: .min).isEmpty)
    for number in 13...17 { try journal.append(batch([entry(number, run: "new")], small)) }
    #expect(try journal.gaps(of: "new", from: .min) == [JournalGap(cause: .forgotten, count: nil, last: 7)])
  }

  /// The journal is in the order of the answers.
  @Test(arguments: [false, true]) func aRequestThatTookLongIsForgottenWithItsTime(isOpenedAgain: Bool) throws {
    let folder = try TemporaryFolder()
    var journal = try Journal(folder: folder.path, limits: small)
    try journal.append(batch([entry(50, run: "a")], small))
    for number in 1...12 { try journal.append(batch([entry(number, run: "a")], small)) }
    if isOpenedAgain { journal = try Journal(folder: folder.path, limits: small) }
    let gap = JournalGap(cause: .forgotten, count: nil, last: 50)
    #expect(try journal.gaps(of: "a", from: 20).contains(gap))
    #expect(try !journal.gaps(of: "a", from: 51).contains(gap))
  }

  @Test(arguments: [true, false]) func aJournalThatWasNotClosedMayLackTheLast(isClosed: Bool) throws {
    let folder = try TemporaryFolder()
    func opened(at time: Int64) throws -> Journal {
      try Journal(folder: folder.path, limits: small, now: WallInstant(millisecondsSince1970: time))
    }
    do {
      let journal = try opened(at: 0)
      try journal.append(batch([entry(10, run: "a")], small))
      if isClosed { try journal.close() }
    }
    for start in [100, 200] as [Int64] {
      let journal = try opened(at: start)
      let gap = JournalGap(cause: .interrupted, count: nil, last: 100)
      #expect(try journal.gaps(of: "a", from: .min) == (isClosed ? [] : [gap]))
      #expect(try journal.gaps(of: "a", from: 100) == (isClosed ? [] : [gap]))
      #expect(try journal.gaps(of: "a", from: 101).isEmpty)
      // A run that begins behind it, and one that never came, lack nothing.
      try journal.append(batch([entry(Int(start) + 1, run: "b\(start)")], small))
      #expect(try journal.gaps(of: "b\(start)", from: .min).isEmpty)
      #expect(try journal.gaps(of: "none", from: .min).isEmpty)
      try journal.close()
    }
  }

  @Test func aResetEndsTheGapsOfItsRun() throws {
    let journal = try Journal(folder: ":memory:", limits: small)
    for number in 1...12 { try journal.append(batch([entry(number, run: number < 3 ? "a" : "b")], small)) }
    journal.drop(batch([entry(13, run: "a"), entry(14, run: "b")], small))
    #expect(try journal.gaps(of: "a", from: .min).map(\.cause) == [.dropped, .forgotten])
    try journal.reset(run: "a")
    #expect(try journal.gaps(of: "a", from: .min).isEmpty)
    #expect(try journal.gaps(of: "b", from: .min).map(\.cause) == [.dropped])
    try journal.append(batch([entry(15, run: "a")], small))
    #expect(try journal.gaps(of: "a", from: .min).isEmpty)
    try journal.reset(run: nil)
    #expect(try journal.gaps(of: "b", from: .min).isEmpty)
  }

  /// As on a full disk.
  @Test func whatCouldNotBeWrittenIsRemembered() throws {
    let folder = try TemporaryFolder()
    do {
      let journal = try Journal(folder: folder.path)
      let limits = JournalLimits()
      journal.drop(batch([entry(1, run: "a"), entry(2, run: "a"), entry(3, run: "b")], limits))
      #expect(try journal.gaps(of: "a", from: .min) == [JournalGap(cause: .dropped, count: 2, last: 2)])
      journal.drop(batch([entry(4, run: "a")], limits))
      try journal.append(batch([entry(5, run: "c")], limits))
      try journal.close()
    }
    let journal = try Journal(folder: folder.path)
    #expect(try journal.gaps(of: "a", from: 4) == [JournalGap(cause: .dropped, count: 3, last: 4)])
    #expect(try journal.gaps(of: "a", from: 5).isEmpty)
    #expect(try journal.gaps(of: "b", from: .min) == [JournalGap(cause: .dropped, count: 1, last: 3)])
    #expect(try journal.gaps(of: "c", from: .min).isEmpty)
  }

  @Test func whatCameFasterThanItCouldBeWrittenIsRemembered() async throws {
    var registry = MetricsRegistry()
    let dropped = registry.counter("dropped_total", help: "Dropped.")
    var limits = JournalLimits()
    limits.mailboxEntries = 3
    let writer = try JournalWriter(folder: ":memory:", limits: limits, dropped: dropped)
    defer { writer.stop() }
    let gate = Gate()
    gate.mutex.withLock { _ in
      // The journal's thread waits at the gate; meanwhile three entries fit.
      #expect(writer.ask { _ in gate.mutex.withLock { _ in } })
      for number in 0..<1_000 { writer.record(entry(number, run: "a")) }
    }
    let gaps = await withCheckedContinuation { continuation in
      let isAccepted = writer.ask { journal in
        continuation.resume(returning: Result { try journal.gaps(of: "a", from: .min) })
      }
      #expect(isAccepted)
    }
    #expect(try gaps.get() == [JournalGap(cause: .dropped, count: Int(dropped.value), last: 999)])
  }

  private final class Gate: Sendable {
    let mutex = Mutex(())
  }
}
