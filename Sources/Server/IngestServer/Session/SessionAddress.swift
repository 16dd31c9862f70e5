/// Names one session for as long as the server runs. What the numbers mean is the affair of whoever made the session.
package struct SessionAddress: Hashable, Sendable {
  package let loop: Int
  package let connection: UInt64

  package init(loop: Int, connection: UInt64) {
    self.loop = loop
    self.connection = connection
  }

  /// For jobs whose results nobody waits for.
  package static let nobody = SessionAddress(loop: -1, connection: 0)
}
