internal import Base
internal import TLS

/// What the kernel reports about a connection.
extension EventLoop {
  func serve(_ token: ConnectionToken, _ events: UInt32) {
    // Closed earlier in this turn: the event is about a socket that is not ours any more.
    guard let connection = connections[token] else { return }
    if connection.isConnecting { return finishConnecting(connection) }
    if events & Poller.writable != 0 {
      write(connection)
      guard connections[token] != nil else { return }
    }
    guard events & (Poller.readable | Poller.gone) != 0 || connection.hasUnread else { return }
    if reads(connection) {
      read(connection)
    } else if events & Poller.gone != 0 {
      close(connection, .reset)
    } else {
      watch(connection, wanted(connection))
    }
  }

  /// Whether a byte from this client would have a place to go.
  func reads(_ connection: ClientConnection<Session>) -> Bool {
    switch connection.stage {
    // What was left for this turn comes first: beside it there might be no room.
    case .open: takesInput(connection) && !connection.sawEnd && !connection.isInterrupted
    case .finishing: false
    case .lingering: true
    }
  }

  func takesInput(_ connection: ClientConnection<Session>) -> Bool {
    guard connection.isOpen, !connection.isConnecting else { return false }
    let wishes = connection.wishes
    return wishes.wantsInput && wishes.ending == .open && connection.output.count <= configuration.unsentMax
  }

  /// One read a turn: a client that sends without pause gets its share and no more.
  func read(_ connection: ClientConnection<Session>) {
    if case .lingering(let reason, let discarded) = connection.stage {
      discard(connection, reason, discarded)
      return
    }
    let room = configuration.inputMax - connection.input.count
    guard room > 0 else {
      close(connection, .inputOverflow)
      return
    }
    do {
      let count = try receive(connection, atMost: room)
      counters.countIn(count)
      guard count > 0 else {
        connection.sawEnd = true
        return advance(connection)
      }
      advance(connection, mayOffer: take(count, for: connection))
    } catch {
      fail(connection, error)
    }
  }

  /// Says whether the session took any of what it was shown.
  private func take(_ count: Int, for connection: ClientConnection<Session>) -> Bool {
    let bytes = readBuffer
    guard connection.input.isEmpty else {
      connection.input.append(bytes.span.extracting(first: count))
      return offer(connection)
    }
    beginCall(connection)
    let taken = connection.session.receive(bytes.span.extracting(first: count), &output)
    connection.noteWishes()
    precondition(taken >= 0 && taken <= count, "a session takes what it was shown")
    if taken < count { connection.input.append(bytes.span.extracting(taken..<count)) }
    return taken > 0
  }

  /// Shows the session what it has left so far; says whether it took any of it.
  func offer(_ connection: ClientConnection<Session>) -> Bool {
    beginCall(connection)
    let taken = connection.input.offer { connection.session.receive($0, &output) }
    connection.noteWishes()
    return taken > 0
  }

  private func discard(_ connection: ClientConnection<Session>, _ reason: CloseReason, _ discarded: Int) {
    do {
      let count = try Syscalls.discard(connection.socket.number, atMost: configuration.inputMax)
      counters.countIn(count)
      if count == 0 {
        close(connection, reason)
      } else if discarded + count > configuration.lingerBytes {
        close(connection, reason == .finished ? .lingerTimeout : reason)
      } else {
        connection.stage = .lingering(reason, discarded: discarded + count)
      }
    } catch {
      fail(connection, error)
    }
  }

  /// A socket that only says "later" is left as it is.
  func fail(_ connection: ClientConnection<Session>, _ error: SystemError) {
    guard !error.isWouldBlock else { return }
    close(connection, error.isReset ? .reset : error.isInvalid ? .tlsInvalid : .lost)
  }
}

