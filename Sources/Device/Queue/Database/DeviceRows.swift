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
    storage.append(row)
    earliest = min(earliest, recordedAt)
  }

  /// Also from the locked rows. False when there is no such row.
  mutating func remove(_ row: Int64) -> Bool {
    let index = storage[head...].firstIndex(notBefore: row)
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

  /// A row that was removed, at its place; how old it was is not remembered.
  mutating func putBack(_ row: Int64) {
    storage.insert(row, at: storage[head...].firstIndex(notBefore: row))
    earliest = .min
  }
}
