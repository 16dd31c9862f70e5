internal import CSQLite

/// Owns the C connection. Connection and statements share it, so it closes after the last statement was finalised, in
/// whatever order their owners go.
@safe
final class ConnectionHandle {
  let database: OpaquePointer

  /// Once, before the first connection: counting every allocation takes a lock that all threads share, and nobody reads
  /// the count (https://sqlite.org/c3ref/c_config_covering_index_scan.html#sqliteconfigmemstatus). When somebody else in
  /// the process was first, it is too late and stays as it is.
  private static let dropMemoryStatistics: Void = { _ = rr_sqlite3_disable_memory_statistics() }()

  init(path: String, access: Connection.Access, busyTimeoutMilliseconds: Int32) throws(DatabaseError) {
    precondition(sqlite3_threadsafe() != 0, "this SQLite was built for a single thread")
    ConnectionHandle.dropMemoryStatistics
    let mode =
      switch access {
      case .readOnly: SQLITE_OPEN_READONLY
      case .readWrite: SQLITE_OPEN_READWRITE
      case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      }
    var opened: OpaquePointer?
    let result = unsafe sqlite3_open_v2(
      path, &opened, mode | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    // A connection comes back even when opening fails, to carry the message (https://sqlite.org/c3ref/open.html); only
    // without memory there is none.
    guard let database = unsafe opened else {
      throw unsafe DatabaseError(extendedCode: result, database: nil, sql: nil)
    }
    unsafe self.database = database
    try check(result)
    try check(unsafe sqlite3_busy_timeout(database, busyTimeoutMilliseconds))
    for (option, value) in [
      (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_DQS_DML, 0), (SQLITE_DBCONFIG_DQS_DDL, 0),
      (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0), (SQLITE_DBCONFIG_ENABLE_FKEY, 1),
    ] as [(Int32, Int32)] {
      try check(unsafe rr_sqlite3_db_config(database, option, value))
    }
    // Opening is lazy; this reads the header.
    let firstRead = "PRAGMA schema_version"
    try check(unsafe sqlite3_exec(database, firstRead, nil, nil, nil), sql: firstRead)
  }

  deinit {
    let result = unsafe sqlite3_close(database)
    precondition(result == SQLITE_OK, "a statement outlived its connection")
  }

  /// Throws unless `result` is SQLITE_OK. To be called before anything else touches the connection.
  func check(_ result: Int32, sql: String? = nil) throws(DatabaseError) {
    guard result == SQLITE_OK else {
      throw unsafe DatabaseError(extendedCode: result, database: database, sql: sql)
    }
  }
}
