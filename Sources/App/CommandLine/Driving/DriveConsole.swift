import CLinux
import Glibc

/// A terminal whose keys come one by one and unseen. It is as it was before when this ends, whichever way it ends: also when
/// the process is suspended, and when it crashes. Only SIGKILL leaves it as it is.
final class DriveConsole {
  let descriptor: Int32
  private let original: termios
  private var isRaw = false

  init?(terminal: Int32) {
    descriptor = terminal
    var mode = termios()
    guard unsafe tcgetattr(terminal, &mode) == 0 else { return nil }
    original = mode
    enter()
  }

  deinit { leave() }

  /// Keys at once and without an echo; Ctrl-C stays a signal.
  func enter() {
    guard !isRaw else { return }
    isRaw = true
    var mode = original
    unsafe rr_rescue_terminal(descriptor, &mode)
    mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
    unsafe withUnsafeMutableBytes(of: &mode.c_cc) { codes in
      unsafe codes[Int(VMIN)] = 1
      unsafe codes[Int(VTIME)] = 0
    }
    _ = unsafe tcsetattr(descriptor, TCSADRAIN, &mode)
  }

  func leave() {
    guard isRaw else { return }
    isRaw = false
    var mode = original
    _ = unsafe tcsetattr(descriptor, TCSADRAIN, &mode)
    rr_forget_terminal()
  }

  /// Gives the terminal back and stops the process until somebody continues it.
  func suspend() {
    leave()
    raise(SIGSTOP)
    enter()
  }

  /// Letters to a line; 80 when nobody knows.
  var width: Int { terminalWidth(descriptor) ?? 80 }

  func write(_ text: String) { Descriptor.write(text, to: descriptor) }
}
