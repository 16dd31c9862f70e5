import CLinux
import Glibc

/// A socket that listens, for another process.
package final class ListeningSocket {
  package let descriptor: Int32
  package let port: UInt16

  package init() throws(ChildProcess.Failure) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    self.descriptor = descriptor
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let done = unsafe withUnsafeMutablePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(descriptor, $0, size) == 0 && listen(descriptor, 64) == 0 && getsockname(descriptor, $0, &size) == 0
      }
    }
    guard done else { throw ChildProcess.Failure("no socket to listen at: errno \(errno)") }
    port = UInt16(bigEndian: address.sin_port)
  }

  deinit { _ = close(descriptor) }
}
