package import Database

/// What devices keep over a restart: records that wait, geofences and state; of one app, or of the thousands of devices of
/// a shard. It belongs to one thread at a time and to one process: a second one that opens the file gets `.busy`.
///
/// A commit survives the end of the process, however it ends. One of `.everyCall` survives a power cut as well, as far as
/// the disk keeps what it has synced. After a power cut the last commits of `.grouped` may be missing; those before them
/// are whole.
package final class QueueDatabase {
  /// When calls that write become durable.
  package enum Commits: Sendable {
    /// Before they return. For an app: each record of a real drive counts.
    case everyCall
    /// With the next `commit()`, all or none of them; reads see them before. For a fleet, whose drives can be repeated. A
    /// call that fails undoes its whole group, and every further write fails likewise until `commit()` has said so.
    case grouped
  }

  let connection: Connection
  let commits: Commits
  var records: RecordStatements
  var geofences: GeofenceStatements
  var state: StateStatements

  /// By number.
  var devices: [DeviceRows] = []
  package var observer: (any QueueObserver)?
  /// What the open group has changed so far.
  var changes: [RowChange] = []
  /// Nil where each write goes to SQLite at once, so that a full disk shows at the call that it fails.
  var group: OpenGroup?
  /// How many rows the open group has put into SQLite or deleted there.
  var rowsWritten = 0
  /// Why the open group is lost already.
  var loss: DatabaseError?
  /// A call that writes is under way.
  private var isWriting = false
  var nextRow: Int64
  /// Rows from this one on are not reserved.
  var reservedRows: Int64

  /// Opens or makes the database at `path`; `:memory:` is one without a file, for virtual time, and an empty
  /// path one that goes to a file without a name where it is larger than its cache. Throws `.newerVersion` and
  /// `.foreignFile` without having touched the file.
  package init(path: String, commits: Commits) throws(DatabaseError) {
    let connection = try Connection(path: path, busyTimeoutMilliseconds: QueueDatabase.busyTimeoutMilliseconds)
    _ = try connection.version(of: QueueSchema.schema)
    if path.isEmpty {
      // It is not opened after a crash: what a rollback needs is in memory.
      try connection.apply(.journalMode(.memory))
      try connection.apply(.cacheSize(kilobytes: QueueDatabase.spillingCacheKilobytes))
      // What is left of deleted rows is never read, and a page that holds nothing else need not be written.
      try connection.apply(.secureDelete(false))
    } else if path != ":memory:" {
      try QueueDatabase.configure(connection, commits)
    }
    try connection.migrate(to: QueueSchema.schema)
    // An exclusive connection never gives back the lock that it takes here (https://sqlite.org/pragma.html#pragma_locking_mode).
    try connection.transaction(.immediate) {}
    let records = try RecordStatements(connection)
    let geofences = try GeofenceStatements(connection)
    let state = try StateStatements(connection)
    nextRow = try connection.integer("SELECT next_row FROM reservation")
    reservedRows = nextRow
    self.commits = commits
    self.records = records
    self.geofences = geofences
    self.state = state
    self.connection = connection
    group = path.isEmpty && commits == .grouped ? OpenGroup() : nil
    try readRows()
  }

  /// Long enough for a process that is just ending.
  private static let busyTimeoutMilliseconds: Int32 = 1_000
  /// The hot pages of ten thousand devices, each of which writes to a place of its own.
  private static let sharedCacheKilobytes = 65_536
  /// What waits for longer than a group lasts; ten thousand devices have a few pages each.
  private static let spillingCacheKilobytes = 65_536

  private static func configure(_ connection: borrowing Connection, _ commits: Commits) throws(DatabaseError) {
    try connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    try connection.apply(.journalMode(.wal))
    switch commits {
    case .everyCall:
      try connection.apply(.synchronous(.full))
    case .grouped:
      try connection.apply(.synchronous(.normal))
      try connection.apply(.cacheSize(kilobytes: sharedCacheKilobytes))
    }
  }

  /// Goes through all records, at several hundred thousand a second.
  private func readRows() throws(DatabaseError) {
    var query = try connection.prepare("SELECT row, device, recorded_at FROM records ORDER BY row")
    var rows = query.start()
    while try rows.step() {
      let device = Int(rows.integer(at: 1))
      makeRoom(for: device)
      devices[device].append(rows.integer(at: 0), recordedAt: rows.integer(at: 2))
    }
  }

  private func makeRoom(for device: Int) {
    if device >= devices.count {
      devices.append(contentsOf: repeatElement(DeviceRows(), count: device + 1 - devices.count))
    }
  }

  /// The records of a device; devices are numbered from 0, best without gaps, because memory is taken for each number.
  /// Nothing is locked in a database that was just opened.
  package func queue(of device: Int) -> DeviceQueue {
    precondition(device >= 0, "devices are numbered from 0")
    makeRoom(for: device)
    return DeviceQueue(database: self, device: device)
  }

  package func geofences(of device: Int) -> GeofenceTable { GeofenceTable(database: self, device: device) }
  package func state(of device: Int) -> StateTable { StateTable(database: self, device: device) }
}

