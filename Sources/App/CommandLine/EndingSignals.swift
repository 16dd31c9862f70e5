import Glibc

/// SIGINT and SIGTERM as calls instead of the end of the process.
enum EndingSignals {
  private final class Listener {
    let heard: @Sendable () -> Void

    init(_ heard: @escaping @Sendable () -> Void) { self.heard = heard }
  }

  /// The first one is heard; the second ends the process at once. To be called from the main thread before any other is
  /// started, and once.
  static func listen(_ heard: @escaping @Sendable () -> Void) {
    var signals = endingSignals
    let masked = unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    precondition(masked == 0, "signals can be blocked")
    let listener = unsafe Unmanaged.passRetained(Listener(heard))
    var thread = pthread_t()
    let code = unsafe pthread_create(
      &thread, nil,
      { argument in
        guard let argument = unsafe argument else { return nil }
        let listener = unsafe Unmanaged<Listener>.fromOpaque(argument).takeRetainedValue()
        EndingSignals.waitForOne()
        listener.heard()
        EndingSignals.waitForOne()
        _exit(ExitCode.stoppedBySignal.rawValue)
      }, listener.toOpaque())
    precondition(code == 0, "no thread to be had: error \(code)")
    pthread_detach(thread)
  }

  private static var endingSignals: sigset_t {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGINT)
    unsafe sigaddset(&signals, SIGTERM)
    return signals
  }

  private static func waitForOne() {
    var signals = endingSignals
    var number: Int32 = 0
    let code = unsafe sigwait(&signals, &number)
    precondition(code == 0, "a set of two signals can be waited for")
  }
}
