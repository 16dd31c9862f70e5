internal import CLinux
internal import Glibc
internal import Threads

/// A listening socket. Several of them may share an address and a port (SO_REUSEPORT): the kernel spreads the clients.
struct Listener: ~Copyable, Sendable {
  let socket: FileDescriptor
  let address: SocketAddress

  /// Bytes of an answer that the kernel takes ahead of what the network takes.
  static let unsentInKernelMax: Int32 = 131_072

  private init(_ socket: consuming FileDescriptor) {
    address = Syscalls.localAddress(of: socket)
    self.socket = socket
  }

  /// `count` listeners on one port, also when the kernel chooses it.
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

  /// Throws when the address cannot be listened at now; a port of 0 is never taken.
  static func check(_ wanted: ListenAddress) throws(NetworkError) {
    do throws(SystemError) { try refuseWhenTaken(wanted) } catch { throw .cannotBind(wanted, error) }
  }

  /// With SO_REUSEPORT a second server of the same user would quietly get half of the clients. A socket without it is
  /// refused as long as another socket listens there.
  private static func refuseWhenTaken(_ wanted: ListenAddress) throws(SystemError) {
    _ = try bound(wanted, port: wanted.address.port, isShared: false)
  }

  private static func bound(_ wanted: ListenAddress, port: UInt16, isShared: Bool) throws(SystemError) -> FileDescriptor
  {
    do {
      return try bound(wanted.address.with(port: port), takesBothFamilies: wanted.takesBothFamilies, isShared: isShared)
    } catch {
      // A kernel without IPv6 still has all of IPv4 to offer.
      guard error.code == EAFNOSUPPORT, wanted.takesBothFamilies else { throw error }
      return try bound(SocketAddress(host: .v4(0), port: port), takesBothFamilies: false, isShared: isShared)
    }
  }

  private static func bound(
    _ address: SocketAddress, takesBothFamilies: Bool, isShared: Bool
  ) throws(SystemError) -> FileDescriptor {
    let socket = try Syscalls.streamSocket(address.family)
    // Connections of an earlier process in TIME_WAIT or still draining must not keep the port (socket(7)).
    try Syscalls.set(SO_REUSEADDR, level: SOL_SOCKET, to: 1, on: socket)
    if isShared { try Syscalls.set(SO_REUSEPORT, level: SOL_SOCKET, to: 1, on: socket) }
    // Accepted sockets inherit both: answers leave at once, and a peer that lost its power is noticed in the end.
    try Syscalls.set(TCP_NODELAY, level: Int32(IPPROTO_TCP), to: 1, on: socket)
    try Syscalls.set(SO_KEEPALIVE, level: SOL_SOCKET, to: 1, on: socket)
    // A client that does not read would have megabytes lying in the kernel for it, and made for it before (tcp(7)).
    try Syscalls.set(TCP_NOTSENT_LOWAT, level: Int32(IPPROTO_TCP), to: unsentInKernelMax, on: socket)
    if case .v6 = address.host {
      try Syscalls.set(IPV6_V6ONLY, level: Int32(IPPROTO_IPV6), to: takesBothFamilies ? 0 : 1, on: socket)
    }
    try Syscalls.bind(socket, to: address)
    return socket
  }
}

/// What can go wrong before the first connection: after that, errors belong to connections and are counted there.
package enum NetworkError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The text is no listen address; the second value says why.
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
  /// What can be done about it, where that is known.
  private var remedy: String? {
    guard case .cannotBind(_, let error) = self else { return nil }
    return switch error.code {
    case EADDRINUSE: "stop the program that uses it, or use another port; port 0 picks a free one"
    case EADDRNOTAVAIL: "this machine does not have this address; use 0.0.0.0 for all addresses"
    case EACCES, EPERM: "ports below 1024 need root privileges; use a higher port"
    default: nil
    }
  }
}
