internal import Base
internal import CLinux
internal import Glibc

/// Requests of sessions to the loop: calls of each other, and connections to other servers.
extension EventLoop {
  func settle() {
    while let request = peers.next() {
      switch request {
      case .nudge(let token):
        guard let connection = connections[token], connection.isOpen else { continue }
        call(connection) { $0.nudged(&$1) }
        advance(connection)
      case .open(let address, let makeSession): open(address, makeSession)
      }
    }
  }

  private func open(_ address: SocketAddress, _ makeSession: (ConnectionToken) -> Session) {
    let token = connections.nextToken
    var session = makeSession(token)
    guard quota.take() else {
      return give(up: &session, SystemError(call: "connect", code: EMFILE))
    }
    do throws(SystemError) {
      let socket = try Syscalls.outgoingSocket(to: address)
      try poller.add(socket.number, Poller.writable, token: token)
      let connection = ClientConnection(
        socket: socket, token: token, session: session, interest: Poller.writable, now: now)
      connection.isConnecting = true
      counters.countOpened()
      connections.insert(connection)
      rearm(connection)
    } catch {
      quota.giveBack()
      give(up: &session, error)
    }
  }

  private func give(up session: inout Session, _ error: SystemError) {
    session.connectFailed(error)
    session.closed(.connectFailed, now: now)
  }

  /// Gets the result of connecting from the kernel.
  func finishConnecting(_ connection: ClientConnection<Session>) {
    connection.isConnecting = false
    let code = Syscalls.pendingError(of: connection.socket)
    guard code == 0 else {
      connection.session.connectFailed(SystemError(call: "connect", code: code))
      return close(connection, .connectFailed)
    }
    call(connection) { $0.connected(&$1) }
    advance(connection)
  }
}
