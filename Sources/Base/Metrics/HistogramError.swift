/// Why bytes are no histogram, or two histograms cannot become one. Offsets count bytes of the input.
package enum HistogramError: Error, Equatable {
  /// The input ended inside the field that begins at `offset`.
  case truncated(offset: Int)
  /// The first byte names a format that this code does not know.
  case unknownFormat(UInt8)
  /// The field that begins at `offset` has a value that no histogram has there.
  case invalidField(offset: Int)
  /// The fields contradict each other: minimum, maximum or sum are impossible for these counts.
  case contradiction
  /// Bytes follow the end, which is at `offset`.
  case trailingBytes(offset: Int)
  /// The two histograms track different ranges.
  case differentRange
  /// More than 2⁶³ − 1 values together.
  case tooManyValues
}
