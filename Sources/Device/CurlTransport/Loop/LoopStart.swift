import Glibc

/// Hands a loop over to the thread that will own it.
final class LoopStart: @unchecked Sendable {
  private var loop: TransferLoop?

  init(_ loop: TransferLoop) { self.loop = loop }

  /// Once, in the thread.
  func run() {
    guard let loop else { preconditionFailure("a loop runs in one thread") }
    self.loop = nil
    TransferLoop.blockBrokenPipes()
    loop.run()
  }
}

extension TransferLoop {
  /// In the calling thread: a write to a connection that the server has reset is an error like others, whatever TLS library
  /// writes.
  static func blockBrokenPipes() {
    var broken = sigset_t()
    unsafe sigemptyset(&broken)
    unsafe sigaddset(&broken, SIGPIPE)
    let masked = unsafe pthread_sigmask(SIG_BLOCK, &broken, nil)
    precondition(masked == 0, "a signal can be blocked")
  }
}
