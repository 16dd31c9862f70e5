package import Database

/// The persistent data of devices: queued records, geofences and state; of one app, or of the thousands of devices of a
/// shard. It belongs to one thread at a time and to one process: a second process that opens the file gets `.busy`.
///
/// A commit survives any end of the process. With `.everyCall` it survives a power cut as well, provided that the disk
/// keeps what it has synced. With `.grouped` the last commits may be lost in a power cut; earlier ones are complete.
package final class QueueDatabase {
  /// When writes become durable.
  package enum Commits: Sendable {
    /// Before they return. For an app: each record of a real drive counts.
    case everyCall
    /// With the next `commit()`, all or none; reads see them before. For a fleet, whose drives can be repeated. A call
    /// that fails undoes its whole group, and every later write fails too until `commit()` has thrown the error.
    case grouped
  }

  let connection: Connection
  let commits: Commits
  var records: RecordStatements
  var geofences: GeofenceStatements
  var state: StateStatements

  /// The rows by device number.
  var devices: [DeviceRows] = []
  package var observer: (any QueueObserver)?
  /// The changes of the open group so far.
  var changes: [RowChange] = []
  /// Nil where each write goes to SQLite at once, so that a full disk fails the right call.
  var group: OpenGroup?
  /// The number of rows that the open group has inserted or deleted in SQLite.
  var rowsWritten = 0
  /// The error that has undone the open group.
  var loss: DatabaseError?
  /// Whether a write is in progress.
  private var isWriting = false
  var nextRow: Int64
  /// The end of the reserved rows.
  var reservedRows: Int64

  /// Opens or creates the database at `path`. `:memory:` is in memory only, for virtual time; an empty path is a
  /// temporary file that is used only when the database exceeds its cache. Throws `.newerVersion` and `.foreignFile`
  /// without having touched the file.
  package init(path: String, commits: Commits) throws(DatabaseError) {
    let connection = try Connection(path: path, busyTimeoutMilliseconds: QueueDatabase.busyTimeoutMilliseconds)
    _ = try connection.version(of: QueueSchema.schema)
    if path.isEmpty {
      // It is not opened after a crash: the rollback journal is in memory.
      try connection.apply(.journalMode(.memory))
      try connection.apply(.cacheSize(kilobytes: QueueDatabase.spillingCacheKilobytes))
      // Deleted rows are never read, so their pages need not be overwritten.
      try connection.apply(.secureDelete(false))
    } else if path != ":memory:" {
      try QueueDatabase.configure(connection, commits)
    }
    try connection.migrate(to: QueueSchema.schema)
    // An exclusive connection keeps the lock that it takes here (https://sqlite.org/pragma.html#pragma_locking_mode).
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
  /// Rows that outlive their group; ten thousand devices have a few pages each.
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

  /// Each number takes memory. More of them are a damaged file.
  private static let devicesMax = 1 << 24

  /// Scans all records, at several hundred thousand a second.
  private func readRows() throws(DatabaseError) {
    var query = try connection.prepare("SELECT row, device, recorded_at FROM records ORDER BY row")
    var rows = query.start()
    while try rows.step() {
      let device = Int(rows.integer(at: 1))
      guard 0..<QueueDatabase.devicesMax ~= device else {
        throw DatabaseError(.corrupt, "a record has the device number \(device)")
      }
      makeRoom(for: device)
      devices[device].append(rows.integer(at: 0), recordedAt: rows.integer(at: 2))
    }
  }

  private func makeRoom(for device: Int) {
    if device >= devices.count {
      devices.append(contentsOf: repeatElement(DeviceRows(), count: device + 1 - devices.count))
    }
  }

  /// The records of a device. Devices are numbered from 0, preferably without gaps, because each number takes memory.
  /// In a newly opened database nothing is locked.
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

  /// Commits all writes since the last commit; throwing undoes them. With `.everyCall` there is nothing to do.
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
  /// Each row may be on a page of its own, and the rollback data of a page stays in memory until the commit.
  private static let groupRowsMax = 8_192

  /// Whether the open group uses so much memory that it should be committed even though, without a file, a commit makes
  /// nothing durable.
  package var isGroupLarge: Bool {
    let bytes = (group?.bytes ?? 0) + changes.count * MemoryLayout<RowChange>.stride
    return bytes > QueueDatabase.groupBytesMax || rowsWritten > QueueDatabase.groupRowsMax
  }

  /// Runs `body` as part of the open group, or as a group of its own.
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

  /// Returns an unused row number, unused even by groups that were undone and before restarts.
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
    // After some errors SQLite has already rolled back (https://sqlite.org/lang_transaction.html).
    if connection.isInTransaction {
      do {
        try connection.execute("ROLLBACK")
      } catch {
        precondition(!connection.isInTransaction, "a group can neither be committed nor rolled back: \(error)")
      }
    }
    undoChanges()
    endGroup()
    // The reservation may have been part of the group.
    reservedRows = nextRow
  }

  /// Undoes the changes of the open group in the rows of its devices.
  private func undoChanges() {
    var undone: [Int: (inserted: Set<Int64>, deleted: Set<Int64>)] = [:]
    for change in changes {
      switch change {
      case .inserted(let device, let row): undone[device, default: ([], [])].inserted.insert(row)
      case .deleted(let device, let row): undone[device, default: ([], [])].deleted.insert(row)
      }
    }
    // The iteration order does not matter: devices are independent.
    for (device, rows) in undone { devices[device].undo(inserted: rows.inserted, deleted: rows.deleted) }
  }
}

/// The tables of a queue's file.
enum QueueSchema {
  /// "RRqu".
  static let applicationID: Int32 = 0x5252_7175

  static let schema = Schema(applicationID: applicationID, migrations: [Migration(1, first), Migration(2, second)])

  /// `records` holds the rows of all devices in insertion order: rows that are inserted or expire together are
  /// adjacent. The rows of each device are known in memory, which saves an index whose pages each group would have to
  /// write. `reservation` is the first row number that was not used yet.
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

  /// A pending dwell continues after a restart.
  private static let second = "ALTER TABLE geofences ADD COLUMN dwells_at INTEGER NOT NULL DEFAULT 0;"
}

/// A change of a device's rows within a group, kept until the group is committed or undone.
enum RowChange {
  case inserted(device: Int, row: Int64)
  case deleted(device: Int, row: Int64)
}
