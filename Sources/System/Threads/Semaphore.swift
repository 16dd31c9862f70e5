internal import Glibc

/// A counting semaphore with a wait on the monotonic clock, which POSIX semaphores lack; implemented with a mutex and a
/// condition.
@safe
package final class Semaphore: @unchecked Sendable {
  @unsafe
  private struct Storage {
    var mutex = unsafe pthread_mutex_t()
    var condition = pthread_cond_t()
    var count = 0
  }

  private let storage: UnsafeMutablePointer<Storage>

  package init() {
    unsafe storage = .allocate(capacity: 1)
    unsafe storage.initialize(to: unsafe Storage())
    var attributes = pthread_condattr_t()
    var result = unsafe pthread_condattr_init(&attributes)
    result |= unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    result |= unsafe pthread_mutex_init(&storage.pointee.mutex, nil)
    result |= unsafe pthread_cond_init(&storage.pointee.condition, &attributes)
    precondition(result == 0, "a mutex and a condition need no resources on Linux")
  }

  deinit {
    _ = unsafe pthread_cond_destroy(&storage.pointee.condition)
    _ = unsafe pthread_mutex_destroy(&storage.pointee.mutex)
    unsafe storage.deallocate()
  }

  package func signal() {
    lock()
    unsafe storage.pointee.count += 1
    _ = unsafe pthread_cond_signal(&storage.pointee.condition)
    unlock()
  }

  package func wait() {
    lock()
    while unsafe storage.pointee.count == 0 {
      _ = unsafe pthread_cond_wait(&storage.pointee.condition, &storage.pointee.mutex)
    }
    unsafe storage.pointee.count -= 1
    unlock()
  }

  /// Returns false when the time has elapsed first.
  package func wait(milliseconds: Int) -> Bool {
    // A negative part of a second would be no time for the system, and the wait without an end.
    let milliseconds = max(0, milliseconds)
    var end = timespec()
    _ = unsafe clock_gettime(CLOCK_MONOTONIC, &end)
    let nanoseconds = end.tv_nsec + milliseconds % 1_000 * 1_000_000
    end.tv_sec += milliseconds / 1_000 + nanoseconds / 1_000_000_000
    end.tv_nsec = nanoseconds % 1_000_000_000
    lock()
    defer { unlock() }
    while unsafe storage.pointee.count == 0 {
      let result = unsafe pthread_cond_timedwait(&storage.pointee.condition, &storage.pointee.mutex, &end)
      if result == ETIMEDOUT { break }
    }
    guard unsafe storage.pointee.count > 0 else { return false }
    unsafe storage.pointee.count -= 1
    return true
  }

  private func lock() {
    let result = unsafe pthread_mutex_lock(&storage.pointee.mutex)
    precondition(result == 0, "a mutex of this class cannot fail")
  }

  private func unlock() {
    let result = unsafe pthread_mutex_unlock(&storage.pointee.mutex)
    precondition(result == 0, "a mutex of this class cannot fail")
  }
}
