/// Why a connection ended; every connection is counted under exactly one.
package enum CloseReason: Int, Hashable, Sendable, CaseIterable {
  /// The client closed with nothing owed to it and nothing begun.
  case clientClosed
  /// The client ended its output in the middle of a message.
  case clientGone
  /// The client reset the connection, or it was gone when we wrote.
  case reset
  /// The network gave up (ETIMEDOUT, EHOSTUNREACH …).
  case lost
  /// The session had said its last word and the client got it.
  case finished
  /// The session cut the connection without saying more.
  case aborted
  case idleTimeout
  case headTimeout
  case bodyTimeout
  case bodyTooSlow
  case writeTimeout
  /// The client went on after our last byte until the linger limits; it may have missed the answer.
  case lingerTimeout
  /// The session wanted more than the input limit at once.
  case inputOverflow
  /// Idle when the drain began, or done in the course of it.
  case drained
  /// Cut by a stop, or by the end of the drain's time.
  case stopped

  init(_ limit: TimeLimit) {
    switch limit {
    case .idle: self = .idleTimeout
    case .head: self = .headTimeout
    case .body: self = .bodyTimeout
    case .bodyRate: self = .bodyTooSlow
    case .write: self = .writeTimeout
    case .linger: self = .lingerTimeout
    }
  }
}
