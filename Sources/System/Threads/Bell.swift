internal import Synchronization

/// Wakes one thread: it is rung or not, however often that was done since the thread last looked.
package final class Bell: Sendable {
  private let isRung = Atomic(false)
  private let signal = Semaphore()

  package init() {}

  /// From any thread.
  package func ring() {
    if !isRung.exchange(true, ordering: .acquiringAndReleasing) { signal.signal() }
  }

  /// Returns when it is rung, or after that time.
  package func wait(milliseconds: Int) {
    if signal.wait(milliseconds: milliseconds) { isRung.store(false, ordering: .sequentiallyConsistent) }
  }
}
