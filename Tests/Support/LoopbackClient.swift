import CLinux
import Glibc

/// A blocking TCP client on this machine for tests of servers. Every call ends after ten seconds with an error: a test
/// waits for what must happen, and says so when it does not.
package final class LoopbackClient {
  /// How the server ended the connection.
  package enum Ending: Equatable, Sendable {
    case closed
    case reset
  }

  /// A call that failed, with its errno; EAGAIN is a time-out.
  package struct Failure: Error, CustomStringConvertible {
    package let call: String
    package let code: Int32

    package init(call: String, code: Int32) {
      self.call = call
      self.code = code
    }

    package var description: String { "\(call) failed with errno \(code)" }
  }

  private var descriptor: Int32

  /// For a library that reads and writes itself.
  package var number: Int32 { descriptor }

  /// `receiveBuffer` is the kernel's, in bytes: small, it makes a slow reader.
  package init(port: UInt16, overIPv6: Bool = false, receiveBuffer: Int32? = nil) throws(Failure) {
    descriptor = socket(overIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw Failure(call: "socket", code: errno) }
    // The end of a call that hangs, not a measure: a busy machine may take long.
    var patience = timeval(tv_sec: 60, tv_usec: 0)
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    if var size = receiveBuffer {
      unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }
    let result = overIPv6 ? connectIPv6(port) : connectIPv4(port)
    guard result == 0 else { throw Failure(call: "connect", code: errno) }
  }

  deinit { close() }

  private func connectIPv4(_ port: UInt16) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return connect(to: &address)
  }

  private func connectIPv6(_ port: UInt16) -> Int32 {
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = port.bigEndian
    address.sin6_addr = in6addr_loopback
    return connect(to: &address)
  }

  private func connect<Address>(to address: inout Address) -> Int32 {
    unsafe withUnsafePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
      }
    }
  }

  package func send(_ text: String) throws(Failure) { try send(Array(text.utf8)) }

  package func send(_ bytes: [UInt8]) throws(Failure) {
    var sent = 0
    while sent < bytes.count {
      let count = unsafe bytes[sent...].withUnsafeBytes {
        unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count >= 0 else { throw Failure(call: "send", code: errno) }
      sent += count
    }
  }

  /// Sends as much as the kernel takes at once, again and again, until it takes nothing; says how much that was.
  package func sendUntilFull(_ piece: [UInt8], atMost limit: Int) throws(Failure) -> Int {
    var sent = 0
    while sent < limit {
      let count = unsafe Glibc.send(
        descriptor, piece, piece.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      if count < 0, errno == EAGAIN { break }
      guard count >= 0 else { throw Failure(call: "send", code: errno) }
      sent += count
    }
    return sent
  }

  /// Exactly `count` bytes.
  package func receive(_ count: Int) throws(Failure) -> [UInt8] {
    var received: [UInt8] = []
    while received.count < count {
      let piece = try receiveSome(atMost: count - received.count)
      guard !piece.isEmpty else { throw Failure(call: "recv (the end came after \(received.count) bytes)", code: 0) }
      received += piece
    }
    return received
  }

  package func receiveText(_ count: Int) throws(Failure) -> String {
    String(decoding: try receive(count), as: UTF8.self)
  }

  /// Everything to the end of the connection, and what kind of end it was.
  package func receiveToEnd() throws(Failure) -> (text: String, ending: Ending) {
    var received: [UInt8] = []
    do {
      while true {
        let piece = try receiveSome(atMost: 65_536)
        if piece.isEmpty { return (String(decoding: received, as: UTF8.self), .closed) }
        received += piece
      }
    } catch {
      guard error.code == ECONNRESET else { throw error }
      return (String(decoding: received, as: UTF8.self), .reset)
    }
  }

  /// At least one byte; none at the end of the connection.
  package func receiveSome(atMost limit: Int) throws(Failure) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: limit)
    let count = unsafe recv(descriptor, &buffer, limit, 0)
    guard count >= 0 else { throw Failure(call: "recv", code: errno) }
    return Array(buffer[..<count])
  }

  /// Ends our output and goes on reading.
  package func shutdownOutput() { Glibc.shutdown(descriptor, Int32(SHUT_WR)) }

  /// The kernel keeps no more than so many bytes on the other side, whose socket is in this process too.
  package func limitOutputOfPeer(to bytes: Int32) throws(Failure) {
    guard let own = unsafe port(of: descriptor, getsockname) else { throw Failure(call: "getsockname", code: errno) }
    for other in 0..<Int32(4_096) where unsafe other != descriptor && port(of: other, getpeername) == own {
      var value = bytes
      guard unsafe setsockopt(other, SOL_SOCKET, SO_SNDBUF, &value, socklen_t(MemoryLayout<Int32>.size)) == 0 else {
        throw Failure(call: "setsockopt", code: errno)
      }
      return
    }
    throw Failure(call: "no socket has this peer", code: 0)
  }

  private func port(
    of socket: Int32, _ ask: (Int32, UnsafeMutablePointer<sockaddr>?, UnsafeMutablePointer<socklen_t>?) -> Int32
  ) -> UInt16? {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = unsafe withUnsafeMutablePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe ask(socket, $0, &size) }
    }
    return code == 0 && Int32(address.sin_family) == AF_INET ? UInt16(bigEndian: address.sin_port) : nil
  }

  /// Closes with an RST.
  package func reset() {
    var value = linger(l_onoff: 1, l_linger: 0)
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
    close()
  }

  package func close() {
    guard descriptor >= 0 else { return }
    Glibc.close(descriptor)
    descriptor = -1
  }
}
