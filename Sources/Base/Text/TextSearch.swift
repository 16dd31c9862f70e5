/// Searches texts and bytes, compared byte by byte. Swift's own search compares characters, and links the regular expression
/// engine: a megabyte in a statically linked executable.
extension Span<UInt8> {
  /// Returns the first index of the part; 0 for an empty part. A byte that the part does not contain rules out all positions
  /// that would cover it.
  package func firstIndex(of part: Span<UInt8>) -> Int? {
    if part.isEmpty { return 0 }
    var bits = SIMD4<UInt64>.zero
    for index in part.indices { bits[Int(part[index] >> 6)] |= 1 << UInt64(part[index] & 63) }
    var start = 0
    while start + part.count <= count {
      let last = self[start + part.count - 1]
      if bits[Int(last >> 6)] >> UInt64(last & 63) & 1 == 0 {
        start += part.count
      } else if part.indices.allSatisfy({ self[start + $0] == part[$0] }) {
        return start
      } else {
        start += 1
      }
    }
    return nil
  }

  package func contains(_ part: String) -> Bool { firstIndex(of: part.utf8.span) != nil }
}

extension Substring {
  package func firstRange(of part: String) -> Range<Index>? {
    guard let offset = utf8.span.firstIndex(of: part.utf8.span) else { return nil }
    let start = utf8.index(startIndex, offsetBy: offset)
    return start..<utf8.index(start, offsetBy: part.utf8.count)
  }

  package func contains(_ part: String) -> Bool { utf8.span.contains(part) }

  /// Replaces every occurrence of the part, from the left.
  package func replacing(_ part: String, with other: String) -> String {
    precondition(!part.isEmpty, "an empty text is everywhere")
    var (result, rest) = ("", self)
    while let place = rest.firstRange(of: part) {
      result += rest[..<place.lowerBound]
      result += other
      rest = rest[place.upperBound...]
    }
    return result + rest
  }
}

extension String {
  package func firstRange(of part: String) -> Range<Index>? { self[...].firstRange(of: part) }

  package func contains(_ part: String) -> Bool { utf8.span.contains(part) }

  /// Replaces every occurrence of the part, from the left.
  package func replacing(_ part: String, with other: String) -> String { self[...].replacing(part, with: other) }

  /// Returns the longest beginning of at most `count` bytes. Counted in bytes, because one character may have any number of
  /// combining marks.
  package func prefix(bytes count: Int) -> String {
    guard utf8.count > count else { return self }
    var end = utf8.index(startIndex, offsetBy: count)
    while utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
    return String(self[..<end])
  }
}
