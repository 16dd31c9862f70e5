import Database

extension StoreReader {
  /// Of one run, or of all. Partitions and bytes are always those of the whole store.
  package func counts(run: String? = nil) throws(StoreError) -> StoreCounts {
    try ask { () throws(DatabaseError) in
      let pages =
        try connection.database.integer("PRAGMA page_count") - connection.database.integer("PRAGMA freelist_count")
      let pageBytes = try connection.database.integer("PRAGMA page_size")
      return try connection.with(
        """
        SELECT count(*), coalesce(sum(points), 0), coalesce(sum(duplicates), 0), coalesce(sum(quarantined), 0),
          (SELECT count(*) FROM partitions WHERE is_dropping = 0)
        FROM devices WHERE ?1 OR run = ?2
        """
      ) { (statement: inout Statement) throws(DatabaseError) in
        let filter = run ?? ""
        var row = statement.start()
        row.bind(1, run == nil ? 1 : 0 as Int64)
        row.bind(2, text: filter.utf8.span)
        let isThere = try row.step()
        precondition(isThere, "an aggregate has a row")
        return StoreCounts(
          devices: row.integer(at: 0), accepted: row.integer(at: 1), duplicates: row.integer(at: 2),
          quarantined: row.integer(at: 3), partitions: row.integer(at: 4), usedBytes: pages * pageBytes)
      }
    }
  }

  /// Looks at every page of the file; empty when nothing is wrong. Takes time in proportion to the file, and holds one state
  /// of the data meanwhile, so that the log of a running server grows.
  package func problems() throws(StoreError) -> [String] {
    do {
      return try connection.database.problems(.quick)
    } catch {
      throw StoreError(error, opening: "the store")
    }
  }

  /// Records that are in the partitions, counted one by one.
  package func countStored() throws(StoreError) -> Int64 {
    try ask { () throws(DatabaseError) in
      var ids: [Int64] = []
      try connection.with("SELECT id FROM partitions WHERE is_dropping = 0") {
        (statement: inout Statement) throws(DatabaseError) in
        var row = statement.start()
        while try row.step() { ids.append(row.integer(at: 0)) }
      }
      var total: Int64 = 0
      for id in ids {
        total += try connection.database.integer(
          "SELECT count(*) FROM points_\(id) WHERE device IN (SELECT id FROM devices)")
      }
      return total
    }
  }
}
