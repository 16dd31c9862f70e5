internal import Base

/// What the kernel reports about a connection.
extension EventLoop {
  func serve(_ token: ConnectionToken, _ events: UInt32) {
    // Closed earlier in this turn: the event is about a socket that is not ours any more.
    guard let connection = connections[token] else { return }
    if events & Poller.writable != 0 {
      write(connection)
      guard connections[token] != nil else { return }
    }
    guard events & (Poller.readable | Poller.gone) != 0 else { return }
    if reads(connection) {
      read(connection)
    } else if events & Poller.gone != 0 {
      close(connection, .reset)
    } else {
      watch(connection, wanted(connection))
    }
  }

  /// Whether a byte from this client would have a place to go.
  func reads(_ connection: Connection<Session>) -> Bool {
    switch connection.stage {
    // What was left for this turn comes first: beside it there might be no room.
    case .open: takesInput(connection) && !connection.sawEnd && !connection.isInterrupted
    case .finishing: false
    case .lingering: true
    }
  }

  func takesInput(_ connection: Connection<Session>) -> Bool {
    guard connection.isOpen else { return false }
    let wishes = connection.wishes
    return wishes.wantsInput && wishes.ending == .open && connection.output.count <= configuration.unsentMax
  }

  /// One read a turn: a client that sends without pause gets its share and no more.
  func read(_ connection: Connection<Session>) {
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
      let count = try Syscalls.receive(connection.socket.number, into: &readBuffer, atMost: room)
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
  private func take(_ count: Int, for connection: Connection<Session>) -> Bool {
    connection.times.received(count)
    let bytes = readBuffer
    guard connection.input.isEmpty else {
      connection.input.append(bytes.span.extracting(first: count))
      return offer(connection)
    }
    output.unsentBefore = connection.output.count
    let taken = connection.session.receive(bytes.span.extracting(first: count), &output)
    connection.noteWishes()
    precondition(taken >= 0 && taken <= count, "a session takes what it was shown")
    if taken < count { connection.input.append(bytes.span.extracting(taken..<count)) }
    return taken > 0
  }

  /// Shows the session what it has left so far; says whether it took any of it.
  func offer(_ connection: Connection<Session>) -> Bool {
    beginCall(connection)
    let taken = connection.input.offer { connection.session.receive($0, &output) }
    connection.noteWishes()
    return taken > 0
  }

  private func discard(_ connection: Connection<Session>, _ reason: CloseReason, _ discarded: Int) {
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
  func fail(_ connection: Connection<Session>, _ error: SystemError) {
    if !error.isWouldBlock { close(connection, error.isReset ? .reset : .lost) }
  }
}
