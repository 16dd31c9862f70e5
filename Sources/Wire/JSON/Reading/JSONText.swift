/// A key or string value that the reader has checked: where it is, not what it says. Valid only together with the span
/// it was read from.
package struct JSONText: Equatable, Sendable {
  /// The bytes between the quotes, escapes as written.
  package let range: Range<Int>
  /// Whether the bytes between the quotes are the text itself, because there is no escape among them.
  package let isPlain: Bool
}
