import Base
import Synchronization
import Threads

/// A few threads that answer questions in parallel with the writer, each with a read-only connection. A store in memory has one
/// connection, so there the writer answers them.
package final class ReadPool: Sendable {
  package typealias Question = @Sendable (any StoreReader) -> Void

  private struct State {
    var questions: BoundedQueue<Question>
    var isStopping = false
  }

  private let state: Mutex<State>
  private let arrivals = Semaphore()
  private let threads = Mutex<[NamedThread]>([])
  private let writer: WriterThread?

  /// A writer must have opened the store before: a reader creates nothing. `open` is called on each reader's thread.
  package init(
    threadCount: Int = 2, capacity: Int = 1_024, open: @escaping @Sendable () throws(StoreError) -> any StoreReader
  ) throws(StoreError) {
    writer = nil
    state = Mutex(State(questions: BoundedQueue(capacity: capacity)))
    do throws(StoreError) {
      for number in 0..<threadCount {
        let thread = try NamedThread.opening("reader-\(number)", open) { [self] reader in run(reader) }
        threads.withLock { $0.append(thread) }
      }
    } catch {
      stop()
      throw error
    }
  }

  /// Sends the questions to the writer, for a store in memory.
  package init(through writer: WriterThread) {
    self.writer = writer
    // The questions wait in the writer's queue.
    state = Mutex(State(questions: BoundedQueue(capacity: 1)))
  }

  /// Calls `question` once on another thread; it delivers its answer itself. Returns false when too many questions wait. For a
  /// long result the caller asks again for each page.
  package func ask(_ question: @escaping Question) -> Bool {
    if let writer { return writer.submit(.read(question), ticket: .reading) }
    let isAccepted = state.withLock { state in
      !state.isStopping && state.questions.append(question)
    }
    if isAccepted { arrivals.signal() }
    return isAccepted
  }

  /// Answers the waiting questions, then ends the threads.
  package func stop() {
    state.withLock { $0.isStopping = true }
    let threads = threads.withLock { threads in
      let all = threads
      threads.removeAll()
      return all
    }
    for _ in threads { arrivals.signal() }
    for thread in threads { thread.join() }
  }

  private func run(_ reader: any StoreReader) {
    while true {
      arrivals.wait()
      let (question, isStopping) = state.withLock { state in
        (state.questions.popFirst(), state.isStopping)
      }
      if let question {
        question(reader)
      } else if isStopping {
        return
      }
    }
  }
}

extension Ticket {
  /// The ticket of questions that the writer answers: their completion carries nothing, because the question has delivered its
  /// answer.
  package static let reading = Ticket(owner: -1, number: 0)
}
