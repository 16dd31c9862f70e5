internal import Synchronization

/// Tells, through a descriptor, when the last loop has ended.
final class Finish: Sendable {
  let event: FileDescriptor
  private let running: Atomic<Int>

  init(count: Int) throws(SystemError) {
    event = try Syscalls.eventCounter()
    running = Atomic(count)
  }

  func loopEnded() {
    if running.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { Syscalls.signal(event) }
  }
}
