package import Base
internal import CSQLite

/// An open database. It belongs to one thread at a time, together with its statements: it is opened without SQLite's own
/// mutexes, which is safe "provided that no single database connection nor any object derived from database connection,
/// such as a prepared statement, is used in two or more threads at the same time" (https://sqlite.org/threadsafe.html).
/// The type is not Sendable, so the compiler watches over that.
///
/// Foreign keys are enforced, double quotes mean identifiers only, and SQL cannot damage the file on purpose.
package struct Connection: ~Copyable {
  /// What may be done with the file.
  package enum Access {
    case readOnly
    case readWrite
    /// Read and write, creating the file when it is missing.
    case create
  }

  let handle: ConnectionHandle

  /// Opens `path` (`:memory:` for a private database without a file) and reads its header, so that a file which cannot be
  /// used is refused here. A statement that meets a lock waits for `busyTimeoutMilliseconds`, then throws `.busy`.
  package init(
    path: String, access: Access = .create, busyTimeoutMilliseconds: Int32 = 5_000
  ) throws(DatabaseError) {
    handle = try ConnectionHandle(path: path, access: access, busyTimeoutMilliseconds: busyTimeoutMilliseconds)
  }

  /// From then on statements end with `.interrupted`, which is seen within a second; nil: they take the time they need.
  package func limitStatements(until end: MonotonicInstant?) {
    // A whole second that is over.
    let second = end.map { $0.nanoseconds / 1_000_000_000 + 1 } ?? 0
    unsafe rr_sqlite3_end_at(handle.database, second)
  }

  /// Runs one or more statements that need no values and give no rows.
  package func execute(_ sql: String) throws(DatabaseError) {
    try handle.check(unsafe sqlite3_exec(handle.database, sql, nil, nil, nil), sql: sql)
  }

  /// Compiles one statement, to be kept and run many times.
  package func prepare(_ sql: String) throws(DatabaseError) -> Statement { try Statement(sql, on: handle) }

  /// The first column of the first row of a query that gives a row.
  package func integer(_ sql: String) throws(DatabaseError) -> Int64 {
    var statement = try prepare(sql)
    var rows = statement.start()
    let hasRow = try rows.step()
    precondition(hasRow, "no row from \(sql)")
    return rows.integer(at: 0)
  }

  /// Rows that the last INSERT, UPDATE or DELETE changed; 0 when INSERT OR IGNORE ignored its row.
  package var changes: Int64 { unsafe sqlite3_changes64(handle.database) }

  /// The rowid of the last row that was inserted on this connection.
  package var lastInsertedRowID: Int64 { unsafe sqlite3_last_insert_rowid(handle.database) }

  /// Whether a transaction is open; SQLite closes it by itself after some errors.
  package var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle.database) == 0 }
}

extension Connection {
  /// Runs `body` in a transaction, and commits. When `body` or the commit throws, everything is rolled back and that error
  /// is thrown. Transactions do not nest.
  ///
  /// After `.inputOutput` from the commit the outcome on disk is open: the rows are not visible, but after a power cut at
  /// that very moment recovery may still find them. A second write must be able to meet the row of the first.
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
      // The journal or the log has the old pages, and the error that brought us here is the one to report.
      precondition(!isInTransaction, "a transaction can neither be committed nor rolled back: \(error)")
    }
  }
}

/// When a transaction takes its lock, https://sqlite.org/lang_transaction.html
package enum TransactionMode {
  /// With the first statement that needs one. For reading; a later upgrade to writing can fail at once with `.busy`.
  case deferred
  /// Before the body runs: a writer waits here, once, and not in the middle.
  case immediate
}

/// What begins and ends a transaction.
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
  /// Writes what the transaction has changed into the file, as far as nothing uses it; the commit still decides.
  package func flushCache() throws(DatabaseError) { try handle.check(unsafe sqlite3_db_cacheflush(handle.database)) }

  package func checkpoint(_ mode: CheckpointMode) throws(DatabaseError) -> Checkpoint {
    let code = mode == .passive ? SQLITE_CHECKPOINT_PASSIVE : SQLITE_CHECKPOINT_TRUNCATE
    var inLog: Int32 = 0
    var moved: Int32 = 0
    try handle.check(unsafe sqlite3_wal_checkpoint_v2(handle.database, nil, code, &inLog, &moved))
    return Checkpoint(pagesInLog: max(0, Int(inLog)), pagesMoved: max(0, Int(moved)))
  }

  /// How much of a database to look at.
  package enum CheckDepth: String {
    /// The structure of every page, in time proportional to the file.
    case quick = "quick_check"
    /// Indexes against their tables as well, which takes several times longer.
    case full = "integrity_check"
  }

  /// What is wrong with the file, at most 100 sentences; empty when nothing is. Damage that ends the check is the last of
  /// them, not an error.
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

/// How hard to try to move the write-ahead log into the database, https://sqlite.org/c3ref/wal_checkpoint_v2.html
package enum CheckpointMode {
  /// As much as readers allow, without waiting.
  case passive
  /// Everything, waiting for readers as long as the busy time-out, then the log becomes empty.
  case truncate
}

/// What a checkpoint found, in pages; both are 0 without a write-ahead log, and after `truncate`.
package struct Checkpoint {
  package let pagesInLog: Int
  package let pagesMoved: Int
}

extension Connection {
  /// Pages that this connection wrote to its log or file since the last question; the question sets the count back to 0.
  package func takePagesWritten() -> Int {
    var current: Int32 = 0
    var highest: Int32 = 0
    let result = unsafe sqlite3_db_status(handle.database, SQLITE_DBSTATUS_CACHE_WRITE, &current, &highest, 1)
    precondition(result == SQLITE_OK, "sqlite3_db_status does not know the counter")
    return Int(current)
  }
}

/// Owns the C connection. Connection and statements share it, so it closes after the last statement was finalised, in
/// any order of their owners' end.
@safe
final class ConnectionHandle {
  let database: OpaquePointer
  /// Compiled at their first use: with few rows in a transaction that takes as long as the rest of it.
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

  func run(_ step: TransactionStep) throws(DatabaseError) {
    let statement = try unsafe statement(of: step)
    // It repeats the error of the step.
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

  /// Throws unless `result` is SQLITE_OK. To be called before anything else touches the connection.
  func check(_ result: Int32, sql: String? = nil) throws(DatabaseError) {
    guard result == SQLITE_OK else {
      throw unsafe DatabaseError(extendedCode: result, database: database, sql: sql)
    }
  }
}
