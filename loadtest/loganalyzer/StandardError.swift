import Glibc

/// For `print`.
struct StandardError: TextOutputStream {
  func write(_ string: String) {
    var bytes = Array(string.utf8)
    while !bytes.isEmpty {
      let written = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
      guard written > 0 else { return }
      bytes.removeFirst(written)
    }
  }
}