/// After every call of a session: send what it wrote, let it go on as far as it can, and do what it wishes.
extension EventLoop {
  /// `mayOffer` is false when the session has just seen all its input and left it.
  func advance(_ connection: ClientConnection<Session>, mayOffer: Bool = true) {
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

  private func produce(_ connection: ClientConnection<Session>) {
    call(connection) { $0.produce(&$1) }
    let isSilent = output.bytes.isEmpty && connection.wishes.hasMoreOutput
    precondition(!isSilent, "a session with more output writes some when asked")
  }

  private func wantsToProduce(_ connection: ClientConnection<Session>) -> Bool {
    guard connection.isOpen, connection.output.count <= configuration.unsentMax / 2 else { return false }
    let wishes = connection.wishes
    return wishes.hasMoreOutput && wishes.ending == .open
  }

  private func conclude(_ connection: ClientConnection<Session>) {
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
  private func end(of connection: ClientConnection<Session>) -> CloseReason? {
    let wishes = connection.wishes
    let isSilent = connection.output.isEmpty && !wishes.hasMoreOutput && !connection.isInterrupted
    guard isSilent, wishes.phase != .answering else { return nil }
    if connection.toldEnd { return wishes.phase == .idle ? .clientClosed : .clientGone }
    guard case .draining = stage, wishes.phase == .idle, connection.input.isEmpty else { return nil }
    return .drained
  }

  /// The session has said its last word; what it wrote is still sent.
  func finish(_ connection: ClientConnection<Session>, _ reason: CloseReason) {
    connection.stage = .finishing(reason)
    if connection.output.isEmpty { linger(connection, reason) } else { rearm(connection) }
  }

  /// A close with unread input is an RST, and an RST makes the client forget what it has not read yet: the answer. So
  /// only our side is closed, and the rest of the input is read and thrown away, for a bounded time (RFC 9112 §9.6).
  private func linger(_ connection: ClientConnection<Session>, _ reason: CloseReason) {
    connection.channel?.endOutput()
    guard !connection.sawEnd else { return close(connection, reason) }
    Syscalls.shutdownOutput(connection.socket.number)
    connection.stage = .lingering(reason, discarded: 0)
    connection.input = InputBuffer()
    connection.times.startedLingering(now: now)
    rearm(connection)
  }

  func close(_ connection: ClientConnection<Session>, _ reason: CloseReason) {
    if let timer = connection.timer { timers.cancel(timer.token) }
    if reason.isOrderly { connection.channel?.endOutput() }
    connections.remove(connection.token)
    connection.session.closed(reason, now: now)
    output.bytes.removeAll(keepingCapacity: true)
    counters.countClosed(reason)
    quota.giveBack()
  }
}

/// From the session's output to the kernel.
extension EventLoop {
  /// Tries at once, because the kernel nearly always has room; keeps the rest. False when the connection is gone.
  func flush(_ connection: ClientConnection<Session>) -> Bool {
    guard !output.bytes.isEmpty else { return true }
    defer { emptyOutput() }
    do {
      var sent = 0
      if connection.output.isEmpty {
        sent = try sendSome(connection, unsafe output.bytes.span.bytes)
      }
      // Behind bytes that wait already, the new ones wait too: the socket reports when there is room.
      connection.output.append(output.bytes, from: sent)
      return true
    } catch {
      fail(connection, error)
      return false
    }
  }

  /// The socket has room again.
  func write(_ connection: ClientConnection<Session>) {
    beginCall(connection)
    do {
      if !connection.output.isEmpty {
        try connection.output.flush { (bytes) throws(SystemError) in try sendSome(connection, bytes) }
      }
    } catch {
      fail(connection, error)
      return
    }
    advance(connection)
  }

  /// Zero when the kernel has no room.
  private func sendSome(_ connection: ClientConnection<Session>, _ bytes: RawSpan) throws(SystemError) -> Int {
    do {
      let sent = try send(connection, bytes)
      counters.countOut(sent)
      return sent
    } catch {
      guard error.isWouldBlock else { throw error }
      return 0
    }
  }

  /// The buffer is used again, unless one large answer has made it so large that it should not stay.
  private func emptyOutput() {
    let isLarge = output.bytes.capacity > 4 * configuration.unsentMax
    output.bytes.removeAll(keepingCapacity: !isLarge)
  }
}
