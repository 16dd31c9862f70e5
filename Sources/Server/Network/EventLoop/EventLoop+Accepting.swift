internal import Base
package import TLS

/// Accepts connections, and handles the lack of room for them.
extension EventLoop {
  /// Accepts a bounded burst, so that a flood of connects does not stall existing connections. Returns whether more may be
  /// waiting.
  @discardableResult
  func acceptSome() -> Bool {
    // The listener was closed by a drain earlier in this turn.
    guard let number = listener?.socket.number else { return false }
    return acceptSome(from: number) { (socket) throws(SystemError) in try register(socket) }
  }

  func acceptSomeSecure() {
    guard let number = secureListener?.socket.number else { return }
    _ = acceptSome(from: number) { (socket) throws(SystemError) in try expectHandshake(socket) }
  }

  private func acceptSome(
    from number: Int32, _ take: (consuming AcceptedSocket) throws(SystemError) -> Void
  ) -> Bool {
    for _ in 0..<configuration.acceptBurst {
      guard acceptOne(from: number, take) else { return false }
    }
    return true
  }

  /// Returns false when no client is waiting or accepting must pause.
  private func acceptOne(
    from number: Int32, _ take: (consuming AcceptedSocket) throws(SystemError) -> Void
  ) -> Bool {
    guard quota.take() else {
      pauseAccepting()
      return false
    }
    do {
      try take(try Syscalls.accept(number))
      return true
    } catch {
      quota.giveBack()
      if error.isWouldBlock { return false }
      guard error.isExhaustion else { return true }  // The client is gone already, or its network is (accept(2)).
      pauseAccepting()
      return false
    }
  }

  private func register(_ accepted: consuming AcceptedSocket) throws(SystemError) {
    let token = connections.nextToken
    try poller.add(accepted.descriptor.number, Poller.readable, token: token)
    counters.countAccepted()
    let session = makeSession(Accepted(token: token, peer: accepted.peer))
    let connection = ClientConnection(
      socket: accepted.descriptor, token: token, session: session, interest: Poller.readable, now: now)
    connections.insert(connection)
    advance(connection)
  }

  /// A level-triggered listener that cannot be served would make the loop spin. The clients wait in the backlog.
  private func pauseAccepting() {
    counters.countPause()
    watchListener(0)
    timers.schedule(at: now + configuration.acceptPause, .resumeAccepting)
  }

  func resumeAccepting() { watchListener(Poller.readable) }

  private func watchListener(_ events: UInt32) {
    if let number = listener?.socket.number { poller.modify(number, events, token: .listener) }
    if let number = secureListener?.socket.number { poller.modify(number, events, token: .secureListener) }
  }
}

/// A new connection, as passed to its session's factory.
package struct Accepted: Sendable {
  /// The address for messages to the session, until `closed` is called.
  package let token: ConnectionToken
  package let peer: SocketAddress
  /// The results of the handshake; nil without TLS.
  package let tls: TLSFacts?

  package init(token: ConnectionToken, peer: SocketAddress, tls: TLSFacts? = nil) {
    (self.token, self.peer, self.tls) = (token, peer, tls)
  }
}
