/// A place in what the user wrote. Lines and columns count from 1; a column is a Unicode scalar.
package struct SourcePosition: Hashable, Comparable, Sendable {
  /// 0 is the scenario's file; n is the n-th override of the command line.
  package let source: Int
  package let line: Int
  package let column: Int

  package init(source: Int = 0, line: Int, column: Int) {
    self.source = source
    self.line = line
    self.column = column
  }

  package static func < (left: SourcePosition, right: SourcePosition) -> Bool {
    (left.source, left.line, left.column) < (right.source, right.line, right.column)
  }
}
