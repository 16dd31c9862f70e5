package import Base
import Synchronization

/// Writes the journal on a thread of its own, and answers questions about it there. When requests come faster than they can
/// be written down, some are dropped and counted; a request never waits for the journal.
package final class JournalWriter: Sendable {
  package typealias Question = @Sendable (Journal) -> Void

  private struct State {
    var entries: [JournalEntry] = []
    var byteCount = 0
    var questions: [Question] = []
    var isStopping = false
  }

  private let state = Mutex(State())
  private let arrivals = Semaphore()
  private let limits: JournalLimits
  private let dropped: Counter
  private let thread = Mutex<Thread?>(nil)

  /// Opens the journal on the new thread and returns when that is done. `dropped` counts entries that were not written.
  package init(folder: String, limits: JournalLimits = JournalLimits(), dropped: Counter) throws(StoreError) {
    self.limits = limits
    self.dropped = dropped
    let opened = Semaphore()
    let failure = Box<StoreError?>(nil)
    let thread = Thread { [self] in
      let journal: Journal
      do throws(StoreError) {
        journal = try Journal(folder: folder, limits: limits)
      } catch {
        failure.value.withLock { $0 = error }
        opened.signal()
        return
      }
      opened.signal()
      run(journal)
    }
    opened.wait()
    if let error = failure.value.withLock({ $0 }) {
      thread.join()
      throw error
    }
    self.thread.withLock { $0 = thread }
  }

  /// False when there was no room for the entry; it is counted then.
  @discardableResult
  package func record(_ entry: JournalEntry) -> Bool {
    let isAccepted = state.withLock { state in
      guard !state.isStopping, state.entries.count < limits.mailboxEntries,
        state.byteCount + entry.byteCount <= limits.mailboxBytes
      else { return false }
      state.entries.append(entry)
      state.byteCount += entry.byteCount
      return true
    }
    if isAccepted { arrivals.signal() } else { dropped.add() }
    return isAccepted
  }

  /// Calls `question` on the journal's thread, behind everything recorded until now. False when it is stopping.
  package func ask(_ question: @escaping Question) -> Bool {
    let isAccepted = state.withLock { state in
      guard !state.isStopping else { return false }
      state.questions.append(question)
      return true
    }
    if isAccepted { arrivals.signal() }
    return isAccepted
  }

  /// Writes what is waiting and returns.
  package func stop() {
    state.withLock { $0.isStopping = true }
    arrivals.signal()
    thread.withLock { $0.take() }?.join()
  }

  private func run(_ journal: Journal) {
    while true {
      arrivals.wait()
      let work = state.withLock { state in
        let work = state
        state.entries.removeAll()
        state.byteCount = 0
        state.questions.removeAll()
        return work
      }
      if !work.entries.isEmpty {
        do {
          try journal.append(work.entries)
        } catch {
          // The disk is full or failing. The journal is best effort: what could not be written is counted.
          dropped.add(UInt64(work.entries.count))
        }
      }
      for question in work.questions { question(journal) }
      if work.isStopping && work.entries.isEmpty && work.questions.isEmpty { return }
    }
  }
}
