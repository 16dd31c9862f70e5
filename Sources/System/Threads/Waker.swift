internal import Synchronization

/// Wakes one thread. Several calls of `wake` before the thread waits count as one.
package final class Waker: Sendable {
  private let isAwake = Atomic(false)
  private let signal = Semaphore()

  package init() {}

  /// Wakes the thread; callable from any thread.
  package func wake() {
    if !isAwake.exchange(true, ordering: .acquiringAndReleasing) { signal.signal() }
  }

  /// Returns when the waker is rung.
  package func wait() {
    signal.wait()
    isAwake.store(false, ordering: .sequentiallyConsistent)
  }

  /// Returns when the waker is rung, or after that time.
  package func wait(milliseconds: Int) {
    if signal.wait(milliseconds: milliseconds) { isAwake.store(false, ordering: .sequentiallyConsistent) }
  }
}
