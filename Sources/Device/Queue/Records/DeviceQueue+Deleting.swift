package import Base
package import Database

extension DeviceQueue {
  package func delete(_ ids: [Int64]) throws(DatabaseError) -> Int { try delete(ids, .upload) }

  private func delete(_ ids: [Int64], _ cause: QueueNote.Cause) throws(DatabaseError) -> Int {
    guard !ids.isEmpty else { return 0 }
    return try database.write(for: device, cause == .upload ? .deletionOfUploaded : .other) {
      () throws(DatabaseError) in
      var deleted = 0
      for id in ids where try delete(id, cause) { deleted += 1 }
      return deleted
    }
  }

  package func delete(uuid: UUID128) throws(DatabaseError) -> Bool {
    for row in rows.rows where try database.records.identity(row).uuid == uuid { return try delete([row], .order) == 1 }
    return false
  }

  package func deleteAll() throws(DatabaseError) -> [UUID128] {
    let all = Array(rows.rows)
    var uuids: [UUID128] = []
    for row in all { uuids.append(try database.records.identity(row).uuid) }
    _ = try delete(all, .order)
    return uuids
  }

  package func expire(before limit: WallInstant) throws(DatabaseError) -> [UUID128] {
    let instant = limit.millisecondsSince1970
    guard rows.earliest < instant else { return [] }
    return try database.write(for: device) { () throws(DatabaseError) in
      var expired: [UUID128] = []
      var earliest = Int64.max
      for row in Array(rows.rows) {
        let (uuid, recordedAt) = try database.records.identity(row)
        if recordedAt >= instant || rows.locked.contains(row) {
          earliest = min(earliest, recordedAt)
        } else if try delete(row, .age) {
          expired.append(uuid)
        }
      }
      rows.earliest = earliest
      return expired
    }
  }

  package func evict(keeping maximum: Int) throws(DatabaseError) -> [UUID128] {
    let surplus = rows.count - max(0, maximum)
    guard surplus > 0 else { return [] }
    return try database.write(for: device) { () throws(DatabaseError) in
      var evicted: [UUID128] = []
      for row in unlocked(surplus, false) {
        evicted.append(try database.records.identity(row).uuid)
        _ = try delete(row, .room)
      }
      return evicted
    }
  }

  /// Within a group. False when there is no such row.
  private func delete(_ row: Int64, _ cause: QueueNote.Cause) throws(DatabaseError) -> Bool {
    guard rows.remove(row) else { return false }
    database.changes.append(.deleted(device: device, row: row))
    database.notes?.append(.deleted(device: device, row: row, cause))
    try database.records.delete(row)
    return true
  }
}
