package import Base
package import Database

/// The queue of one device in a database of one or many. Copies are the same queue.
package struct DeviceQueue: RecordQueue {
  let database: QueueDatabase
  let device: Int

  package var count: Int { rows.count }

  var rows: DeviceRows {
    get { database.devices[device] }
    nonmutating _modify { yield &database.devices[device] }
  }

  package func insert(uuid: UUID128, timestamp: WallInstant, bytes: Span<UInt8>) throws(DatabaseError) -> Int64 {
    let recordedAt = timestamp.millisecondsSince1970
    return try database.write(for: device, .insertion) { () throws(DatabaseError) in
      let row = try database.takeRow()
      try database.records.insert(row, device: device, uuid, recordedAt: recordedAt, bytes)
      rows.append(row, recordedAt: recordedAt)
      database.changes.append(.inserted(device: device, row: row))
      if database.notes != nil {
        let copy = [UInt8](capacity: bytes.count) { copy in
          for index in bytes.indices { copy.append(bytes[index]) }
        }
        database.notes?.append(.inserted(device: device, row: row, uuid: uuid, timestamp: timestamp, bytes: copy))
      }
      return row
    }
  }

  package func lock(limit: Int, newestFirst: Bool, into records: inout [QueuedRecord]) throws(DatabaseError) {
    let free = unlocked(limit, newestFirst)
    try append(free, to: &records)
    rows.locked.insert(free)
  }

  package func unlock(_ ids: [Int64]) {
    for id in ids { rows.locked.remove(id) }
  }

  package func unlockAll() { rows.locked.removeAll() }

  package func read(limit: Int, offset: Int, newestFirst: Bool) throws(DatabaseError) -> [QueuedRecord] {
    precondition(limit >= 0 && offset >= 0, "pages are counted from 0")
    var records: [QueuedRecord] = []
    let rows = rows.rows
    try append(
      newestFirst ? Array(rows.dropLast(offset).suffix(limit).reversed()) : Array(rows.dropFirst(offset).prefix(limit)),
      to: &records)
    return records
  }

  /// The next rows that no upload holds.
  func unlocked(_ limit: Int, _ newestFirst: Bool) -> [Int64] {
    precondition(limit >= 0, "a limit is 0 or more")
    let (locked, rows) = (rows.locked, rows.rows)
    guard !locked.rows.isEmpty else {
      return newestFirst ? rows.suffix(limit).reversed() : Array(rows.prefix(limit))
    }
    return newestFirst
      ? Array(rows.reversed().lazy.filter { !locked.contains($0) }.prefix(limit))
      : Array(rows.lazy.filter { !locked.contains($0) }.prefix(limit))
  }

  /// All of them or, after an error, none.
  private func append(_ rows: [Int64], to records: inout [QueuedRecord]) throws(DatabaseError) {
    let start = records.count
    do throws(DatabaseError) {
      for row in rows { records.append(try database.records.read(row)) }
    } catch {
      records.removeSubrange(start...)
      throw error
    }
  }
}
