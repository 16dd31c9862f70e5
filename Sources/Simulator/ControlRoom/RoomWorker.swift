import Base
import Synchronization
import Threads

/// A thread for slow requests: reading an instant of the recording takes up to a third of a second.
final class RoomWorker: Sendable {
  private struct State {
    var jobs = BoundedQueue<@Sendable () -> Void>(capacity: 16)
    var isStopped = false
  }

  private let state: Shared
  private let thread: NamedThread

  private final class Shared: Sendable {
    let state = Mutex(State())
    let arrival = Semaphore()
  }

  init() {
    let shared = Shared()
    state = shared
    thread = .started("room-worker") {
      while true {
        shared.arrival.wait()
        let (job, isStopped) = shared.state.withLock { ($0.jobs.popFirst(), $0.isStopped) }
        if isStopped { return }
        job?()
      }
    }
  }

  /// Returns false when the queue is full.
  func perform(_ job: @escaping @Sendable () -> Void) -> Bool {
    let isTaken = state.state.withLock { $0.jobs.append(job) }
    if isTaken { state.arrival.signal() }
    return isTaken
  }

  /// Stops the thread; waiting jobs are discarded.
  func stop() {
    state.state.withLock { $0.isStopped = true }
    state.arrival.signal()
    thread.join()
  }
}
