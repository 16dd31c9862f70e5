/// A shortest way through the grid: from an address along streets to another, by the crossings where it turns.
package struct Way: Equatable, Sendable {
  package let start: Address
  package let end: Address
  /// The first and the last are ends of the blocks of the addresses; each lies on a street with the next. None when both
  /// addresses are in the same block.
  package let crossings: [Crossing]
  package let lengthMetres: Double
}
