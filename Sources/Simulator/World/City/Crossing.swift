/// Where two streets meet: the lines of both.
package struct Crossing: Hashable, Sendable {
  /// Of the street that runs north and south.
  package let column: Int
  /// Of the street that runs east and west.
  package let row: Int

  package init(column: Int, row: Int) {
    self.column = column
    self.row = row
  }
}
