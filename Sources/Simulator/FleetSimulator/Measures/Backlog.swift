import Base

/// The records that wait in one device, in the order in which they came.
struct Backlog {
  /// One of them.
  struct Record {
    let row: Int64
    let uuid: UUID128
    let insertedAt: MonotonicInstant
    /// How old it was then.
    let ageBefore: Nanoseconds
    /// One bit for each fault that held the device then.
    let faults: UInt64
    var requests: Int32 = 0
  }

  private var records: ContiguousArray<Record> = []
  private var head = 0

  var count: Int { records.count - head }
  var oldest: Record? { head < records.count ? records[head] : nil }

  mutating func append(_ record: Record) { records.append(record) }

  /// Nearly always the first one.
  mutating func remove(row: Int64) -> Record? {
    guard let index = records[head...].firstIndex(where: { $0.row == row }) else { return nil }
    let record = records[index]
    if index == head {
      head += 1
    } else {
      records.remove(at: index)
    }
    shrink()
    return record
  }

  /// Each was in one more request. They stand together, in one order or the other. Gives the faults under which they
  /// were made.
  mutating func sent(_ uuids: [UUID128]) -> UInt64 {
    var faults: UInt64 = 0
    var index = head
    for uuid in uuids {
      if index < records.count, records[index].uuid == uuid {
        records[index].requests += 1
        faults |= records[index].faults
        index += 1
      } else if let found = records[head...].firstIndex(where: { $0.uuid == uuid }) {
        records[found].requests += 1
        faults |= records[found].faults
        index = found + 1
      }
    }
    return faults
  }

  /// An empty queue keeps no memory; a long one gives back what is behind it now and then.
  private mutating func shrink() {
    if head == records.count {
      (records, head) = ([], 0)
    } else if head >= 64, head * 2 >= records.count {
      records.removeFirst(head)
      head = 0
    }
  }
}
