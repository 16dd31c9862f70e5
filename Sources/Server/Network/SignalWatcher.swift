import Glibc

/// Signals as something to wait for instead of something that interrupts. To be made before any thread is started: a
/// thread that does not block a signal would still die of it.
package final class SignalWatcher: Sendable {
  let descriptor: FileDescriptor

  package init(_ signals: [Int32]) throws(NetworkError) {
    do { descriptor = try Syscalls.signalDescriptor(signals) } catch { throw .system(error) }
  }

  /// The two by which people and supervisors end a process.
  package static func forEnding() throws(NetworkError) -> SignalWatcher { try SignalWatcher([SIGTERM, SIGINT]) }

  /// The number of the oldest waiting signal; nil when there is none.
  package func next() -> Int32? { Syscalls.nextSignal(descriptor) }

  /// Returns the next signal when it has come.
  @discardableResult
  package func wait() -> Int32 {
    while true {
      if let signal = next() { return signal }
      Syscalls.waitToRead(descriptor)
    }
  }

  /// Readable when a signal waits; for callers that wait for other descriptors too.
  package var number: Int32 { descriptor.number }
}
