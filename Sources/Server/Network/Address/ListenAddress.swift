/// Where to listen: `127.0.0.1:8080`, `[::1]:0`, `localhost:8080` or `:8080`. Port 0 lets the kernel choose.
package struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
  package let address: SocketAddress
  /// Without a host every address of both families is meant: one IPv6 socket that takes IPv4 too. A host that was
  /// written down, `[::]` included, means its own family only (IPV6_V6ONLY).
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
    if case .v6 = host, !isBracketed { throw .badAddress(text, "an IPv6 address stands in brackets, as in [::1]:8080") }
    if case .v4 = host, isBracketed { throw .badAddress(text, "only an IPv6 address stands in brackets") }
    self.init(SocketAddress(host: host, port: port))
  }

  package var description: String { takesBothFamilies ? ":\(address.port)" : address.description }
}

extension ListenAddress {
  /// Throws `cannotBind` when the address cannot be listened at now. It may be otherwise in a moment.
  package func refuseWhenTaken() throws(NetworkError) { try Listener.check(self) }
}
