/// What sessions ask of their loop about connections other than their own. Used on the loop's thread alone; what is asked for
/// is done when the session's call has returned, in the order of asking and before the loop waits again.
package final class LoopPeers<Session: ByteSession> {
  /// A call of another session, or a connection to be opened.
  package enum Request {
    case nudge(ConnectionToken)
    case open(SocketAddress, (ConnectionToken) -> Session)
  }

  private var requests: [Request] = []
  private var taken = 0

  /// Told of each message whose session had gone before it came.
  package var missed: (ConnectionToken, Session.Message) -> Void = { _, _ in }

  package init() {}

  /// Calls `nudged` of that session, unless its connection is ending or gone.
  package func nudge(_ token: ConnectionToken) { requests.append(.nudge(token)) }

  /// Connects to another server. The session that `makeSession` returns is told `connected`, or `connectFailed` and
  /// `closed`.
  package func open(to address: SocketAddress, makeSession: @escaping (ConnectionToken) -> Session) {
    requests.append(.open(address, makeSession))
  }

  /// What is to be done next, for the loop, or for a test in its place.
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
