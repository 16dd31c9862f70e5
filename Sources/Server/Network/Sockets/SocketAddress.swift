internal import CLinux
internal import Glibc

/// An IP address with a port.
package struct SocketAddress: Hashable, Sendable {
  /// The address without the port.
  package enum Host: Hashable, Sendable {
    case v4(UInt32)
    case v6(high: UInt64, low: UInt64)
  }

  package let host: Host
  package let port: UInt16

  package init(host: Host, port: UInt16) {
    self.host = host
    self.port = port
  }

  package func with(port: UInt16) -> SocketAddress { SocketAddress(host: host, port: port) }

  /// Whether the peer is this machine (127.0.0.0/8, ::1).
  package var isLoopback: Bool {
    switch host {
    case .v4(let address): address >> 24 == 127
    case .v6(let high, let low): high == 0 && low == 1
    }
  }
}

extension SocketAddress: CustomStringConvertible {
  /// As in a URL: an IPv6 address is in brackets.
  package var description: String {
    switch host {
    case .v4: "\(hostText):\(port)"
    case .v6: "[\(hostText)]:\(port)"
    }
  }
}

extension SocketAddress {
  var family: Int32 {
    switch host {
    case .v4: AF_INET
    case .v6: AF_INET6
    }
  }

  /// Passes the address in the kernel's form to `body`.
  func withSystemAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    switch host {
    case .v4(let address):
      var value = sockaddr_in()
      value.sin_family = sa_family_t(AF_INET)
      value.sin_port = port.bigEndian
      value.sin_addr.s_addr = address.bigEndian
      return unsafe withRebound(&value, body)
    case .v6(let high, let low):
      var value = sockaddr_in6()
      value.sin6_family = sa_family_t(AF_INET6)
      value.sin6_port = port.bigEndian
      unsafe withUnsafeMutableBytes(of: &value.sin6_addr) {
        unsafe $0.storeBytes(of: high.bigEndian, toByteOffset: 0, as: UInt64.self)
        unsafe $0.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
      }
      return unsafe withRebound(&value, body)
    }
  }

  private func withRebound<Value, Result>(
    _ value: inout Value, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    unsafe withUnsafePointer(to: &value) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(MemoryLayout<Value>.size))
      }
    }
  }

  /// An IPv4 peer of a dual-stack listener arrives as ::ffff:a.b.c.d (RFC 4291 §2.5.5.2) and becomes an IPv4 address.
  init(_ storage: sockaddr_storage) {
    self = unsafe withUnsafeBytes(of: storage) { bytes in
      switch Int32(storage.ss_family) {
      case AF_INET:
        let value = unsafe bytes.load(as: sockaddr_in.self)
        return SocketAddress(
          host: .v4(UInt32(bigEndian: value.sin_addr.s_addr)), port: UInt16(bigEndian: value.sin_port))
      case AF_INET6:
        let value = unsafe bytes.load(as: sockaddr_in6.self)
        return unsafe withUnsafeBytes(of: value.sin6_addr) {
          let high = UInt64(bigEndian: unsafe $0.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
          let low = UInt64(bigEndian: unsafe $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
          let isMapped = high == 0 && low >> 32 == 0xFFFF
          let host: Host = isMapped ? .v4(UInt32(truncatingIfNeeded: low)) : .v6(high: high, low: low)
          return SocketAddress(host: host, port: UInt16(bigEndian: value.sin6_port))
        }
      default: preconditionFailure("a TCP socket has an IPv4 or an IPv6 address")
      }
    }
  }

  /// The host without brackets, IPv6 in its canonical form (RFC 5952).
  package var hostText: String {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
      guard let start = buffer.baseAddress else { return "" }
      switch host {
      case .v4(let address):
        var value = in_addr(s_addr: address.bigEndian)
        unsafe inet_ntop(AF_INET, &value, start, socklen_t(buffer.count))
      case .v6(let high, let low):
        var value = (high.bigEndian, low.bigEndian)
        unsafe inet_ntop(AF_INET6, &value, start, socklen_t(buffer.count))
      }
      return unsafe String(cString: start)
    }
  }

  /// Returns nil when the text is not a numeric address; names are not resolved.
  package static func host(parsing text: String) -> Host? {
    var v4 = in_addr()
    if unsafe inet_pton(AF_INET, text, &v4) == 1 { return .v4(UInt32(bigEndian: v4.s_addr)) }
    var v6: (UInt64, UInt64) = (0, 0)
    if unsafe inet_pton(AF_INET6, text, &v6) == 1 {
      return .v6(high: UInt64(bigEndian: v6.0), low: UInt64(bigEndian: v6.1))
    }
    return nil
  }
}

/// An address to listen on: `127.0.0.1:8080`, `[::1]:0`, `localhost:8080` or `:8080`. Port 0 lets the kernel choose.
package struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
  package let address: SocketAddress
  /// Whether it stands for every address of both families, which is the case without a host: one IPv6 socket that accepts IPv4
  /// too. An explicit host, including `[::]`, stands for its own family only (IPV6_V6ONLY).
  package let takesBothFamilies: Bool

  package init(_ address: SocketAddress, takesBothFamilies: Bool = false) {
    self.address = address
    self.takesBothFamilies = takesBothFamilies
  }

  package init(parsing text: String) throws(NetworkError) {
    guard let colon = text.lastIndex(of: ":") else { throw .badAddress(text, "a port is missing, as in :8080") }
    let digits = text[text.index(after: colon)...]
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }), let port = UInt16(digits) else {
      throw .badAddress(text, "the port must be a number from 0 to 65535")
    }
    var name = text[..<colon]
    guard !name.isEmpty else {
      self.init(SocketAddress(host: .v6(high: 0, low: 0), port: port), takesBothFamilies: true)
      return
    }
    if name == "localhost" { name = "127.0.0.1" }
    let isBracketed = name.hasPrefix("[") && name.hasSuffix("]")
    let inner = isBracketed ? name.dropFirst().dropLast() : name
    guard let host = SocketAddress.host(parsing: String(inner)) else {
      throw .badAddress(text, "the host must be an IP address or localhost")
    }
    if case .v6 = host, !isBracketed {
      throw .badAddress(text, "an IPv6 address must be in brackets, such as [::1]:8080")
    }
    if case .v4 = host, isBracketed { throw .badAddress(text, "only IPv6 addresses are in brackets") }
    self.init(SocketAddress(host: host, port: port))
  }

  package var description: String { takesBothFamilies ? ":\(address.port)" : address.description }
}

extension ListenAddress {
  /// Throws `cannotBind` when the address cannot be bound now. That may change at any moment.
  package func refuseWhenTaken() throws(NetworkError) { try Listener.check(self) }
}

extension SocketAddress {
  /// Returns the first address of a host name, or a numeric address.
  package static func resolving(_ host: String, port: UInt16) -> SocketAddress? {
    if let number = SocketAddress.host(parsing: host) { return SocketAddress(host: number, port: port) }
    return Syscalls.firstAddress(of: host)?.with(port: port)
  }
}
