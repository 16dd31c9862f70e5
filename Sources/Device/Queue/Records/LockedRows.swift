/// The rows that an upload holds, in ascending order: none most of the time, and one batch otherwise.
struct LockedRows {
  private(set) var rows: [Int64] = []

  func contains(_ row: Int64) -> Bool {
    let index = firstIndex(notBefore: row)
    return index < rows.count && rows[index] == row
  }

  /// Rows that are not locked yet, in any order.
  mutating func insert(_ more: some Sequence<Int64>) {
    rows.append(contentsOf: more)
    rows.sort()
  }

  mutating func remove(_ row: Int64) {
    let index = firstIndex(notBefore: row)
    if index < rows.count && rows[index] == row { rows.remove(at: index) }
  }

  mutating func remove(_ others: [Int64]) {
    guard !rows.isEmpty else { return }
    let sorted = others.sorted()
    var next = 0
    rows.removeAll { row in
      while next < sorted.count && sorted[next] < row { next += 1 }
      return next < sorted.count && sorted[next] == row
    }
  }

  mutating func removeAll() { rows = [] }

  /// The rows from this one on.
  mutating func removeAll(from row: Int64) { rows.removeSubrange(firstIndex(notBefore: row)...) }

  private func firstIndex(notBefore row: Int64) -> Int {
    var range = rows.indices
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      range = rows[middle] < row ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return range.lowerBound
  }
}
