import Glibc
import Network
import Threads

/// SIGINT and SIGTERM as calls instead of the end of the process, for commands that finish something first.
enum EndingSignals {
  /// The first one is heard; the second ends the process at once. To be called from the main thread before any other is
  /// started, and once.
  static func listen(_ heard: @escaping @Sendable () -> Void) throws(NetworkError) {
    let signals = try SignalWatcher.forEnding()
    NamedThread.started("signals") {
      signals.wait()
      heard()
      signals.wait()
      _exit(ExitCode.stoppedBySignal.rawValue)
    }.detach()
  }
}
