internal import Base

/// What a connection waits for, and until when.
extension EventLoop {
  /// Brings the clocks, the interest and the timer of a connection in line with its session.
  func rearm(_ connection: Connection<Session>) {
    let wishes = connection.wishes
    if connection.isOpen {
      connection.times.entered(wishes.phase, now: now)
      if connection.output.count > configuration.unsentMax {
        connection.times.pausedReading(now: now)
      } else {
        connection.times.resumedReading(now: now)
      }
    } else {
      connection.times.entered(.answering, now: now)
    }
    // A reader that is not wanted now costs nothing until bytes come, and mostly it is wanted again before that.
    let wanted = wanted(connection)
    let surplus = connection.interest & ~wanted & Poller.writable
    if wanted & ~connection.interest != 0 || surplus != 0 { watch(connection, wanted) }
    // The kernel may have taken the last byte of one piece and still have no room for the next.
    connection.times.waits(toWrite: wanted & Poller.writable != 0, now: now)
    setTimer(connection)
  }

  func wanted(_ connection: Connection<Session>) -> UInt32 {
    let wishes = connection.wishes
    let hasMore = connection.isOpen && (wishes.hasMoreOutput || connection.isInterrupted)
    let writes = !connection.output.isEmpty || hasMore
    return (reads(connection) ? Poller.readable : 0) | (writes ? Poller.writable : 0)
  }

  func watch(_ connection: Connection<Session>, _ events: UInt32) {
    guard events != connection.interest else { return }
    poller.modify(connection.socket.number, events, token: connection.token)
    connection.interest = events
  }

  /// A deadline moves with every message, its timer only when it would come too late: a timer that comes too early looks
  /// at the deadline as it is then. So a busy connection costs one timer in a minute.
  private func setTimer(_ connection: Connection<Session>) {
    guard let due = due(connection) else { return }
    if let timer = connection.timer {
      guard due < timer.instant else { return }
      timers.reschedule(timer.token, at: due)
      connection.timer = (timer.token, due)
    } else {
      connection.timer = (timers.schedule(at: due, .connection(connection.token)), due)
    }
  }

  private func due(_ connection: Connection<Session>) -> MonotonicInstant? {
    let deadline = connection.times.deadline(under: configuration.times)?.instant
    guard connection.isOpen, let alarm = connection.wishes.alarm else { return deadline }
    return deadline.map { min($0, alarm) } ?? alarm
  }

  func timerFired(_ token: ConnectionToken) {
    guard let connection = connections[token] else { preconditionFailure("a closed connection has no timer") }
    connection.timer = nil
    if let deadline = connection.times.deadline(under: configuration.times), deadline.instant <= now {
      timedOut(connection, deadline.limit)
    } else if connection.isOpen, let alarm = connection.wishes.alarm, alarm <= now {
      call(connection) { $0.alarmRang(&$1) }
      advance(connection)
    } else {
      setTimer(connection)
    }
  }

  private func timedOut(_ connection: Connection<Session>, _ limit: TimeLimit) {
    switch (limit, connection.stage) {
    case (.idle, _), (.head, _), (.body, _), (.bodyRate, _):
      call(connection) { $0.timedOut(limit, &$1) }
      let saysNothing = output.bytes.isEmpty && connection.output.isEmpty
      guard flush(connection) else { return }
      if saysNothing { close(connection, CloseReason(limit)) } else { finish(connection, CloseReason(limit)) }
    case (.write, _):
      // Without the reset the kernel would go on offering the bytes, in its own memory.
      Syscalls.resetOnClose(connection.socket.number)
      close(connection, .writeTimeout)
    case (.linger, .lingering(let reason, _)): close(connection, reason == .finished ? .lingerTimeout : reason)
    case (.linger, _): preconditionFailure("only a lingering connection runs out of that time")
    }
  }
}
