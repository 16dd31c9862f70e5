extension RandomAccessCollection {
  /// Returns the index after all elements for which `isBefore` holds. The collection must be ordered so that these come first.
  @inlinable
  package func indexBehind(_ isBefore: (Element) -> Bool) -> Index {
    var (start, rest) = (startIndex, count)
    while rest > 0 {
      let half = rest / 2
      let middle = index(start, offsetBy: half)
      if isBefore(self[middle]) {
        start = index(after: middle)
        rest -= half + 1
      } else {
        rest = half
      }
    }
    return start
  }
}
