package import Base
import Synchronization
import Threads

/// Writes the journal on a thread of its own, and answers questions about it there. When requests arrive faster than they can
/// be written, some are dropped and counted; a request never waits for the journal.
package final class JournalWriter: Sendable {
  package typealias Question = @Sendable (Journal) -> Void

  private struct State {
    var batch: JournalBatch
    var questions: [Question] = []
    var isStopping = false
    var pause = Pause.none

    /// Reports whether the thread must be woken for the current state; true once per pause.
    mutating func mustWake() -> Bool {
      let isUrgent = !questions.isEmpty || isStopping
      let mustWake =
        switch pause {
        case .none: false
        case .untilAnything: isUrgent || !batch.isEmpty
        case .untilMuch: isUrgent || batch.isWorthWriting
        }
      if mustWake { pause = .none }
      return mustWake
    }
  }

  /// The condition that the thread waits for.
  private enum Pause {
    case none, untilAnything
    /// There are entries, and waiting for more makes writing cheaper; it ends after a time limit.
    case untilMuch
  }

  private let state: Mutex<State>
  private let wakeUp = Semaphore()
  private let limits: JournalLimits
  private let dropped: Counter
  private let thread = Mutex<NamedThread?>(nil)

  /// Opens the journal on the new thread and returns afterwards. `dropped` counts entries that were not written.
  package init(folder: String, limits: JournalLimits = JournalLimits(), dropped: Counter) throws(StoreError) {
    self.limits = limits
    self.dropped = dropped
    state = Mutex(State(batch: JournalBatch(limits: limits)))
    let thread = try NamedThread.opening("journal") { () throws(StoreError) in
      try Journal(folder: folder, limits: limits)
    } run: { [self] journal in
      run(journal)
    }
    self.thread.withLock { $0 = thread }
  }

  /// Returns false when there was no room for the entry, or for its records; the entry then counts as dropped.
  @discardableResult
  package func record(_ entry: JournalEntry?, sent records: [LedgerRecord] = []) -> Bool {
    let isAccepted = change { state in
      if !state.isStopping, state.batch.append(entry, sent: records) { return true }
      if let entry { state.batch.drop(entry) }
      return false
    }
    if !isAccepted { dropped.add() }
    return isAccepted
  }

  /// Calls `question` on the journal's thread, after everything recorded before. Returns false when the journal is stopping.
  package func ask(_ question: @escaping Question) -> Bool {
    change { state in
      if !state.isStopping { state.questions.append(question) }
      return !state.isStopping
    }
  }

  /// Writes the waiting entries and stops the thread.
  package func stop() {
    _ = change { state in
      state.isStopping = true
      return true
    }
    thread.withLock { $0.take() }?.join()
  }

  private func change(_ body: (inout State) -> Bool) -> Bool {
    let (result, mustWake) = state.withLock { state in (body(&state), state.mustWake()) }
    if mustWake { wakeUp.signal() }
    return result
  }

  private func run(_ journal: Journal) {
    while true {
      waitForWork()
      let work = state.withLock { state in
        let work = state
        state.batch = JournalBatch(limits: limits)
        state.questions = []
        return work
      }
      if !work.batch.isEmpty {
        do {
          try journal.append(work.batch)
        } catch {
          // The disk is full or failing. The journal is best effort: entries that could not be written are counted.
          dropped.add(UInt64(work.batch.count))
          journal.drop(work.batch)
        }
      }
      for question in work.questions { question(journal) }
      if work.isStopping && work.batch.isEmpty && work.questions.isEmpty { return close(journal) }
    }
  }

  /// Closes the journal, unless drops are still unsaved: then the next process must find it interrupted.
  private func close(_ journal: Journal) {
    guard journal.unwritten.isEmpty else { return }
    // On a disk error the next process finds a journal that was not closed, which also means missing entries.
    do { try journal.close() } catch {}
  }

  /// Waits for the first entry, and then a while for more: waking for each would be a third of the work.
  private func waitForWork() {
    if pause(.untilAnything) { wakeUp.wait() }
    guard pause(.untilMuch), !wakeUp.wait(milliseconds: limits.gatherMilliseconds) else { return }
    // A signal between the timeout and this line only makes the next wait return early.
    state.withLock { $0.pause = .none }
  }

  /// Returns false when the awaited condition already holds.
  private func pause(_ pause: Pause) -> Bool {
    state.withLock { state in
      state.pause = pause
      return !state.mustWake()
    }
  }
}

/// Entries to be written together, already as blocks: the only copy that is made of an exchange.
package struct JournalBatch: Sendable {
  package private(set) var blocks: [JournalBlock] = []
  package private(set) var count = 0
  package private(set) var byteCount = 0
  package private(set) var sent: [LedgerRecord] = []
  /// The entries by run.
  private(set) var parts: [ExactText: Part] = [:]
  /// The entries by run for which there was no room.
  private(set) var dropped: [ExactText: DroppedEntries] = [:]
  private let limits: JournalLimits

  /// Entries of one run.
  struct Part: Sendable {
    /// The index of the first one in the batch.
    let first: Int
    var count = 0
    /// The latest arrival time among them.
    var last = Int64.min

    mutating func add(_ entry: JournalEntry) {
      count += 1
      last = max(last, entry.receivedAt)
    }
  }

  package init(limits: JournalLimits) { self.limits = limits }

  package var isEmpty: Bool { count == 0 && sent.isEmpty && dropped.isEmpty }

  /// Whether waiting for more entries would not make writing cheaper.
  var isWorthWriting: Bool { byteCount >= limits.gatherBytes || count >= limits.gatherEntries }

  /// Appends an optional entry and its records. Returns false when there is no room.
  package mutating func append(_ entry: JournalEntry?, sent records: [LedgerRecord]) -> Bool {
    let bytes = records.reduce(0) { $0 + $1.byteCount }
    guard byteCount + bytes <= limits.mailboxBytes, entry.map({ append($0) }) ?? true else { return false }
    sent += records
    byteCount += bytes
    return true
  }

  /// Returns false when there is no room.
  package mutating func append(_ entry: JournalEntry) -> Bool {
    let bytes = JournalBlock.byteCount(entry)
    guard count < limits.mailboxEntries, byteCount + bytes <= limits.mailboxBytes else { return false }
    let last = blocks.count - 1
    if last >= 0, blocks[last].count < limits.blockEntries, blocks[last].bytes.count + bytes <= limits.blockBytes {
      blocks[last].append(entry, number: blocks[last].count)
    } else {
      var block = JournalBlock()
      // A lone entry gets a small block; an entry that follows soon is one of many.
      block.reserveCapacity(last >= 0 ? max(limits.blockBytes, bytes) : bytes)
      block.append(entry, number: 0)
      blocks.append(block)
    }
    parts[ExactText(entry.run), default: Part(first: count)].add(entry)
    count += 1
    byteCount += bytes
    return true
  }

  /// Counts an entry for which there is no room.
  mutating func drop(_ entry: JournalEntry) {
    dropped.add(DroppedEntries(count: 1, last: entry.receivedAt), of: ExactText(entry.run))
  }
}
