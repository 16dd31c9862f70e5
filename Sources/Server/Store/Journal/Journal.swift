package import Base
import Database

/// The answered requests, in a separate file, so that recording them never delays a record. A crash or power failure may lose
/// the last entries, and the oldest ones are deleted to stay within the limits.
package final class Journal {
  let connection: StoreConnection
  let limits: JournalLimits
  var totals: Totals
  /// The state of each run, and the dropped entries that are not noted in the file yet.
  var runs: [ExactText: JournaledRun]
  var unwritten: [ExactText: DroppedEntries] = [:]
  let interruption: JournalInterruption
  /// The records noted since the size of their table was last checked.
  var sentSinceTrim = 0

  /// The contents of the table, kept up to date in memory.
  struct Totals {
    var nextSequence: Int64
    var rows: Int64
    var bytes: Int64
    /// The latest arrival time among the entries deleted to make room.
    var forgottenLast: Int64
  }

  /// The size of the log, in pages, that starts a checkpoint. A checkpoint waits for the disk twice, however little it copies.
  private static let checkpointPages = 4_096

  /// Opens or creates the journal in a data folder that the caller has locked; `:memory:` keeps it in memory.
  package init(
    folder: String, limits: JournalLimits = JournalLimits(), now: WallInstant = SystemClock().wallNow
  ) throws(StoreError) {
    self.limits = limits
    let path = folder == ":memory:" ? folder : DataFolder.journalPath(in: folder)
    do {
      let database = try Connection(path: path)
      _ = try database.version(of: JournalSchema.schema)
      if path != ":memory:" {
        try database.apply(.pageSize(bytes: 8_192))
        try database.apply(.journalMode(.wal))
        try database.apply(.automaticCheckpoint(pages: Journal.checkpointPages))
      }
      try database.apply(.secureDelete(false))
      try database.migrate(to: JournalSchema.schema)
      connection = StoreConnection(database)
      totals = try Journal.count(
        connection, forgottenLast: connection.database.integer("SELECT forgotten_last FROM numbering"))
      runs = try Journal.runs(connection)
      interruption = try Journal.open(connection, at: now)
      // The mark that the journal is open must be on disk before an entry is taken; entries need not be.
      if path != ":memory:" { try connection.database.apply(.synchronous(.normal)) }
    } catch {
      throw StoreError(error, opening: path)
    }
  }

  /// Opens the journal of a data folder read-only; a server may be writing to it.
  package init(reading folder: String) throws(StoreError) {
    limits = JournalLimits()
    let path = DataFolder.journalPath(in: folder)
    do {
      let database = try Connection(path: path, access: .readOnly)
      _ = try database.version(of: JournalSchema.schema)
      connection = StoreConnection(database)
      // Gaps are not needed here, and the file may be of an older version.
      totals = try Journal.count(connection, forgottenLast: 0)
      runs = [:]
      interruption = JournalInterruption(next: 0, at: 0)
    } catch {
      throw StoreError(error, opening: path)
    }
  }

  static func count(_ connection: StoreConnection, forgottenLast: Int64) throws(DatabaseError) -> Totals {
    Totals(
      nextSequence: try connection.database.integer("SELECT next FROM numbering"),
      rows: try connection.database.integer("SELECT coalesce(sum(count), 0) FROM blocks"),
      bytes: try connection.database.integer("SELECT coalesce(sum(size), 0) FROM blocks"),
      forgottenLast: forgottenLast)
  }

  /// Appends the entries, all or none, and deletes as many old blocks as the limits require.
  package func append(_ batch: JournalBatch) throws(StoreError) {
    do {
      (totals, runs) = try connection.database.transaction(.immediate) { () throws(DatabaseError) in
        var totals = totals
        let runs = try note(batch, first: totals.nextSequence)
        for block in batch.blocks {
          try insert(block, first: totals.nextSequence)
          totals.nextSequence += Int64(block.count)
          totals.rows += Int64(block.count)
          totals.bytes += Int64(block.bytes.count)
        }
        try trim(&totals)
        try connection.run(
          "UPDATE numbering SET next = ?1, forgotten_last = ?2", totals.nextSequence, totals.forgottenLast)
        try note(batch.sent)
        return (totals, runs)
      }
      unwritten = [:]
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

  /// Deletes the oldest blocks until both counts are within their limits.
  private func trim(_ totals: inout Totals) throws(DatabaseError) {
    guard totals.rows > limits.rows || totals.bytes > limits.bytes else { return }
    var end: Int64?
    try connection.with(
      "SELECT first, count, size, entries FROM blocks ORDER BY first"
    ) { (statement: inout Statement) throws(DatabaseError) in
      var row = statement.start()
      while totals.rows > limits.rows || totals.bytes > limits.bytes, try row.step() {
        end = row.integer(at: 0)
        totals.rows -= row.integer(at: 1)
        totals.bytes -= row.integer(at: 2)
        totals.forgottenLast = max(totals.forgottenLast, JournalBlockReader.last(of: row.bytes(at: 3)))
      }
    }
    if let end { try connection.run("DELETE FROM blocks WHERE first <= ?1", end) }
  }
}

/// The limits of the journal.
package struct JournalLimits: Sendable {
  package var rows: Int64 = 100_000
  /// The bytes of all entries.
  package var bytes: Int64 = 256 << 20
  /// The records that a proxy has passed on; the oldest are deleted at the latest when there are 65,536 more.
  package var sentRecords: Int64 = 2_000_000
  /// The entries waiting to be written; more are dropped and counted.
  package var mailboxEntries = 16_384
  package var mailboxBytes = 16 << 20
  /// How long entries wait so that more can be written together.
  package var gatherMilliseconds = 50

  package init() {}

  /// The oldest entries are deleted by block, so a block must be a small part of the whole.
  var blockBytes: Int { Int(clamping: max(1, min(128 << 10, bytes / 64))) }
  var blockEntries: Int { Int(clamping: max(1, rows / 64)) }
  /// The amount that is written without waiting for more.
  var gatherBytes: Int { min(1 << 20, mailboxBytes / 4) }
  var gatherEntries: Int { mailboxEntries / 4 }
}

/// The bytes of a block are not entries; only a damaged file causes that.
struct JournalError: Error {}

extension StoreError {
  init(_ damage: JournalError) {
    self.init(
      code: .damaged, message: "the journal holds a block that cannot be read; delete journal.db to begin a new one")
  }
}

extension Journal {
  /// Deletes the entries of one run, or all.
  package func reset(run: String?) throws(StoreError) {
    var damage: JournalError?
    do {
      totals = try connection.database.transaction(.immediate) { () throws(DatabaseError) in
        if let run {
          damage = try forget(run)
          try connection.run("DELETE FROM sent WHERE run = ?1", text: run)
          try connection.run("DELETE FROM runs WHERE run = ?1", text: run)
        } else {
          try connection.run("DELETE FROM blocks")
          try connection.run("DELETE FROM sent")
          try connection.run("DELETE FROM runs")
        }
        return try Journal.count(connection, forgottenLast: totals.forgottenLast)
      }
      runs = runs.filter { run != nil && !$0.key.text.isExactly(run) }
      unwritten = unwritten.filter { run != nil && !$0.key.text.isExactly(run) }
    } catch {
      throw StoreError(error, opening: "the journal")
    }
    if let damage { throw StoreError(damage) }
  }

  /// Rewrites the blocks that have entries of the run, without them. Skips blocks that cannot be read.
  private func forget(_ run: String) throws(DatabaseError) -> JournalError? {
    var damage: JournalError?
    var next: Int64? = 0
    while let start = next {
      next = nil
      var changed: (first: Int64, left: JournalBlock)?
      try connection.with(
        "SELECT first, count, entries FROM blocks WHERE first >= ?1 AND runs & ?2 <> 0 ORDER BY first LIMIT 1"
      ) { (statement: inout Statement) throws(DatabaseError) in
        var row = statement.start()
        row.bind(1, start)
        row.bind(2, Int64(bitPattern: JournalBlock.bit(ofRun: run)))
        guard try row.step() else { return }
        let first = row.integer(at: 0)
        next = first + 1
        do throws(JournalError) {
          let left = try JournalBlock(row.bytes(at: 2), without: JournalFilter(run: run))
          if left.count < row.integer(at: 1) { changed = (first, left) }
        } catch {
          damage = error
        }
      }
      if let changed { try put(changed.left, first: changed.first) }
    }
    return damage
  }

  private func put(_ block: JournalBlock, first: Int64) throws(DatabaseError) {
    if block.count == 0 {
      try connection.run("DELETE FROM blocks WHERE first = ?1", first)
    } else {
      try insert(block, first: first)
    }
  }
}

extension JournalBlock {
  /// Copies the entries that do not match, with their numbers.
  fileprivate init(_ bytes: Span<UInt8>, without filter: JournalFilter) throws(JournalError) {
    self.init()
    var reader = JournalBlockReader(bytes)
    while let place = try reader.next() {
      if reader.matches(place, filter) { continue }
      append(reader.entry(at: place), number: place.number)
    }
  }
}
