internal import Base

/// The end of the loop: in peace, or at once.
extension EventLoop {
  /// Stops accepting, lets the sessions finish what has reached us, and ends when the last connection is gone.
  func beginDrain(within time: Nanoseconds) {
    guard case .running = stage else { return }
    // Who stands in the backlog is connected already, and its request may be here: a close would reset it.
    for _ in 0...Int(configuration.backlog) / configuration.acceptBurst {
      guard acceptSome() else { break }
    }
    listener = nil
    for connection in connections.all where connection.isOpen {
      call(connection) { $0.drain(&$1) }
      advance(connection)
    }
    // What lies in the sockets was sent to a server that took it: one more read each, before idle means idle.
    for connection in connections.all where connections[connection.token] != nil && reads(connection) {
      read(connection)
    }
    stage = .draining
    for connection in connections.all where connections[connection.token] != nil { advance(connection) }
    timers.schedule(at: now + time, .drainDeadline)
  }

  func stop() {
    listener = nil
    for connection in connections.all { close(connection, .stopped) }
    stage = .ended
  }
}
