internal import Base

/// From the session's output to the kernel.
extension EventLoop {
  /// Tries at once, because the kernel nearly always has room; keeps the rest. False when the connection is gone.
  func flush(_ connection: Connection<Session>) -> Bool {
    guard !output.bytes.isEmpty else { return true }
    defer { emptyOutput() }
    do {
      var sent = 0
      if connection.output.isEmpty {
        sent = try sendSome(connection, unsafe output.bytes.span.bytes)
      }
      // Behind bytes that wait already, the new ones wait too: the socket reports when there is room.
      connection.output.append(output.bytes, from: sent)
      if sent > 0 { connection.times.sent(now: now) }
      return true
    } catch {
      fail(connection, error)
      return false
    }
  }

  /// The socket has room again.
  func write(_ connection: Connection<Session>) {
    beginCall(connection)
    do {
      var sent = 0
      if !connection.output.isEmpty {
        try connection.output.flush { (bytes) throws(SystemError) in
          sent = try sendSome(connection, bytes)
          return sent
        }
      }
      if sent > 0 { connection.times.sent(now: now) }
    } catch {
      fail(connection, error)
      return
    }
    advance(connection)
  }

  /// Zero when the kernel has no room.
  private func sendSome(_ connection: Connection<Session>, _ bytes: RawSpan) throws(SystemError) -> Int {
    do {
      let sent = try Syscalls.send(connection.socket.number, bytes)
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
