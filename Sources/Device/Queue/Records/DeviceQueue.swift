package import Base
package import Database

/// The queue of one device in a database of one or many. Copies are the same queue.
package struct DeviceQueue: RecordQueue {
  let database: QueueDatabase
  let device: Int

  var keys: ClosedRange<Int64> { RowKey.keys(device: device) }
  var rows: DeviceRows {
    get { database.devices[device] }
    nonmutating _modify { yield &database.devices[device] }
  }

  package var count: Int { rows.count }

  package func insert(uuid: UUID128, timestamp: WallInstant, bytes: Span<UInt8>) throws(DatabaseError) -> Int64 {
    let recordedAt = timestamp.millisecondsSince1970
    return try database.write { () throws(DatabaseError) in
      database.remember(device)
      let row = try database.takeRow(of: device)
      try database.records.insert(RowKey.key(device: device, row: row), uuid, recordedAt, bytes)
      rows.count += 1
      rows.earliest = min(rows.earliest, recordedAt)
      return row
    }
  }

  package func lock(limit: Int, newestFirst: Bool, into records: inout [QueuedRecord]) throws(DatabaseError) {
    let start = records.count
    guard rows.count > rows.locked.rows.count else { return }
    do throws(DatabaseError) {
      try database.records.read(
        keys, newestFirst: newestFirst, besides: rows.locked, limit: limit, into: &records)
    } catch {
      records.removeSubrange(start...)
      throw error
    }
    rows.locked.insert(records[start...].lazy.map(\.id))
  }

  package func unlock(_ ids: [Int64]) { rows.locked.remove(ids) }

  package func unlockAll() { rows.locked.removeAll() }

  package func read(limit: Int, offset: Int, newestFirst: Bool) throws(DatabaseError) -> [QueuedRecord] {
    var records: [QueuedRecord] = []
    try database.records.read(keys, newestFirst: newestFirst, offset: offset, limit: limit, into: &records)
    return records
  }
}
