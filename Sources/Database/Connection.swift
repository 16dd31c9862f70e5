package import Base
internal import CSQLite

/// An open database. It belongs to one thread at a time, together with its statements: it is opened without SQLite's own
/// mutexes, which is safe "provided that no single database connection nor any object derived from database connection, such as
/// a prepared statement, is used in two or more threads at the same time" (https://sqlite.org/threadsafe.html). The type is not
/// Sendable, so the compiler enforces that.
///
/// Foreign keys are enforced, double quotes are only for identifiers, and SQL cannot deliberately damage the file.
package struct Connection: ~Copyable {
  /// The access to the file.
  package enum Access {
    case readOnly
    case readWrite
    /// Read and write, creating the file when it is missing.
    case create
  }

  let handle: ConnectionHandle

  /// Opens `path` (`:memory:` for a private database without a file) and reads its header, so that an unusable file is refused
  /// here. A statement that finds a lock waits for `busyTimeoutMilliseconds`, then throws `.busy`.
  package init(
    path: String, access: Access = .create, busyTimeoutMilliseconds: Int32 = 5_000
  ) throws(DatabaseError) {
    handle = try ConnectionHandle(path: path, access: access, busyTimeoutMilliseconds: busyTimeoutMilliseconds)
  }

  /// After `end` statements fail with `.interrupted`, which takes effect within a second; nil for no limit.
  package func limitStatements(until end: MonotonicInstant?) {
    // The first whole second after the limit.
    let second = end.map { $0.nanoseconds / 1_000_000_000 + 1 } ?? 0
    unsafe rr_sqlite3_end_at(handle.database, second)
  }

  /// Runs one or more statements without values and rows.
  package func execute(_ sql: String) throws(DatabaseError) {
    try handle.check(unsafe sqlite3_exec(handle.database, sql, nil, nil, nil), sql: sql)
  }

  /// Compiles one statement, to be kept and run repeatedly.
  package func prepare(_ sql: String) throws(DatabaseError) -> Statement { try Statement(sql, on: handle) }

  /// Returns the first column of the first row of a query, which must return a row.
  package func integer(_ sql: String) throws(DatabaseError) -> Int64 {
    var statement = try prepare(sql)
    var rows = statement.start()
    let hasRow = try rows.step()
    precondition(hasRow, "no row from \(sql)")
    return rows.integer(at: 0)
  }

  /// The number of rows that the last INSERT, UPDATE or DELETE changed; 0 when INSERT OR IGNORE ignored its row.
  package var changes: Int64 { unsafe sqlite3_changes64(handle.database) }

  /// The rowid of the last row inserted on this connection.
  package var lastInsertedRowID: Int64 { unsafe sqlite3_last_insert_rowid(handle.database) }

  /// Whether a transaction is open; SQLite closes it by itself after some errors.
  package var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle.database) == 0 }
}

extension Connection {
  /// Runs `body` in a transaction, and commits. When `body` or the commit throws, everything is rolled back and that error is
  /// thrown. Transactions do not nest.
  ///
  /// After `.inputOutput` from the commit the outcome on disk is unknown: the rows are not visible, but after a power failure
  /// at that moment recovery may still find them. A repeated write must tolerate the row of the first.
  package func transaction<Result: ~Copyable>(
    _ mode: TransactionMode, _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    precondition(!isInTransaction, "transactions do not nest")
    try handle.run(mode == .immediate ? .beginImmediate : .beginDeferred)
    do {
      let result = try body()
      try handle.run(.commit)
      return result
    } catch {
      rollBack()
      throw error
    }
  }

  /// After full, I/O error, out of memory, busy and interrupt SQLite may have rolled back by itself; a second ROLLBACK would
  /// fail, harmlessly. A failed COMMIT (`.busy`) leaves the transaction open.
  private func rollBack() {
    guard isInTransaction else { return }
    do {
      try execute("ROLLBACK")
    } catch {
      // The journal or the log has the old pages, and the original error is the one to report.
      precondition(!isInTransaction, "a transaction can neither be committed nor rolled back: \(error)")
    }
  }
}

/// When a transaction takes its lock, https://sqlite.org/lang_transaction.html
package enum TransactionMode {
  /// At the first statement that needs one. For reading; a later upgrade to writing can fail at once with `.busy`.
  case deferred
  /// Before the body runs: a writer waits once at the beginning and not in the middle.
  case immediate
}

/// The statements that begin and end a transaction.
enum TransactionStep: Int, CaseIterable {
  case beginDeferred, beginImmediate, commit

  fileprivate var sql: String {
    switch self {
    case .beginDeferred: "BEGIN DEFERRED"
    case .beginImmediate: "BEGIN IMMEDIATE"
    case .commit: "COMMIT"
    }
  }
}

extension Connection {
  /// Writes the changes of the transaction to the file, as far as nothing uses it; the commit still decides.
  package func flushCache() throws(DatabaseError) { try handle.check(unsafe sqlite3_db_cacheflush(handle.database)) }

