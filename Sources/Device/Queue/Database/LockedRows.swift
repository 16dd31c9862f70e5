/// The rows that an upload holds, in ascending order: none most of the time, and one batch otherwise.
struct LockedRows {
  private(set) var rows: [Int64] = []

  func contains(_ row: Int64) -> Bool {
    let index = rows[...].firstIndex(notBefore: row)
    return index < rows.count && rows[index] == row
  }

  /// Rows that are not locked yet, in any order.
  mutating func insert(_ more: some Sequence<Int64>) {
    rows.append(contentsOf: more)
    rows.sort()
  }

  mutating func remove(_ row: Int64) {
    let index = rows[...].firstIndex(notBefore: row)
    if index < rows.count && rows[index] == row { rows.remove(at: index) }
  }

  mutating func removeAll() { rows = [] }
}
