/// A place in a text file, as an editor counts.
package struct FileSpot: Equatable, Sendable, CustomStringConvertible {
  /// From 1.
  package let line: Int
  /// In bytes, from 1.
  package let column: Int

  package init(line: Int, column: Int = 1) {
    self.line = line
    self.column = column
  }

  static let beginning = FileSpot(line: 1)

  package var description: String { "\(line):\(column)" }
}
