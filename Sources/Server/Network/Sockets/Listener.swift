internal import CLinux
internal import Glibc
internal import Threads

/// A listening socket. Several of them may share an address and a port (SO_REUSEPORT): the kernel distributes the clients.
struct Listener: ~Copyable, Sendable {
  let socket: FileDescriptor
  let address: SocketAddress

  /// The unsent bytes of an answer that the kernel accepts.
  static let unsentInKernelMax: Int32 = 131_072

  private init(_ socket: consuming FileDescriptor) {
    address = Syscalls.localAddress(of: socket)
    self.socket = socket
  }

  /// Returns `count` listeners on one port, also when the kernel chooses it.
  static func share(_ wanted: ListenAddress, count: Int, backlog: Int32) throws(NetworkError) -> [Handover<Listener>] {
    precondition(count > 0, "at least one listener")
    var listeners: [Handover<Listener>] = []
    var port = wanted.address.port
    do {
      if port != 0 { try refuseWhenTaken(wanted) }
      for _ in 0..<count {
        let socket = try bound(wanted, port: port, isShared: true)
        try Syscalls.listen(socket, backlog: backlog)
        let listener = Listener(socket)
        port = listener.address.port
        listeners.append(Handover(listener))
      }
    } catch {
      throw .cannotBind(wanted, error)
    }
    return listeners
  }

  /// Throws when the address cannot be bound now; a port of 0 is never taken.
  static func check(_ wanted: ListenAddress) throws(NetworkError) {
    do throws(SystemError) { try refuseWhenTaken(wanted) } catch { throw .cannotBind(wanted, error) }
  }

  /// With SO_REUSEPORT a second server of the same user would silently get half of the clients. Binding a socket without it
  /// fails while another one listens there.
  private static func refuseWhenTaken(_ wanted: ListenAddress) throws(SystemError) {
    _ = try bound(wanted, port: wanted.address.port, isShared: false)
  }

  private static func bound(_ wanted: ListenAddress, port: UInt16, isShared: Bool) throws(SystemError) -> FileDescriptor
  {
    do {
      return try bound(wanted.address.with(port: port), takesBothFamilies: wanted.takesBothFamilies, isShared: isShared)
    } catch {
      // A kernel without IPv6 still supports IPv4.
      guard error.code == EAFNOSUPPORT, wanted.takesBothFamilies else { throw error }
      return try bound(SocketAddress(host: .v4(0), port: port), takesBothFamilies: false, isShared: isShared)
    }
  }

  private static func bound(
    _ address: SocketAddress, takesBothFamilies: Bool, isShared: Bool
  ) throws(SystemError) -> FileDescriptor {
    let socket = try Syscalls.streamSocket(address.family)
    // Connections of an earlier process in TIME_WAIT or still draining must not block the port (socket(7)).
    try Syscalls.set(SO_REUSEADDR, level: SOL_SOCKET, to: 1, on: socket)
    if isShared { try Syscalls.set(SO_REUSEPORT, level: SOL_SOCKET, to: 1, on: socket) }
    // Accepted sockets inherit both: answers are sent at once, and the loss of a peer without power is noticed eventually.
    try Syscalls.set(TCP_NODELAY, level: Int32(IPPROTO_TCP), to: 1, on: socket)
    try Syscalls.set(SO_KEEPALIVE, level: SOL_SOCKET, to: 1, on: socket)
    // Otherwise the kernel would buffer megabytes for a client that does not read, generated in advance (tcp(7)).
    try Syscalls.set(TCP_NOTSENT_LOWAT, level: Int32(IPPROTO_TCP), to: unsentInKernelMax, on: socket)
    if case .v6 = address.host {
      try Syscalls.set(IPV6_V6ONLY, level: Int32(IPPROTO_IPV6), to: takesBothFamilies ? 0 : 1, on: socket)
    }
    try Syscalls.bind(socket, to: address)
    return socket
  }
}

/// An error before the first connection; later errors belong to connections and are counted there.
package enum NetworkError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The text is not a listen address; the second value tells why.
  case badAddress(String, String)
  /// The address is in use, not ours or not allowed: exit code 106.
  case cannotBind(ListenAddress, SystemError)
  case system(SystemError)

  package var description: String {
    switch self {
    case .badAddress(let text, let reason): "\"\(text)\" is not a valid listen address: \(reason)"
    case .cannotBind(let address, let error):
      "cannot bind \(address): \(error)" + (remedy.map { "; \($0)" } ?? "")
    case .system(let error): error.description
    }
  }
}

extension NetworkError {
  /// The remedy, where one is known.
  private var remedy: String? {
    guard case .cannotBind(_, let error) = self else { return nil }
    return switch error.code {
    case EADDRINUSE: "stop the program that uses it, or use another port; port 0 picks a free one"
    case EADDRNOTAVAIL: "this machine does not have this address; use 0.0.0.0 for all addresses"
    case EINVAL:
      "an address of one link only cannot be used; use another one of this machine, or [::] for all addresses"
    case EACCES, EPERM: "ports below 1024 need root privileges; use a higher port"
    default: nil
    }
  }
}
