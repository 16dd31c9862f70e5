internal import Synchronization

/// Wakes one thread. Several rings before the thread waits count as one.
package final class Bell: Sendable {
  private let isRung = Atomic(false)
  private let signal = Semaphore()

  package init() {}

  /// Wakes the thread; callable from any thread.
  package func ring() {
    if !isRung.exchange(true, ordering: .acquiringAndReleasing) { signal.signal() }
  }

  /// Returns when the bell is rung.
  package func wait() {
    signal.wait()
    isRung.store(false, ordering: .sequentiallyConsistent)
  }

  /// Returns when the bell is rung, or after that time.
  package func wait(milliseconds: Int) {
    if signal.wait(milliseconds: milliseconds) { isRung.store(false, ordering: .sequentiallyConsistent) }
  }
}
