import CLinux
import Glibc

/// The thread of a transport, which must be joined.
final class TransportThread: Sendable {
  private let handle: pthread_t

  private final class Work {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  init(_ body: @escaping @Sendable () -> Void) {
    let work = unsafe Unmanaged.passRetained(Work(body))
    var handle = pthread_t()
    let code = unsafe pthread_create(
      &handle, nil,
      { argument in
        guard let argument = unsafe argument else { return nil }
        // A write to a connection that the server has reset is an error like others, whatever TLS library writes.
        var broken = sigset_t()
        unsafe sigemptyset(&broken)
        unsafe sigaddset(&broken, SIGPIPE)
        let masked = unsafe pthread_sigmask(SIG_BLOCK, &broken, nil)
        precondition(masked == 0, "a signal can be blocked")
        let named = unsafe rr_name_this_thread("transport")
        precondition(named == 0, "a name of 15 bytes is always taken")
        let work = unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
        work.body()
        return nil
      }, work.toOpaque())
    precondition(code == 0, "no thread to be had: error \(code)")
    self.handle = handle
  }

  /// Returns when the thread has ended. A thread cannot wait for itself: called from its own it is let go, and ends by itself.
  func join() {
    if pthread_equal(pthread_self(), handle) != 0 {
      let code = pthread_detach(handle)
      precondition(code == 0, "a transport is stopped once")
      return
    }
    let code = pthread_join(handle, nil)
    precondition(code == 0, "a transport is stopped once")
  }
}

/// Hands a loop over to the thread that will own it.
final class LoopStart: @unchecked Sendable {
  private var loop: TransferLoop?

  init(_ loop: TransferLoop) { self.loop = loop }

  /// Once.
  func take() -> TransferLoop {
    guard let taken = loop else { preconditionFailure("a loop runs in one thread") }
    loop = nil
    return taken
  }
}