  package func checkpoint(_ mode: CheckpointMode) throws(DatabaseError) -> Checkpoint {
    let code = mode == .passive ? SQLITE_CHECKPOINT_PASSIVE : SQLITE_CHECKPOINT_TRUNCATE
    var inLog: Int32 = 0
    var moved: Int32 = 0
    try handle.check(unsafe sqlite3_wal_checkpoint_v2(handle.database, nil, code, &inLog, &moved))
    return Checkpoint(pagesInLog: max(0, Int(inLog)), pagesMoved: max(0, Int(moved)))
  }

  /// The extent of a check.
  package enum CheckDepth: String {
    /// The structure of every page, in time proportional to the file.
    case quick = "quick_check"
    /// Indexes against their tables as well, which takes several times longer.
    case full = "integrity_check"
  }

  /// Returns the problems of the file, at most 100 sentences; empty when there are none. Damage that ends the check is the last
  /// of them, not an error.
  package func problems(_ depth: CheckDepth) throws(DatabaseError) -> [String] {
    var problems: [String] = []
    do {
      var query = try prepare("PRAGMA \(depth.rawValue)(100)")
      var rows = query.start()
      while try rows.step() { problems.append(rows.text(at: 0)) }
    } catch  where error.kind == .corrupt {
      problems.append(error.message)
    }
    return problems == ["ok"] ? [] : problems
  }
}

/// The mode of a checkpoint, https://sqlite.org/c3ref/wal_checkpoint_v2.html
package enum CheckpointMode {
  /// Copies as much as readers allow, without waiting.
  case passive
  /// Copies everything, waiting for readers up to the busy timeout, then truncates the log.
  case truncate
}

/// The result of a checkpoint, in pages; both are 0 without a write-ahead log, and after `truncate`.
package struct Checkpoint {
  package let pagesInLog: Int
  package let pagesMoved: Int
}

extension Connection {
  /// Returns the pages that this connection has written to its log or file since the last call, and resets the count.
  package func takePagesWritten() -> Int {
    var current: Int32 = 0
    var highest: Int32 = 0
    let result = unsafe sqlite3_db_status(handle.database, SQLITE_DBSTATUS_CACHE_WRITE, &current, &highest, 1)
    precondition(result == SQLITE_OK, "sqlite3_db_status does not know the counter")
    return Int(current)
  }
}

/// Owns the C connection. Connection and statements share it, so it closes after the last statement was finalized, in whatever
/// order their owners are released.
@safe
final class ConnectionHandle {
  let database: OpaquePointer
  /// Compiled at first use: with few rows in a transaction compiling takes as long as the rest of it.
  private var steps = unsafe [OpaquePointer?](repeating: nil, count: TransactionStep.allCases.count)

  init(path: String, access: Connection.Access, busyTimeoutMilliseconds: Int32) throws(DatabaseError) {
    precondition(sqlite3_threadsafe() != 0, "this SQLite was built for a single thread")
    rr_sqlite3_configure()
    let mode =
      switch access {
      case .readOnly: SQLITE_OPEN_READONLY
      case .readWrite: SQLITE_OPEN_READWRITE
      case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      }
    var opened: OpaquePointer?
    let result = unsafe sqlite3_open_v2(
      path, &opened, mode | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
    // SQLite returns a connection even when opening fails, to carry the message (https://sqlite.org/c3ref/open.html), except
    // when memory has run out.
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
    // Opening is lazy; this statement reads the header.
    let firstRead = "PRAGMA schema_version"
    try check(unsafe sqlite3_exec(database, firstRead, nil, nil, nil), sql: firstRead)
  }

  func run(_ step: TransactionStep) throws(DatabaseError) {
    let statement = try unsafe statement(of: step)
    // The reset repeats the error of the step.
    defer { _ = unsafe sqlite3_reset(statement) }
    let result = unsafe sqlite3_step(statement)
    try check(result == SQLITE_DONE ? SQLITE_OK : result, sql: step.sql)
  }

  private func statement(of step: TransactionStep) throws(DatabaseError) -> OpaquePointer {
    if let known = unsafe steps[step.rawValue] { return unsafe known }
    var made: OpaquePointer?
    try check(
      unsafe sqlite3_prepare_v3(database, step.sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &made, nil), sql: step.sql)
    guard let made = unsafe made else { preconditionFailure("\(step.sql) is a statement") }
    unsafe steps[step.rawValue] = made
    return unsafe made
  }

  deinit {
    unsafe steps.forEach { _ = unsafe sqlite3_finalize($0) }
    let result = unsafe sqlite3_close(database)
    precondition(result == SQLITE_OK, "a statement outlived its connection")
  }

  /// Throws unless `result` is SQLITE_OK. Must be called before anything else uses the connection.
  func check(_ result: Int32, sql: String? = nil) throws(DatabaseError) {
    guard result == SQLITE_OK else {
      throw unsafe DatabaseError(extendedCode: result, database: database, sql: sql)
    }
  }
}
