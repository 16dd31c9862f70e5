/// A run of bytes inside a head's own storage: a position stays right when the head is moved, a pointer would not.
package struct ByteRange: Sendable, Equatable {
  package let start: UInt32
  package let count: UInt32

  init(_ start: Int, _ end: Int) {
    self.start = UInt32(truncatingIfNeeded: start)
    count = UInt32(truncatingIfNeeded: end - start)
  }

  package var isEmpty: Bool { count == 0 }
  var lowerBound: Int { Int(start) }
  var upperBound: Int { Int(start) + Int(count) }
  var bounds: Range<Int> { lowerBound..<upperBound }
}
