/// Whose job it was: the number of an event loop and a number of the loop's own.
package struct Ticket: Hashable, Sendable {
  package var owner: Int
  package var number: UInt64

  package init(owner: Int = 0, number: UInt64) {
    self.owner = owner
    self.number = number
  }
}
