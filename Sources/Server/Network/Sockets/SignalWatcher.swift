import Glibc

/// Makes signals readable from a descriptor instead of interrupting. Must be created before any thread is started: a thread
/// that does not block a signal would still be killed by it.
package final class SignalWatcher: Sendable {
  let descriptor: FileDescriptor

  package init(_ signals: [Int32]) throws(NetworkError) {
    do { descriptor = try Syscalls.signalDescriptor(signals) } catch { throw .system(error) }
  }

  /// Watches the signals with which people, supervisors and terminals that are closed end a process.
  package static func forEnding() throws(NetworkError) -> SignalWatcher {
    try SignalWatcher([SIGTERM, SIGINT, SIGHUP])
  }

  /// Returns the number of the oldest pending signal; nil when there is none.
  package func next() -> Int32? { Syscalls.nextSignal(descriptor) }

  /// Waits for the next signal and returns it.
  @discardableResult
  package func wait() -> Int32 {
    while true {
      if let signal = next() { return signal }
      Syscalls.waitToRead(descriptor)
    }
  }

  /// Readable when a signal is pending; for callers that also wait for other descriptors.
  package var number: Int32 { descriptor.number }
}
