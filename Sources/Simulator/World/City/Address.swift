/// A place in the city: on a street, so far along it.
package struct Address: Hashable, Sendable {
  package let street: Street
  /// The block of the street, from its southern or western end.
  package let block: Int
  /// Metres into the block, more than nothing and less than the whole.
  package let metres: Double

  package init(street: Street, block: Int, metres: Double) {
    self.street = street
    self.block = block
    self.metres = metres
  }

  /// The crossings at both ends of the block, the southern or western one first.
  var ends: (Crossing, Crossing) { (crossing(at: block), crossing(at: block + 1)) }

  private func crossing(at position: Int) -> Crossing {
    street.isNorthSouth
      ? Crossing(column: street.line, row: position) : Crossing(column: position, row: street.line)
  }
}
