import Base
import Database

/// Reads a store in SQLite. Each query is one short transaction, so that no reader keeps the log from being reused.
package final class SQLiteReader: StoreReader {
  let connection: StoreConnection
  private let damageFound: @Sendable () -> Void

  init(on connection: StoreConnection) {
    self.connection = connection
    damageFound = {}
  }

  /// Opens a separate connection, in parallel with a writer of this or another process. The file must exist.
  package init(folder: String, damageFound: @escaping @Sendable () -> Void = {}) throws(StoreError) {
    self.damageFound = damageFound
    let path = DataFolder.databasePath(in: folder)
    if let missing = FolderSurvey.missingStore(in: folder) {
      throw StoreError(code: .inputOutput, message: "\(missing); name the --data folder of a server")
    }
    do {
      let database = try Connection(path: path, access: .readOnly)
      _ = try database.version(of: StoreSchema.schema)
      connection = StoreConnection(database)
    } catch {
      throw StoreError(error, opening: path)
    }
  }

  /// Runs a query on one snapshot of the data.
  func ask<Answer>(_ body: () throws(DatabaseError) -> Answer) throws(StoreError) -> Answer {
    do {
      return try connection.database.transaction(.deferred, body)
    } catch {
      let error = StoreError(error, opening: "the store")
      if error.code == .damaged { damageFound() }
      throw error
    }
  }

  func identifier(of device: DeviceIdentity) throws(DatabaseError) -> Int64? {
    try connection.with(
      "SELECT id FROM devices WHERE run = ?1 AND name = ?2"
    ) { (statement: inout Statement) throws(DatabaseError) in
      var row = statement.start()
      row.bind(1, text: device.run.utf8.span)
      row.bind(2, text: device.name.utf8.span)
      return try row.step() ? row.integer(at: 0) : nil
    }
  }
}

extension Execution {
  func optionalDouble(at column: Int32) -> Double? { isNull(at: column) ? nil : double(at: column) }
  func optionalInteger(at column: Int32) -> Int64? { isNull(at: column) ? nil : integer(at: column) }
  func optionalText(at column: Int32) -> String? { isNull(at: column) ? nil : text(at: column) }

  func uuid(at column: Int32) -> UUID128 { UUID128(bytes(at: column)) }
}

extension SQLiteReader {
  package func count(
    _ selection: RecordSelection, after cursor: ArrivalCursor?
  ) throws(StoreError) -> (count: Int, next: ArrivalCursor?) {
    try ask { () throws(DatabaseError) in
      guard let stretch = try stretch(behind: cursor, selection.keys) else { return (0, nil) }
      return (try count(selection, in: stretch), stretch.next)
    }
  }

  private func count(_ selection: RecordSelection, in stretch: ArrivalStretch) throws(DatabaseError) -> Int {
    try connection.with(selection, "SELECT count(*) FROM \(stretch.rows)", in: stretch) {
      (row: inout Execution) throws(DatabaseError) in
      let isThere = try row.step()
      precondition(isThere, "an aggregate has a row")
      return Int(row.integer(at: 0))
    }
  }
}

extension SQLiteReader {
  package func counts(run: String?) throws(StoreError) -> StoreCounts {
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

  /// Checks every page of the file; returns an empty list when nothing is wrong. Takes time in proportion to the file and holds
  /// one snapshot meanwhile, so that the log of a running server grows.
  package func problems() throws(StoreError) -> [String] {
    do {
      return try connection.database.problems(.quick)
    } catch {
      throw StoreError(error, opening: "the store")
    }
  }

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
