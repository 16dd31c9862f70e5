import Glibc

/// Gives a terminal back when the process dies of a fault of its own. What a signal handler may do is little
/// (signal-safety(7)): it finds everything made ready here.
enum TerminalRescue {
  nonisolated(unsafe) private static var descriptor: Int32 = -1
  nonisolated(unsafe) private static var mode = termios()
  private static let faults = [SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE]

  static func arm(_ terminal: Int32, _ original: termios) {
    unsafe mode = original
    unsafe descriptor = terminal
    for fault in faults {
      var action = sigaction()
      unsafe action.__sigaction_handler.sa_handler = { signal in
        TerminalRescue.restore()
        // Back to what it does by itself: it comes again as soon as this returns, or is raised.
        Glibc.signal(signal, SIG_DFL)
        raise(signal)
      }
      _ = unsafe sigaction(fault, &action, nil)
    }
  }

  static func disarm() {
    unsafe descriptor = -1
    for fault in faults { Glibc.signal(fault, SIG_DFL) }
  }

  private static func restore() {
    if unsafe descriptor >= 0 { _ = unsafe tcsetattr(descriptor, TCSANOW, &mode) }
  }
}