extension QueueDatabase {
  private static let rowsPerReservation: Int64 = 65_536

  /// Makes durable what was written since the last commit. When it throws, all of that is undone. With `.everyCall` there is
  /// nothing to do.
  package func commit() throws(DatabaseError) {
    if let loss {
      self.loss = nil
      throw loss
    }
    do throws(DatabaseError) {
      try commitGroup()
    } catch {
      undoGroup()
      throw error
    }
  }

  private static let groupBytesMax = 16 << 20
  /// Each row may lie on a page of its own, and what a rollback needs of a page stays in memory until the commit.
  private static let groupRowsMax = 8_192

  /// Whether the open group takes so much memory that it is to be committed, where nothing else asks for it: without a file
  /// a commit makes nothing durable.
  package var isGroupLarge: Bool {
    let bytes = (group?.bytes ?? 0) + changes.count * MemoryLayout<RowChange>.stride
    return bytes > QueueDatabase.groupBytesMax || rowsWritten > QueueDatabase.groupRowsMax
  }

  /// Runs `body` as a part of the open group, or as a group of its own.
  func write<Result>(
    for device: Int, _ step: WriteStep = .other, _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    precondition(!isWriting, "the queue belongs to one thread at a time, and a write is not made inside another one")
    isWriting = true
    defer { isWriting = false }
    if let loss { throw loss }
    try observer?.tryToAdmit(step, of: device)
    do throws(DatabaseError) {
      if !connection.isInTransaction { try connection.execute("BEGIN IMMEDIATE") }
      let result = try body()
      if commits == .everyCall { try commitGroup() }
      return result
    } catch {
      undoGroup()
      if commits == .grouped { loss = error }
      throw error
    }
  }

  /// A row that no record has had, not in a group that was undone or before a restart either.
  func takeRow() throws(DatabaseError) -> Int64 {
    if nextRow >= reservedRows {
      reservedRows = nextRow + QueueDatabase.rowsPerReservation
      try records.reserve(upTo: reservedRows)
    }
    nextRow += 1
    return nextRow - 1
  }

  private func commitGroup() throws(DatabaseError) {
    if connection.isInTransaction {
      try writeGroup()
      try connection.execute("COMMIT")
    }
    endGroup()
  }

  private func endGroup() {
    changes.removeAll(keepingCapacity: true)
    group?.removeAll()
    rowsWritten = 0
  }

  private func undoGroup() {
    // After some errors SQLite has rolled back by itself (https://sqlite.org/lang_transaction.html).
    if connection.isInTransaction {
      do {
        try connection.execute("ROLLBACK")
      } catch {
        precondition(!connection.isInTransaction, "a group can neither be committed nor rolled back: \(error)")
      }
    }
    for change in changes.reversed() {
      switch change {
      case .inserted(let device, let row): _ = devices[device].remove(row)
      case .deleted(let device, let row): devices[device].putBack(row)
      }
    }
    endGroup()
    // The reservation may have been a part of the group.
    reservedRows = nextRow
  }
}

/// The tables of a queue's file.
enum QueueSchema {
  /// "RRqu".
  static let applicationID: Int32 = 0x5252_7175

  static let schema = Schema(applicationID: applicationID, migrations: [Migration(1, first), Migration(2, second)])

  /// `records` holds the rows of all devices in the order of their arrival: what is inserted together lies together, and
  /// so does what grows old together. Which rows are whose is known in memory, so there is no index whose pages would have
  /// to be written with each group. `reservation` says from which row on none was used yet.
  private static let first = """
    CREATE TABLE records(
      row INTEGER PRIMARY KEY, device INTEGER NOT NULL, uuid BLOB NOT NULL, recorded_at INTEGER NOT NULL,
      data BLOB NOT NULL) STRICT;
    CREATE TABLE reservation(only INTEGER PRIMARY KEY CHECK(only = 1), next_row INTEGER NOT NULL) STRICT;
    INSERT INTO reservation VALUES(1, 1);
    CREATE TABLE geofences(
      device INTEGER NOT NULL, identifier TEXT NOT NULL, definition BLOB NOT NULL, is_inside INTEGER NOT NULL,
      updated_at REAL NOT NULL, hits INTEGER NOT NULL, PRIMARY KEY(device, identifier)) STRICT, WITHOUT ROWID;
    CREATE TABLE state(
      device INTEGER NOT NULL, name TEXT NOT NULL, value BLOB NOT NULL,
      PRIMARY KEY(device, name)) STRICT, WITHOUT ROWID;
    """

  /// A dwell that was under way when the process ended goes on in the next one.
  private static let second = "ALTER TABLE geofences ADD COLUMN dwells_at INTEGER NOT NULL DEFAULT 0;"
}

/// A change of the rows of a device within a group, kept until the group is durable or undone.
enum RowChange {
  case inserted(device: Int, row: Int64)
  case deleted(device: Int, row: Int64)
}
