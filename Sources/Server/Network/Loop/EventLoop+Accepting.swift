internal import Base

/// New connections, and what happens when there is no room for them.
extension EventLoop {
  /// A bounded burst, so that a flood of connects does not stop those that are connected. Says whether more may be
  /// waiting.
  @discardableResult
  func acceptSome() -> Bool {
    for _ in 0..<configuration.acceptBurst {
      guard acceptOne() else { return false }
    }
    return true
  }

  /// False when nobody is waiting or accepting has to pause.
  private func acceptOne() -> Bool {
    // Closed by a drain earlier in this turn.
    guard let number = listener?.socket.number else { return false }
    guard quota.take() else {
      pauseAccepting()
      return false
    }
    do {
      try register(try Syscalls.accept(number))
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
    try poller.add(accepted.descriptor, Poller.readable, token: token)
    counters.countAccepted()
    let session = makeSession(Accepted(token: token, peer: accepted.peer))
    let connection = Connection(
      socket: accepted.descriptor, token: token, session: session, interest: Poller.readable, now: now)
    connections.insert(connection)
    advance(connection)
  }

  /// A level-triggered listener that nobody can serve would keep the loop spinning. The clients wait in the backlog.
  private func pauseAccepting() {
    counters.countPause()
    watchListener(0)
    timers.schedule(at: now + configuration.acceptPause, .resumeAccepting)
  }

  func resumeAccepting() { watchListener(Poller.readable) }

  private func watchListener(_ events: UInt32) {
    guard let number = listener?.socket.number else { return }
    poller.modify(number, events, token: .listener)
  }
}
