import Glibc

/// The name of this machine.
package enum HostName {
  /// As `hostname` prints it.
  package static var value: String {
    var bytes = [CChar](repeating: 0, count: 256)
    guard unsafe gethostname(&bytes, bytes.count - 1) == 0 else { return "localhost" }
    return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
