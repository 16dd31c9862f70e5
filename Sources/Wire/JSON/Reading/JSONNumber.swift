/// A number that the reader has checked. Its value is asked from the reader: `int64`, `uint64` or `double`. Valid only
/// together with the span it was read from.
package struct JSONNumber: Equatable, Sendable {
  /// The bytes of the number as written.
  package let range: Range<Int>
  /// Whether it is written as an integer, with neither fraction nor exponent.
  package let isInteger: Bool
  let decimal: Decimal
}
