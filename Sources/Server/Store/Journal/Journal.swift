import Database

/// The requests that were answered, in a file of their own, so that writing them down never delays a record. It may lose its
/// last entries when the process or the power goes, and it forgets its oldest ones to stay within its bounds.
package final class Journal {
  let connection: StoreConnection
  private let limits: JournalLimits
  var totals: Totals

  /// What the table holds, counted along with it.
  struct Totals {
    var nextSequence: Int64
    var rows: Int64
    var bytes: Int64
  }

  /// Pages of the log after which it is copied back. The copying waits for the disk twice, however little it copies.
  private static let checkpointPages = 4_096

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
        try database.apply(.automaticCheckpoint(pages: Journal.checkpointPages))
      }
      try database.apply(.secureDelete(false))
      try database.migrate(to: JournalSchema.schema)
      connection = StoreConnection(database)
      totals = try Journal.count(connection)
    } catch {
      throw StoreError(error, opening: path)
    }
  }

  static func count(_ connection: StoreConnection) throws(DatabaseError) -> Totals {
    Totals(
      nextSequence: try connection.database.integer("SELECT next FROM numbering"),
      rows: try connection.database.integer("SELECT coalesce(sum(count), 0) FROM blocks"),
      bytes: try connection.database.integer("SELECT coalesce(sum(size), 0) FROM blocks"))
  }

  /// Writes the entries down, all or none, and forgets as many old blocks as the bounds ask for.
  package func append(_ batch: JournalBatch) throws(StoreError) {
    do {
      totals = try connection.database.transaction(.immediate) { () throws(DatabaseError) in
        var totals = totals
        for block in batch.blocks {
          try insert(block, first: totals.nextSequence)
          totals.nextSequence += Int64(block.count)
          totals.rows += Int64(block.count)
          totals.bytes += Int64(block.bytes.count)
        }
        try connection.run("UPDATE numbering SET next = ?1", totals.nextSequence)
        try trim(&totals)
        return totals
      }
    } catch {
      throw StoreError(error, opening: "the journal")
    }
  }

  func insert(_ block: JournalBlock, first: Int64) throws(DatabaseError) {
    try connection.with(
      "INSERT OR REPLACE INTO blocks(first, count, runs, size, entries) VALUES(?1, ?2, ?3, ?4, ?5)"
    ) { (statement: inout Statement) throws(DatabaseError) in
      var row = statement.start()
      row.bind(1, first)
      row.bind(2, Int64(block.count))
      row.bind(3, Int64(bitPattern: block.runs))
      row.bind(4, Int64(block.bytes.count))
      row.bind(5, blob: block.bytes.span)
      try row.run()
    }
  }

  /// Deletes the oldest blocks until both counts are within their bounds.
  private func trim(_ totals: inout Totals) throws(DatabaseError) {
    guard totals.rows > limits.rows || totals.bytes > limits.bytes else { return }
    var end: Int64?
    try connection.with(
      "SELECT first, count, size FROM blocks ORDER BY first"
    ) { (statement: inout Statement) throws(DatabaseError) in
      var row = statement.start()
      while totals.rows > limits.rows || totals.bytes > limits.bytes, try row.step() {
        end = row.integer(at: 0)
        totals.rows -= row.integer(at: 1)
        totals.bytes -= row.integer(at: 2)
      }
    }
    if let end { try connection.run("DELETE FROM blocks WHERE first <= ?1", end) }
  }
}
