import Base

/// The rows of a device.
struct DeviceRows {
  private var ascending = AscendingRows()
  /// A lower bound of the records' times, in milliseconds since 1970.
  var earliest = Int64.max
  var locked = LockedRows()

  var rows: ArraySlice<Int64> { ascending.rows }
  var count: Int { ascending.count }

  /// Appends a row above all others.
  mutating func append(_ row: Int64, recordedAt: Int64) {
    precondition(rows.last.map { $0 < row } ?? true, "rows come in ascending order")
    ascending.append(row)
    earliest = min(earliest, recordedAt)
  }

  /// Removes a row, also from the locked rows. Returns false when there is no such row.
  mutating func remove(_ row: Int64) -> Bool {
    guard ascending.remove(row) else { return false }
    locked.remove(row)
    return true
  }

  /// Checks that locked rows exist: a removal from the queue also removes the lock.
  func checkLocks() {
    guard let first = locked.rows.first, let last = locked.rows.last else { return }
    precondition(locked.rows.count <= count, "more rows are locked than there are")
    precondition(ascending.contains(first) && ascending.contains(last), "a row that is gone is locked")
  }

  /// Undoes the insertions and deletions of a group. Their order does not matter, because no row number is used twice. Locks of
  /// deleted rows and `earliest` are not restored.
  mutating func undo(inserted: Set<Int64>, deleted: Set<Int64>) {
    // All at once: one by one, each row would move those behind it.
    let kept = rows.filter { !inserted.contains($0) }
    ascending = AscendingRows((kept + deleted.subtracting(inserted)).sorted())
    for row in Array(locked.rows) where inserted.contains(row) { locked.remove(row) }
    if !deleted.isEmpty { earliest = .min }
  }
}

/// The rows locked by an upload: usually none, otherwise one batch.
struct LockedRows {
  private var ascending = AscendingRows()

  var rows: ArraySlice<Int64> { ascending.rows }

  func contains(_ row: Int64) -> Bool { ascending.contains(row) }

  /// Locks further rows, in any order.
  mutating func insert(_ more: some Sequence<Int64>) {
    ascending = AscendingRows((rows + more).sorted())
    precondition(zip(rows, rows.dropFirst()).allSatisfy { $0 < $1 }, "a row is locked once")
  }

  mutating func remove(_ row: Int64) { _ = ascending.remove(row) }
  mutating func removeAll() { ascending = AscendingRows() }
}

/// Rows in ascending order. Most are removed at one of the ends: a removal moves the fewer of the rows before and behind it.
struct AscendingRows {
  /// The rows before `head` are removed.
  private var storage: [Int64]
  private var head = 0

  init(_ rows: [Int64] = []) { storage = rows }

  var rows: ArraySlice<Int64> { storage[head...] }
  var count: Int { storage.count - head }

  func contains(_ row: Int64) -> Bool { index(of: row) != nil }

  mutating func append(_ row: Int64) { storage.append(row) }

  /// Returns false when there is no such row.
  mutating func remove(_ row: Int64) -> Bool {
    guard let index = index(of: row) else { return false }
    guard index - head < storage.count - index else {
      storage.remove(at: index)
      return true
    }
    for place in stride(from: index, to: head, by: -1) { storage[place] = storage[place - 1] }
    head += 1
    // Moves each row at most once on average.
    if head * 2 > storage.count {
      storage.removeSubrange(..<head)
      head = 0
    }
    return true
  }

  private func index(of row: Int64) -> Int? {
    let index = rows.indexBehind { $0 < row }
    return index < storage.count && storage[index] == row ? index : nil
  }
}
