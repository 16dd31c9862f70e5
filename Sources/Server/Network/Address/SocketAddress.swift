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

  /// The peer is this very machine (127.0.0.0/8, ::1).
  package var isLoopback: Bool {
    switch host {
    case .v4(let address): address >> 24 == 127
    case .v6(let high, let low): high == 0 && low == 1
    }
  }
}

extension SocketAddress: CustomStringConvertible {
  /// As in a URL: an IPv6 address stands in brackets.
  package var description: String {
    switch host {
    case .v4: "\(hostText):\(port)"
    case .v6: "[\(hostText)]:\(port)"
    }
  }
}
