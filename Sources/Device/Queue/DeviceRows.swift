import Base

/// Which rows belong to a device, in ascending order. Most leave at the front, where they came in first.
struct DeviceRows {
  /// The rows before `head` are gone.
  private var storage: [Int64] = []
  private var head = 0
  /// No record is older, in milliseconds since 1970; it may be that none is as old.
  var earliest = Int64.max
  var locked = LockedRows()

  var rows: ArraySlice<Int64> { storage[head...] }
  var count: Int { storage.count - head }

  /// A row above all others.
  mutating func append(_ row: Int64, recordedAt: Int64) {
    precondition(rows.last.map { $0 < row } ?? true, "rows come in ascending order")
    storage.append(row)
    earliest = min(earliest, recordedAt)
  }

  /// Also from the locked rows. False when there is no such row.
  mutating func remove(_ row: Int64) -> Bool {
    let index = storage[head...].indexBehind { $0 < row }
    guard index < storage.count && storage[index] == row else { return false }
    locked.remove(row)
    if index > head {
      storage.remove(at: index)
      return true
    }
    head += 1
    // Moves each row once at most, on average.
    if head * 2 > storage.count {
      storage.removeSubrange(..<head)
      head = 0
    }
    return true
  }

  /// An upload holds rows that are there: what leaves the queue leaves the locked rows too.
  func checkLocks() {
    guard let first = locked.rows.first, let last = locked.rows.last else { return }
    precondition(locked.rows.count <= count, "more rows are locked than there are")
    precondition(contains(first) && contains(last), "a row that is gone is locked")
  }

  private func contains(_ row: Int64) -> Bool {
    let index = storage[head...].indexBehind { $0 < row }
    return index < storage.count && storage[index] == row
  }

  /// A row that was removed, at its place; how old it was is not remembered.
  mutating func putBack(_ row: Int64) {
    storage.insert(row, at: storage[head...].indexBehind { $0 < row })
    earliest = .min
  }
}

/// The rows that an upload holds, in ascending order: none most of the time, and one batch otherwise.
struct LockedRows {
  private(set) var rows: [Int64] = []

  func contains(_ row: Int64) -> Bool {
    let index = rows[...].indexBehind { $0 < row }
    return index < rows.count && rows[index] == row
  }

  /// Rows that are not locked yet, in any order.
  mutating func insert(_ more: some Sequence<Int64>) {
    rows.append(contentsOf: more)
    rows.sort()
    precondition(zip(rows, rows.dropFirst()).allSatisfy { $0 < $1 }, "a row is locked once")
  }

  mutating func remove(_ row: Int64) {
    let index = rows[...].indexBehind { $0 < row }
    if index < rows.count && rows[index] == row { rows.remove(at: index) }
  }

  mutating func removeAll() { rows = [] }
}
