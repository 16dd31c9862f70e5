internal import Base

/// After every call of a session: send what it wrote, let it go on as far as it can, and do what it wishes.
extension EventLoop {
  /// `mayOffer` is false when the session has just seen all its input and left it.
  func advance(_ connection: Connection<Session>, mayOffer: Bool = true) {
    var mayOffer = mayOffer
    var written = output.bytes.count
    connection.isInterrupted = false
    while flush(connection) {
      guard written < configuration.outputPerTurn, !output.hasHadItsShare else {
        // A client that sends and reads without pause gets its share; the socket is writable in the next turn too.
        connection.isInterrupted = true
        return conclude(connection)
      }
      if mayOffer, takesInput(connection), !connection.input.isEmpty {
        mayOffer = offer(connection)
      } else if takesInput(connection), connection.sawEnd, !connection.toldEnd {
        connection.toldEnd = true
        call(connection) { $0.inputEnded(&$1) }
      } else if wantsToProduce(connection) {
        produce(connection)
      } else {
        return conclude(connection)
      }
      written += output.bytes.count
    }
  }

  private func produce(_ connection: Connection<Session>) {
    call(connection) { $0.produce(&$1) }
    let isSilent = output.bytes.isEmpty && connection.wishes.hasMoreOutput
    precondition(!isSilent, "who has more output writes some when asked")
  }

  private func wantsToProduce(_ connection: Connection<Session>) -> Bool {
    guard connection.isOpen, connection.output.count <= configuration.unsentMax / 2 else { return false }
    let wishes = connection.wishes
    return wishes.hasMoreOutput && wishes.ending == .open
  }

  private func conclude(_ connection: Connection<Session>) {
    switch connection.stage {
    case .open:
      switch connection.wishes.ending {
      case .open: if let reason = end(of: connection) { return close(connection, reason) }
      case .afterOutput: return finish(connection, .finished)
      case .atOnce: return close(connection, .aborted)
      case .reset:
        Syscalls.resetOnClose(connection.socket.number)
        return close(connection, .aborted)
      }
    case .finishing(let reason):
      if connection.output.isEmpty { return linger(connection, reason) }
    case .lingering: break
    }
    rearm(connection)
  }

  /// A connection ends without the session's wish when neither side has anything to say any more.
  private func end(of connection: Connection<Session>) -> CloseReason? {
    let wishes = connection.wishes
    let isSilent = connection.output.isEmpty && !wishes.hasMoreOutput && !connection.isInterrupted
    guard isSilent, wishes.phase != .answering else { return nil }
    if connection.toldEnd { return wishes.phase == .idle ? .clientClosed : .clientGone }
    guard case .draining = stage, wishes.phase == .idle, connection.input.isEmpty else { return nil }
    return .drained
  }

  /// The session has said its last word; what it wrote is still sent.
  func finish(_ connection: Connection<Session>, _ reason: CloseReason) {
    connection.stage = .finishing(reason)
    if connection.output.isEmpty { linger(connection, reason) } else { rearm(connection) }
  }

  /// A close with unread input is an RST, and an RST makes the client forget what it has not read yet: the answer. So
  /// only our side is closed, and the rest of the input is read and thrown away, for a bounded time (RFC 9112 §9.6).
  private func linger(_ connection: Connection<Session>, _ reason: CloseReason) {
    guard !connection.sawEnd else { return close(connection, reason) }
    Syscalls.shutdownOutput(connection.socket.number)
    connection.stage = .lingering(reason, discarded: 0)
    connection.input = InputBuffer()
    connection.times.startedLingering(now: now)
    rearm(connection)
  }

  func close(_ connection: Connection<Session>, _ reason: CloseReason) {
    if let timer = connection.timer { timers.cancel(timer.token) }
    connections.remove(connection.token)
    connection.session.closed(reason, now: now)
    output.bytes.removeAll(keepingCapacity: true)
    counters.countClosed(reason)
    quota.giveBack()
  }
}
