internal import Base
internal import TLS

/// Handles the events that the kernel reports for a connection.
extension EventLoop {
  func serve(_ token: ConnectionToken, _ events: UInt32) {
    // It was closed earlier in this turn: the event belongs to a socket that is no longer ours.
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

  /// Returns whether there is room for input of this client.
  func reads(_ connection: ClientConnection<Session>) -> Bool {
    switch connection.stage {
    // Input left over for this turn comes first: with more there might be no room.
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

  /// Reads once per turn: a client that sends without pause gets only its share.
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

  /// Returns whether the session consumed any of the bytes.
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

  /// Passes the unconsumed input to the session; returns whether it consumed any.
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

  /// EAGAIN is no failure.
  func fail(_ connection: ClientConnection<Session>, _ error: SystemError) {
    guard !error.isWouldBlock else { return }
    close(connection, error.isReset ? .reset : error.isInvalid ? .tlsInvalid : .lost)
  }
}

/// After every call of a session: sends its output, lets it continue as far as it can, and fulfills its wishes.
extension EventLoop {
  /// `mayOffer` is false when the session has just been passed all its input and left it.
  func advance(_ connection: ClientConnection<Session>, mayOffer: Bool = true) {
    var mayOffer = mayOffer
    var written = output.bytes.count
    connection.isInterrupted = false
    while flush(connection) {
      guard written < configuration.outputPerTurn, !output.hasUsedItsShare else {
        // A client that sends and reads without pause gets only its share; the socket is still writable in the next turn.
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

  /// Returns the reason to end a connection that neither side uses any more.
  private func end(of connection: ClientConnection<Session>) -> CloseReason? {
    let wishes = connection.wishes
    let isSilent = connection.output.isEmpty && !wishes.hasMoreOutput && !connection.isInterrupted
    guard isSilent, wishes.phase != .answering else { return nil }
    if connection.toldEnd { return wishes.phase == .idle ? .clientClosed : .clientGone }
    guard case .draining = stage, wishes.phase == .idle, connection.input.isEmpty else { return nil }
    return .drained
  }

  /// Called when the session has ended; its output is still sent.
  func finish(_ connection: ClientConnection<Session>, _ reason: CloseReason) {
    connection.stage = .finishing(reason)
    if connection.output.isEmpty { linger(connection, reason) } else { rearm(connection) }
  }

  /// Closing with unread input sends an RST, and an RST makes the client discard what it has not read yet: the answer. So only
  /// our side is closed, and further input is read and discarded for a bounded time (RFC 9112 §9.6).
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

/// Sends the session's output to the kernel.
extension EventLoop {
  /// Sends at once, because the kernel usually has room; keeps the rest. Returns false when the connection is closed.
  func flush(_ connection: ClientConnection<Session>) -> Bool {
    guard !output.bytes.isEmpty else { return true }
    defer { emptyOutput() }
    do {
      var sent = 0
      if connection.output.isEmpty {
        sent = try sendSome(connection, unsafe output.bytes.span.bytes)
      }
      // After bytes that already wait, new ones must wait too: the socket reports when there is room.
      connection.output.append(output.bytes, from: sent)
      return true
    } catch {
      fail(connection, error)
      return false
    }
  }

  /// Called when the socket has room again.
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

  /// Returns 0 when the kernel has no room.
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

  /// Keeps the buffer for reuse, unless a large answer has made it too large.
  private func emptyOutput() {
    let isLarge = output.bytes.capacity > 4 * configuration.unsentMax
    output.bytes.removeAll(keepingCapacity: !isLarge)
  }
}
