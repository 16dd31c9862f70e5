import CLinux
import CurlTransport
import Glibc
import Synchronization

/// What the transport's thread has brought, for the thread of the session.
final class DriveInbox: Sendable {
  struct NoDescriptor: Error {}

  /// Readable when there is something.
  let wakeUp: Int32
  private let completions = Mutex<[TransportCompletion]>([])

  init() throws(NoDescriptor) {
    wakeUp = rr_eventfd()
    guard wakeUp >= 0 else { throw NoDescriptor() }
  }

  deinit { close(wakeUp) }

  func add(_ new: [TransportCompletion]) {
    completions.withLock { $0 += new }
    eventfd_write(wakeUp, 1)
  }

  func take() -> [TransportCompletion] {
    var count: eventfd_t = 0
    _ = unsafe eventfd_read(wakeUp, &count)
    return completions.withLock { all in
      defer { all = [] }
      return all
    }
  }
}
