/// The records of a queue in the order of their rows. Most leave at the front, where they came in first.
struct WaitingRecords {
  private var storage: [WaitingRecord] = []
  private var head = 0

  var count: Int { storage.count - head }
  var all: ArraySlice<WaitingRecord> { storage[head...] }

  /// Of a row above all others.
  mutating func append(_ record: WaitingRecord) { storage.append(record) }

  func index(of row: Int64) -> Int? {
    let index = lowerBound(row)
    return index < storage.count && storage[index].row == row ? index : nil
  }

  subscript(row row: Int64) -> WaitingRecord? { index(of: row).map { storage[$0] } }

  mutating func change(_ row: Int64, _ body: (inout WaitingRecord) -> Void) {
    if let index = index(of: row) { body(&storage[index]) }
  }

  mutating func changeAll(_ body: (inout WaitingRecord) -> Void) {
    for index in storage.indices.dropFirst(head) { body(&storage[index]) }
  }

  mutating func remove(_ row: Int64) -> WaitingRecord? {
    guard let index = index(of: row) else { return nil }
    let record = storage[index]
    if index > head {
      storage.remove(at: index)
      return record
    }
    head += 1
    if head == storage.count {
      (storage, head) = ([], 0)
    } else if head * 2 > storage.count {
      // Moves each record once at most, on average.
      storage.removeSubrange(..<head)
      head = 0
    }
    return record
  }

  /// The row of the record with these bytes. Records that are sent together lie together: the search begins beside `near`.
  func row(marked mark: UInt64, near: inout Int) -> Int64? {
    for index in [near + 1, near - 1] where storage.indices.contains(index) && index >= head {
      if storage[index].mark == mark { return found(index, &near) }
    }
    return storage[head...].firstIndex { $0.mark == mark }.map { found($0, &near) }
  }

  private func found(_ index: Int, _ near: inout Int) -> Int64 {
    near = index
    return storage[index].row
  }

  private func lowerBound(_ row: Int64) -> Int {
    var range = head..<storage.count
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      range = storage[middle].row < row ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return range.lowerBound
  }
}
