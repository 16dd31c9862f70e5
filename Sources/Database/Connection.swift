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
