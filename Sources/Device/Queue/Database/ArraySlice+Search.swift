extension ArraySlice<Int64> {
  /// Where in ascending elements the first one lies that is not smaller, or the end.
  func firstIndex(notBefore value: Int64) -> Int {
    var range = indices
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      range = self[middle] < value ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return range.lowerBound
  }
}
