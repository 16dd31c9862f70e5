package import Base
package import Database

extension DeviceQueue {
  package func delete(_ ids: [Int64]) throws(DatabaseError) -> Int {
    guard !ids.isEmpty else { return 0 }
    return try database.write { () throws(DatabaseError) in try deleteRows(ids) }
  }

  package func delete(uuid: UUID128) throws(DatabaseError) -> Bool {
    let ids = try database.records.keys(of: uuid, in: keys).map(RowKey.row)
    return try delete(ids) > 0
  }

  package func deleteAll() throws(DatabaseError) -> Int {
    try database.write { () throws(DatabaseError) in
      database.remember(device)
      try database.records.delete(keys)
      let deleted = rows.count
      rows.count = 0
      rows.earliest = .max
      rows.locked.removeAll()
      return deleted
    }
  }

  package func expire(before limit: WallInstant) throws(DatabaseError) -> [UUID128] {
    let instant = limit.millisecondsSince1970
    guard rows.earliest < instant else { return [] }
    return try database.write { () throws(DatabaseError) in
      let old = try database.records.identities(keys, before: instant, besides: rows.locked, limit: .max)
      _ = try deleteRows(old.map(\.row))
      let earliest = try database.records.summary(keys).earliest
      rows.earliest = earliest
      return old.map(\.uuid)
    }
  }

  package func evict(keeping maximum: Int) throws(DatabaseError) -> [UUID128] {
    let surplus = rows.count - max(0, maximum)
    guard surplus > 0 else { return [] }
    return try database.write { () throws(DatabaseError) in
      let oldest = try database.records.identities(keys, before: .max, besides: rows.locked, limit: surplus)
      _ = try deleteRows(oldest.map(\.row))
      return oldest.map(\.uuid)
    }
  }

  /// Within a group.
  private func deleteRows(_ ids: [Int64]) throws(DatabaseError) -> Int {
    database.remember(device)
    var deleted = 0
    for id in ids {
      try database.records.delete(RowKey.key(device: device, row: id))
      deleted += Int(database.connection.changes)
    }
    rows.count -= deleted
    rows.locked.remove(ids)
    return deleted
  }
}
