import Glibc

/// Text to whoever reads at a descriptor.
enum Descriptor {
  /// Unbuffered, so that a line is out before whatever comes next, a crash included. A reader that has gone away
  /// (`| head`) is no error of ours: what it did not want is dropped.
  static func write(_ text: String, to descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let written = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { return }
      bytes = bytes.dropFirst(written)
    }
  }
}
