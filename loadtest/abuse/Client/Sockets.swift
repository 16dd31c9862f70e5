import Glibc

/// The calls of a client that reads and sends as it pleases, on this machine.
enum Sockets {
  /// Connected and not blocking. `receiveBuffer` is the kernel's, in bytes: small, it makes a slow reader.
  static func connect(port: UInt16, receiveBuffer: Int32? = nil) throws(Trouble) -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw Trouble("socket", errno) }
    if let receiveBuffer { set(SO_RCVBUF, level: SOL_SOCKET, to: receiveBuffer, on: descriptor) }
    set(Int32(TCP_NODELAY), level: Int32(IPPROTO_TCP), to: 1, on: descriptor)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let result = unsafe withUnsafePointer(to: &address) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0, fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else {
      let code = errno
      close(descriptor)
      throw Trouble("connect", code)
    }
    return descriptor
  }

  private static func set(_ option: Int32, level: Int32, to value: Int32, on descriptor: Int32) {
    var value = value
    unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// The number of bytes that the kernel took, 0 when it has no room; nil when the connection is gone.
  static func send(_ bytes: [UInt8], from start: Int, over descriptor: Int32) -> Int? {
    guard start < bytes.count else { return 0 }
    let count = unsafe bytes.withUnsafeBytes {
      unsafe Glibc.send(descriptor, $0.baseAddress?.advanced(by: start), $0.count - start, Int32(MSG_NOSIGNAL))
    }
    if count >= 0 { return count }
    return errno == EAGAIN ? 0 : nil
  }

  enum Received {
    case bytes(Int)
    case nothing
    case end
    case gone
  }

  static func receive(_ descriptor: Int32, into buffer: inout [UInt8]) -> Received {
    let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
    if count > 0 { return .bytes(count) }
    if count == 0 { return .end }
    return errno == EAGAIN ? .nothing : .gone
  }

  static func endOutput(_ descriptor: Int32) { _ = shutdown(descriptor, Int32(SHUT_WR)) }

  /// Closes with an RST.
  static func reset(_ descriptor: Int32) {
    var value = linger(l_onoff: 1, l_linger: 0)
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
    close(descriptor)
  }

  static func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }

  static func raiseDescriptorLimit() {
    var limit = rlimit()
    unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = limit.rlim_max
    unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
