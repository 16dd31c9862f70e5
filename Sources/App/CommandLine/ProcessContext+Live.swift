import Glibc

extension ProcessContext {
  /// The real process.
  public static func live() -> ProcessContext {
    ProcessContext(
      arguments: Array(Swift.CommandLine.arguments.dropFirst()),
      writeOutput: { write($0, to: STDOUT_FILENO) },
      writeError: { write($0, to: STDERR_FILENO) })
  }

  /// Unbuffered, so that a line is out before whatever comes next, a crash included. A reader that has gone away
  /// (`| head`) is no error of ours: what it did not want is dropped.
  private static func write(_ text: String, to descriptor: Int32) {
    var bytes = Array((text + "\n").utf8)[...]
    while !bytes.isEmpty {
      let written = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { return }
      bytes = bytes.dropFirst(written)
    }
  }
}
