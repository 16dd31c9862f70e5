/// A connection as its session first sees it.
package struct Accepted: Sendable {
  /// The address for messages to the session, until it is told `closed`.
  package let token: ConnectionToken
  package let peer: SocketAddress
}
