/// Requests of sessions to their loop that concern other connections. Used on the loop's thread only; requests are executed
/// after the session's call has returned, in order and before the loop waits again.
package final class LoopPeers<Session: ByteSession> {
  /// A call of another session, or a connection to open.
  package enum Request {
    case nudge(ConnectionToken)
    case open(SocketAddress, (ConnectionToken) -> Session)
  }

  private var requests: [Request] = []
  private var taken = 0

  /// Called for each message whose session had ended before it arrived.
  package var missed: (ConnectionToken, Session.Message) -> Void = { _, _ in }

  package init() {}

  /// Calls `nudged` of that session, unless its connection is ending or closed.
  package func nudge(_ token: ConnectionToken) { requests.append(.nudge(token)) }

  /// Connects to another server. On the session that `makeSession` returns, `connected` is called, or `connectFailed` and then
  /// `closed`.
  package func open(to address: SocketAddress, makeSession: @escaping (ConnectionToken) -> Session) {
    requests.append(.open(address, makeSession))
  }

  /// Returns the next request, to the loop or to a test in its place.
  package func next() -> Request? {
    guard taken < requests.count else { return nil }
    defer {
      taken += 1
      if taken == requests.count {
        requests.removeAll(keepingCapacity: true)
        taken = 0
      }
    }
    return requests[taken]
  }
}
