import Base

/// The rows of a device, in ascending order. Most are removed at the front, where they are oldest.
struct DeviceRows {
  /// The rows before `head` are removed.
  private var storage: [Int64] = []
  private var head = 0
  /// A lower bound of the records' times, in milliseconds since 1970.
  var earliest = Int64.max
  var locked = LockedRows()

  var rows: ArraySlice<Int64> { storage[head...] }
  var count: Int { storage.count - head }

  /// Appends a row above all others.
  mutating func append(_ row: Int64, recordedAt: Int64) {
    precondition(rows.last.map { $0 < row } ?? true, "rows come in ascending order")
    storage.append(row)
    earliest = min(earliest, recordedAt)
  }

  /// Removes a row, also from the locked rows. Returns false when there is no such row.
  mutating func remove(_ row: Int64) -> Bool {
    let index = storage[head...].indexBehind { $0 < row }
    guard index < storage.count && storage[index] == row else { return false }
    locked.remove(row)
    if index > head {
      storage.remove(at: index)
      return true
    }
    head += 1
    // Moves each row at most once on average.
    if head * 2 > storage.count {
      storage.removeSubrange(..<head)
      head = 0
    }
    return true
  }

  /// Checks that locked rows exist: a removal from the queue also removes the lock.
  func checkLocks() {
    guard let first = locked.rows.first, let last = locked.rows.last else { return }
    precondition(locked.rows.count <= count, "more rows are locked than there are")
    precondition(contains(first) && contains(last), "a row that is gone is locked")
  }

  private func contains(_ row: Int64) -> Bool {
    let index = storage[head...].indexBehind { $0 < row }
    return index < storage.count && storage[index] == row
  }

  /// Restores a removed row at its place; `earliest` is not restored.
  mutating func putBack(_ row: Int64) {
    storage.insert(row, at: storage[head...].indexBehind { $0 < row })
    earliest = .min
  }
}

/// The rows locked by an upload, in ascending order: usually none, otherwise one batch.
struct LockedRows {
  private(set) var rows: [Int64] = []

  func contains(_ row: Int64) -> Bool {
    let index = rows[...].indexBehind { $0 < row }
    return index < rows.count && rows[index] == row
  }

  /// Locks further rows, in any order.
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
