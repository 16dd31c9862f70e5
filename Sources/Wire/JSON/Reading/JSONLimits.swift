/// What a reader accepts; RFC 8259 §9 leaves limits to the implementation. How long a text may be is none of them: it stands
/// in bytes that are there already, and where those came from there was a limit.
package struct JSONLimits: Equatable, Sendable {
  /// Depth 64 fits into one machine word, which is where the reader remembers the open brackets.
  package static let greatestDepth = 64

  package static let standard = JSONLimits()

  /// How many objects and arrays the caller may have stepped into at once, at most `greatestDepth`. 0 admits scalars only.
  /// What is skipped may be nested deeper: nobody recurses into it.
  package let maxDepth: Int
  /// Whether what stands between quotes may be anything, and a number beyond the range of a double, so that the values
  /// behind it can still be found. Whoever wants what they say must read them with a reader that checks.
  package let isStructureOnly: Bool

  package init(maxDepth: Int = 32, isStructureOnly: Bool = false) {
    precondition((0...Self.greatestDepth).contains(maxDepth), "maxDepth must be in 0...64")
    self.maxDepth = maxDepth
    self.isStructureOnly = isStructureOnly
  }
}
