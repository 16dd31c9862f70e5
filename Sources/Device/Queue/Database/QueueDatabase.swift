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
  /// What becomes of rows, for somebody who watches over it and takes the notes out; nil: nobody does. A group that is
  /// undone later has been noted all the same.
  package var notes: [QueueNote]?
  /// What the writes of a device meet, by its number. Never gone through.
  package var disturbances: [Int: QueueDisturbance] = [:]
  /// What the open group has changed so far.
  var changes: [RowChange] = []
  /// Why the open group is lost already.
  var loss: DatabaseError?
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
      // Nobody opens it after a crash: what a rollback needs is in memory.
      try connection.apply(.journalMode(.memory))
      try connection.apply(.cacheSize(kilobytes: QueueDatabase.spillingCacheKilobytes))
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
    try readRows()
  }

  /// Long enough for a process that is just ending.
  private static let busyTimeoutMilliseconds: Int32 = 1_000
  /// The hot pages of ten thousand devices, each of which writes to a place of its own.
  private static let sharedCacheKilobytes = 65_536
  /// The state of ten thousand devices and what usually waits in them.
  private static let spillingCacheKilobytes = 131_072

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
