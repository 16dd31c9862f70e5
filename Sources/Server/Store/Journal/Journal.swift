import Database

/// The requests that were answered, in a file of their own, so that writing them down never delays a record. It may lose its
/// last entries when the power goes, and it forgets its oldest ones to stay within its bounds.
package final class Journal {
  let connection: StoreConnection
  private let limits: JournalLimits
  private var rows: Int64
  private var bytes: Int64

  /// Opens or makes the journal in a data folder that the caller has locked; `:memory:` keeps it in memory.
  package init(folder: String, limits: JournalLimits = JournalLimits()) throws(StoreError) {
    self.limits = limits
    let path = folder == ":memory:" ? folder : DataFolder.journalPath(in: folder)
    do {
      let database = try Connection(path: path)
      _ = try database.version(of: JournalSchema.schema)
      if path != ":memory:" {
        try database.apply(.pageSize(bytes: 8_192))
        try database.apply(.journalMode(.wal))
        try database.apply(.synchronous(.normal))
      }
      try database.migrate(to: JournalSchema.schema)
      rows = try database.integer("SELECT count(*) FROM requests")
      bytes = try database.integer("SELECT coalesce(sum(size), 0) FROM requests")
      connection = StoreConnection(database)
    } catch {
      throw StoreError(error, opening: path)
    }
  }

  /// Writes the entries down, all or none, and forgets as many old ones as the bounds ask for.
  package func append(_ entries: [JournalEntry]) throws(StoreError) {
    do {
      let counts = try connection.database.transaction(.immediate) { () throws(DatabaseError) in
        for entry in entries { try insert(entry) }
        return try trim(
          rows: rows + Int64(entries.count), bytes: bytes + entries.reduce(0) { $0 + Int64($1.byteCount) })
      }
      (rows, bytes) = counts
    } catch {
      throw StoreError(error, opening: "the journal")
    }
  }

  /// Forgets the entries of one run, or all.
  package func reset(run: String?) throws(StoreError) {
    do {
      if let run {
        try connection.run("DELETE FROM requests WHERE run = ?1", text: run)
      } else {
        try connection.run("DELETE FROM requests")
      }
      rows = try connection.database.integer("SELECT count(*) FROM requests")
      bytes = try connection.database.integer("SELECT coalesce(sum(size), 0) FROM requests")
    } catch {
      throw StoreError(error, opening: "the journal")
    }
  }

  private func insert(_ entry: JournalEntry) throws(DatabaseError) {
    try connection.with(
      """
      INSERT INTO requests(run, device, received, duration, method, path, status, head, body, answer, fault, size)
      VALUES(?1, nullif(?2, ''), ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, nullif(?11, ''), ?12)
      """
    ) { (statement: inout Statement) throws(DatabaseError) in
      let device = entry.device ?? ""
      let fault = entry.fault ?? ""
      var row = statement.start()
      row.bind(1, text: entry.run.utf8.span)
      row.bind(2, text: device.utf8.span)
      row.bind(3, entry.receivedAt)
      row.bind(4, entry.durationMicroseconds)
      row.bind(5, text: entry.method.utf8.span)
      row.bind(6, text: entry.path.utf8.span)
      row.bind(7, Int64(entry.status))
      row.bind(8, blob: entry.head.span)
      row.bind(9, blob: entry.body.span)
      row.bind(10, blob: entry.answer.span)
      row.bind(11, text: fault.utf8.span)
      row.bind(12, Int64(entry.byteCount))
      try row.run()
    }
  }

  /// Deletes the oldest entries until both counts are within their bounds, and returns the counts.
  private func trim(rows: Int64, bytes: Int64) throws(DatabaseError) -> (Int64, Int64) {
    var rows = rows
    var bytes = bytes
    var end: Int64?
    try connection.with(
      "SELECT sequence, size FROM requests ORDER BY sequence"
    ) { (statement: inout Statement) throws(DatabaseError) in
      var row = statement.start()
      while rows > limits.rows || bytes > limits.bytes, try row.step() {
        rows -= 1
        bytes -= row.integer(at: 1)
        end = row.integer(at: 0)
      }
    }
    if let end { try connection.run("DELETE FROM requests WHERE sequence <= ?1", end) }
    return (rows, bytes)
  }
}
