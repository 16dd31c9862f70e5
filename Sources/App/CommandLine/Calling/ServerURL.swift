import Network

/// `http://HOST[:PORT]` of a running server; the host is an IP address or `localhost`.
struct ServerURL: Equatable, CustomStringConvertible {
  let address: SocketAddress

  init?(_ text: String) {
    guard text.hasPrefix("http://") else { return nil }
    var place = text.dropFirst(7)
    if place.hasSuffix("/") { place.removeLast() }
    if place.isEmpty { return nil }
    let hasPort = place.last != "]" && place.contains(":")
    do throws(NetworkError) {
      address = try ListenAddress(parsing: hasPort ? String(place) : place + ":80").address
    } catch {
      return nil
    }
    if address.port == 0 { return nil }
  }

  /// Where a server with this `--listen` is reached from its own machine; nil when only the kernel knows the port.
  init?(listening text: String) throws(UsageError) {
    let listen: ListenAddress
    do throws(NetworkError) { listen = try ListenAddress(parsing: text) } catch { throw UsageError(error.description) }
    guard listen.address.port != 0 else { return nil }
    let host: SocketAddress.Host =
      switch listen.address.host {
      case .v4(0): .v4(0x7F00_0001)
      case .v6(0, 0): listen.takesBothFamilies ? .v4(0x7F00_0001) : .v6(high: 0, low: 1)
      default: listen.address.host
      }
    address = SocketAddress(host: host, port: listen.address.port)
  }

  var description: String { "http://\(address)" }
}
