/// Names one scheduled timer of one queue, also after it has gone: tickets are never given twice.
@usableFromInline
package struct TimerToken: Hashable, Sendable {
  @usableFromInline let slot: Int
  @usableFromInline let ticket: UInt64

  @inlinable init(slot: Int, ticket: UInt64) {
    self.slot = slot
    self.ticket = ticket
  }
}
