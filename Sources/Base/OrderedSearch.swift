extension RandomAccessCollection {
  /// The place behind all elements of which `isBefore` holds. The collection is ordered by it: those elements come first.
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
