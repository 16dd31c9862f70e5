/// A line of the grid, from one side of the city to the other.
package struct Street: Hashable, Sendable {
  package let isNorthSouth: Bool
  /// Counted from the west for streets that run north and south, from the south for the others.
  package let line: Int

  package var streetClass: StreetClass { StreetClass.ofLine(line) }

  package init(isNorthSouth: Bool, line: Int) {
    self.isNorthSouth = isNorthSouth
    self.line = line
  }
}
