package import Base
import Database

/// The requests that were answered, in a file of their own, so that writing them down never delays a record. It may lose its
/// last entries when the process or the power goes, and it forgets its oldest ones to stay within its bounds.
package final class Journal {
  let connection: StoreConnection
  let limits: JournalLimits
  var totals: Totals
  /// What is known of each run, and what was dropped of it since that could not be noted.
  var runs: [ExactText: JournaledRun]
  var unwritten: [ExactText: DroppedEntries] = [:]
  let interruption: JournalInterruption
  /// Records noted since the bound of their table was looked at.
  var sentSinceTrim = 0

  /// What the table holds, counted along with it.
  struct Totals {
    var nextSequence: Int64
    var rows: Int64
    var bytes: Int64
    /// The latest time at which one of the entries was received that gave way to later ones.
    var forgottenLast: Int64
  }

  /// Pages of the log after which it is copied back. The copying waits for the disk twice, however little it copies.
  private static let checkpointPages = 4_096

  /// Opens or makes the journal in a data folder that the caller has locked; `:memory:` keeps it in memory.
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
      // That it is open is on the disk before an entry is taken; entries need not be.
      if path != ":memory:" { try connection.database.apply(.synchronous(.normal)) }
    } catch {
      throw StoreError(error, opening: path)
    }
  }

  /// Opens the journal of a data folder that a server may be writing meanwhile, for questions only.
  package init(reading folder: String) throws(StoreError) {
    limits = JournalLimits()
    let path = DataFolder.journalPath(in: folder)
    do {
      let database = try Connection(path: path, access: .readOnly)
      _ = try database.version(of: JournalSchema.schema)
      connection = StoreConnection(database)
      // Gaps are not asked for, and the file may be an older one.
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

  /// Writes the entries down, all or none, and forgets as many old blocks as the bounds ask for.
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

  /// Deletes the oldest blocks until both counts are within their bounds.
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

/// Which entries a question to the journal is about. What is nil does not matter.
package struct JournalFilter: Sendable {
  package var run: String?
  package var device: String?
  package var status: Int?
  /// What the path begins with.
  package var pathPrefix: String?
  /// The search goes back in time.
  package var isNewestFirst = false
  /// What the columns do not say.
  package var condition: (@Sendable (JournalEntry) -> Bool)?

  package init(run: String? = nil, device: String? = nil, status: Int? = nil, pathPrefix: String? = nil) {
    self.run = run
    self.device = device
    self.status = status
    self.pathPrefix = pathPrefix
  }
}

/// Bounds of the journal.
package struct JournalLimits: Sendable {
  package var rows: Int64 = 100_000
  /// Bytes of all entries.
  package var bytes: Int64 = 256 << 20
  /// Records that a proxy has passed on; the oldest go when up to 65,536 more have come.
  package var sentRecords: Int64 = 2_000_000
  /// Entries waiting to be written, beyond which they are dropped and counted.
  package var mailboxEntries = 16_384
  package var mailboxBytes = 16 << 20
  /// How long entries wait for others that are written together with them.
  package var gatherMilliseconds = 50

  package init() {}

  /// The oldest go block by block, so that a block holds a small part of the whole.
  var blockBytes: Int { Int(clamping: max(1, min(128 << 10, bytes / 64))) }
  var blockEntries: Int { Int(clamping: max(1, rows / 64)) }
  /// So much is written without waiting for more.
  var gatherBytes: Int { min(1 << 20, mailboxBytes / 4) }
  var gatherEntries: Int { mailboxEntries / 4 }
}

/// The bytes of a block are no entries, which only a damaged file makes them.
struct JournalError: Error {}

extension StoreError {
  init(_ damage: JournalError) {
    self.init(
      code: .damaged, message: "the journal holds a block that cannot be read; delete journal.db to begin a new one")
  }
}

/// An entry with its place in the journal.
package struct JournaledRequest: Equatable, Sendable {
  /// Grows with each entry, has gaps where a reset deleted some, and is never used twice.
  package var sequence: Int64
  package var entry: JournalEntry
}

extension Journal {
  /// Entries looked at for one page, whether or not they match.
  private static let entriesPerPage = 10_000

  /// Entries behind `sequence` that match, in order, at most `limit`; with the newest first, those before it. The page says where to go on, also when it found
  /// nothing in the stretch it looked at.
  package func requests(
    matching filter: JournalFilter = JournalFilter(), after sequence: Int64 = 0, limit: Int
  ) throws(StoreError) -> Page<JournaledRequest, Int64> {
    var search = JournalSearch(filter, after: sequence, limit: limit, entriesMax: Journal.entriesPerPage)
    do {
      try look(&search)
    } catch {
      throw StoreError(error, opening: "the journal")
    }
    if let damage = search.damage { throw StoreError(damage) }
    return Page(elements: search.found, next: search.isCutShort ? search.last : nil)
  }

  private func look(_ search: inout JournalSearch) throws(DatabaseError) {
    // What a closure captures it cannot borrow in pieces.
    var copy = search
    let blocks =
      copy.filter.isNewestFirst
      ? "first < ?1 AND runs & ?2 <> 0 ORDER BY first DESC"
      : "first >= coalesce((SELECT max(first) FROM blocks WHERE first <= ?1), 0) AND runs & ?2 <> 0 ORDER BY first"
    try connection.with(
      "SELECT first, entries FROM blocks WHERE \(blocks)"
    ) { (statement: inout Statement) throws(DatabaseError) in
      var row = statement.start()
      row.bind(1, copy.last)
      row.bind(2, copy.filter.run.map { Int64(bitPattern: JournalBlock.bit(ofRun: $0)) } ?? -1)
      while !copy.isCutShort, copy.damage == nil, try row.step() {
        copy.look(at: row.bytes(at: 1), first: row.integer(at: 0))
      }
    }
    search = copy
  }
}

/// A search on its way through the blocks.
private struct JournalSearch {
  let filter: JournalFilter
  private let limit: Int
  private var entriesLeft: Int
  /// The last entry that was looked at; those up to it are passed over.
  private(set) var last: Int64
  private(set) var found: [JournaledRequest] = []
  private(set) var damage: JournalError?

  init(_ filter: JournalFilter, after sequence: Int64, limit: Int, entriesMax: Int) {
    self.filter = filter
    self.limit = limit
    last = sequence
    entriesLeft = entriesMax
  }

  /// The page is full or the stretch is over; there may be more.
  var isCutShort: Bool { found.count == limit || entriesLeft == 0 }

  mutating func look(at block: Span<UInt8>, first: Int64) {
    if filter.isNewestFirst { return lookBack(at: block, first: first) }
    var reader = JournalBlockReader(block)
    do throws(JournalError) {
      while !isCutShort, let place = try reader.next() {
        let sequence = first + Int64(place.number)
        if sequence <= last { continue }
        last = sequence
        entriesLeft -= 1
        guard reader.matches(place, filter) else { continue }
        let entry = reader.entry(at: place)
        guard filter.condition?(entry) ?? true else { continue }
        found.append(JournaledRequest(sequence: sequence, entry: entry))
      }
    } catch {
      damage = error
    }
  }

  /// A block can only be read from its beginning: the places of its entries are remembered.
  private mutating func lookBack(at block: Span<UInt8>, first: Int64) {
    var reader = JournalBlockReader(block)
    do throws(JournalError) {
      var places: [JournalBlockReader.Place] = []
      while let place = try reader.next() { places.append(place) }
      for place in places.reversed() where first + Int64(place.number) < last && !isCutShort {
        last = first + Int64(place.number)
        entriesLeft -= 1
        guard reader.matches(place, filter) else { continue }
        let entry = reader.entry(at: place)
        if filter.condition?(entry) ?? true { found.append(JournaledRequest(sequence: last, entry: entry)) }
      }
    } catch {
      damage = error
    }
  }
}

extension Journal {
  /// Forgets the entries of one run, or all.
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

  /// Writes the blocks that held entries of the run again, without them. Passes over what it cannot read.
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
  /// The entries that do not match, each with the number it had.
  fileprivate init(_ bytes: Span<UInt8>, without filter: JournalFilter) throws(JournalError) {
    self.init()
    var reader = JournalBlockReader(bytes)
    while let place = try reader.next() {
      if reader.matches(place, filter) { continue }
      append(reader.entry(at: place), number: place.number)
    }
  }
}
