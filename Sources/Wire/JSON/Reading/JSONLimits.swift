/// What a reader accepts beyond the grammar; RFC 8259 §9 leaves these limits to the implementation.
package struct JSONLimits: Equatable, Sendable {
  /// Depth 64 fits into one machine word, which is where the reader remembers the open brackets.
  package static let greatestDepth = 64

  package static let standard = JSONLimits()

  /// How many objects and arrays may be open at once, at most `greatestDepth`. 0 admits scalars only.
  package let maxDepth: Int
  /// How many bytes a key or a string value may have between its quotes, escapes as written.
  package let maxTextBytes: Int

  package init(maxDepth: Int = 32, maxTextBytes: Int = 1 << 20) {
    precondition((0...Self.greatestDepth).contains(maxDepth), "maxDepth must be in 0...64")
    precondition(maxTextBytes >= 0, "maxTextBytes must not be negative")
    self.maxDepth = maxDepth
    self.maxTextBytes = maxTextBytes
  }
}
