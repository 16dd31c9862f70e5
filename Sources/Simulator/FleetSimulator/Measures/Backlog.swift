import Base

/// The waiting records of one device, in order of insertion.
struct Backlog {
  /// A waiting record.
  struct Record {
    let row: Int64
    let uuid: UUID128
    let insertedAt: MonotonicInstant
    /// The age of its position at that time.
    let ageBefore: Nanoseconds
    /// One bit for each fault that was active at that time.
    let faults: UInt64
    var requests: Int32 = 0
  }

  private var records: ContiguousArray<Record> = []
  private var head = 0

  var count: Int { records.count - head }
  var oldest: Record? { head < records.count ? records[head] : nil }

  mutating func append(_ record: Record) { records.append(record) }

  /// Rows ascend. The first one leaves nearly always, and the last one where the newest are sent first.
  mutating func remove(row: Int64) -> Record? {
    let index = records[head...].indexBehind { $0.row < row }
    guard index < records.count, records[index].row == row else { return nil }
    let record = records[index]
    if index == head {
      head += 1
    } else {
      records.remove(at: index)
    }
    shrink()
    return record
  }

  /// Each was in one more request. They stand together at one end, in one order or the other. Gives the faults under which
  /// they were made.
  mutating func sent(_ uuids: [UUID128]) -> UInt64 {
    var faults: UInt64 = 0
    var last: Int?
    for uuid in uuids {
      guard let index = index(of: uuid, beside: last) else { continue }
      records[index].requests += 1
      faults |= records[index].faults
      last = index
    }
    return faults
  }

  /// Beside the one before or, where that is nil, at an end; anywhere else it is searched for.
  private func index(of uuid: UUID128, beside last: Int?) -> Int? {
    let (next, previous) = last.map { ($0 + 1, $0 - 1) } ?? (head, records.count - 1)
    if next < records.count, records[next].uuid == uuid { return next }
    if previous >= head, records[previous].uuid == uuid { return previous }
    return records[head...].firstIndex { $0.uuid == uuid }
  }

  /// Releases the memory of an empty queue, and now and then the freed part of a long one.
  private mutating func shrink() {
    if head == records.count {
      (records, head) = ([], 0)
    } else if head >= 64, head * 2 >= records.count {
      records.removeFirst(head)
      head = 0
    }
  }
}
