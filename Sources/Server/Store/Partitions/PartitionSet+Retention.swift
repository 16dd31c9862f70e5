import Database

extension PartitionSet {
  /// Rows deleted in one step: some 180 pages of points and their keys.
  private static let stepRows: Int64 = 2_048

  /// Gives up what is too old, or the oldest day when the data is too large. True when it gave something up. The youngest
  /// day always stays.
  func retire(_ configuration: StoreConfiguration, now: Int64) throws(DatabaseError) -> Bool {
    var given = try expired(configuration, now: now)
    if given == nil { given = try surplus(configuration) }
    guard let candidate = given else { return false }
    try connection.database.transaction(.immediate) { () throws(DatabaseError) in try giveUp(candidate) }
    return true
  }

  private func expired(_ configuration: StoreConfiguration, now: Int64) throws(DatabaseError) -> PointPartition? {
    guard let days = configuration.retainDays else { return nil }
    let first = now / Day.milliseconds - Int64(days)
    for partition in live where partition.day < first {
      // Odd times say nothing about age: there the arrival counts.
      guard partition.day == Day.odd else { return partition }
      let last =
        try connection.first(
          "SELECT received_at FROM points_\(partition.id) ORDER BY id DESC LIMIT 1") ?? .max
      if last / Day.milliseconds < first { return partition }
    }
    return nil
  }

  private func surplus(_ configuration: StoreConfiguration) throws(DatabaseError) -> PointPartition? {
    guard let limit = configuration.retainBytes, dropping.isEmpty, live.count > 1 else { return nil }
    let pages =
      try connection.database.integer("PRAGMA page_count") - connection.database.integer("PRAGMA freelist_count")
    guard try pages * connection.database.integer("PRAGMA page_size") > limit else { return nil }
    return live.dropLast().first { $0.day != Day.odd } ?? odd
  }

  /// Empties a partition that was given up a little more, and in the end removes its tables. Freed pages are used again by
  /// what comes, so that the file keeps its size. True when it did something.
  func dropStep() throws(DatabaseError) -> Bool {
    guard let id = dropping.first else { return false }
    let remains = try connection.database.transaction(.immediate) { () throws(DatabaseError) in
      for (table, key) in [("points", "id"), ("parameters", "id"), ("runs", "run, device, recorded_at, point")] {
        let name = "\(table)_\(id)"
        try connection.database.execute(
          """
          DELETE FROM \(name) WHERE (\(key)) IN (SELECT \(key) FROM \(name) ORDER BY \(key) LIMIT \(Self.stepRows))
          """)
        if connection.database.changes == Self.stepRows { return true }
      }
      for table in ["points", "parameters", "runs"] { try connection.database.execute("DROP TABLE \(table)_\(id)") }
      try connection.run("DELETE FROM partitions WHERE id = ?1", id)
      return false
    }
    if !remains { dropping.removeFirst() }
    return true
  }

  /// Deletes a stretch of the rows whose devices were forgotten. True when it did something.
  func sweepStep() throws(DatabaseError) -> Bool {
    guard let partition = live.first(where: { $0.sweepFrom <= $0.sweepTo }) else { return false }
    let from = partition.sweepFrom
    let through = min(partition.sweepTo, from + Self.stepRows - 1)
    let isEmpty = try connection.database.transaction(.immediate) { () throws(DatabaseError) in
      let points = "points_\(partition.id)"
      try connection.database.execute(
        """
        DELETE FROM \(points) WHERE id >= \(from) AND id <= \(through) AND device NOT IN (SELECT id FROM devices)
        """)
      try connection.run("UPDATE partitions SET sweep_from = ?2 WHERE id = ?1", partition.id, through + 1)
      guard through == partition.sweepTo else { return false }
      let isEmpty = try connection.database.integer("SELECT NOT EXISTS(SELECT 1 FROM \(points))") == 1
      if isEmpty { try giveUp(partition) }
      return isEmpty
    }
    if !isEmpty { partition.sweepFrom = through + 1 }
    return true
  }
}
