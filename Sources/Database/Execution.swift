internal import CSQLite

/// One run of a statement, from its values to its last row.
///
/// Nothing is copied on the way in: SQLite reads text and blobs where the caller has them. The compiler holds this value to
/// the lifetime of every span bound to it, and each run must bind every parameter anew before its first step. So there is
/// no way to write a step that reads bytes that are gone.
///
/// Parameters are numbered from 1 and columns from 0, as in SQLite.
@safe
package struct Execution: ~Copyable, ~Escapable {
  private enum Position {
    case bindingValues, onRow, ended
  }

  let statement: OpaquePointer
  private let database: OpaquePointer
  /// A bit for each parameter that still waits for its value.
  private var unbound: UInt64
  private var bindResult = SQLITE_OK
  private var position = Position.bindingValues
  /// 0 unless there is a row, because elsewhere SQLite's answers about columns are undefined.
  private var columnCount: Int32 = 0

  @_lifetime(immortal)
  init(_ statement: OpaquePointer, on database: OpaquePointer, unbound: UInt64) {
    unsafe self.statement = statement
    unsafe self.database = database
    self.unbound = unbound
  }

  // The result repeats the error of the last step, which was thrown already. The pointers stay in the statement, unread:
  // clearing them costs as much as binding them.
  deinit { _ = unsafe sqlite3_reset(statement) }

  package mutating func bindNull(_ parameter: Int32) {
    bound(parameter, unsafe sqlite3_bind_null(statement, parameter))
  }

  package mutating func bind(_ parameter: Int32, _ value: Int64) {
    bound(parameter, unsafe sqlite3_bind_int64(statement, parameter, value))
  }

  /// SQLite has no NaN: it stores NULL instead (https://sqlite.org/floatingpoint.html).
  package mutating func bind(_ parameter: Int32, _ value: Double) {
    bound(parameter, unsafe sqlite3_bind_double(statement, parameter, value))
  }

  /// UTF-8. Text may hold the character NUL, but SQL functions then see what stands before it only
  /// (https://sqlite.org/nulinstr.html).
  @_lifetime(self: copy self, copy text)
  package mutating func bind(_ parameter: Int32, text: Span<UInt8>) {
    bound(
      parameter,
      unsafe text.withUnsafeBufferPointer { bytes in
        unsafe rr_sqlite3_bind_text_static(statement, parameter, bytes.baseAddress, Int64(bytes.count))
      })
  }

  @_lifetime(self: copy self, copy blob)
  package mutating func bind(_ parameter: Int32, blob: Span<UInt8>) {
    bound(
      parameter,
      unsafe blob.withUnsafeBufferPointer { bytes in
        unsafe rr_sqlite3_bind_blob_static(statement, parameter, bytes.baseAddress, Int64(bytes.count))
      })
  }

  /// A value may be refused for its size; the next step throws that, so that binding needs no `try`.
  private mutating func bound(_ parameter: Int32, _ result: Int32) {
    let bit: UInt64 = 1 << UInt64(parameter - 1)
    precondition(unbound & bit != 0, "no such parameter, or bound already")
    unbound ^= bit
    if bindResult == SQLITE_OK { bindResult = result }
  }

  /// Goes to the next row; false when there is none any more. A statement that writes must be stepped to its end, because
  /// only there its commit can report an error.
  package mutating func step() throws(DatabaseError) -> Bool {
    switch position {
    case .bindingValues:
      precondition(unbound == 0, "every parameter is bound before the first step")
      // Not the connection's message: a later bind that succeeded has replaced it.
      guard bindResult == SQLITE_OK else { throw unsafe failure(bindResult, on: nil) }
    case .onRow: break
    case .ended: preconditionFailure("a step beyond the end would start again")
    }
    switch unsafe sqlite3_step(statement) {
    case SQLITE_ROW:
      // Only the first step can compile the statement anew and so change the number.
      if position == .bindingValues { columnCount = unsafe sqlite3_data_count(statement) }
      position = .onRow
      return true
    case let result:
      position = .ended
      columnCount = 0
      guard result == SQLITE_DONE else { throw unsafe failure(result, on: database) }
      return false
    }
  }

  /// Steps to the end.
  package consuming func run() throws(DatabaseError) {
    while try step() {}
  }

  func requireColumn(_ column: Int32) {
    precondition(column >= 0 && column < columnCount, "no such column, or no row to read it from")
  }

  private func failure(_ result: Int32, on database: OpaquePointer?) -> DatabaseError {
    let sql = unsafe sqlite3_sql(statement).map { unsafe String(cString: $0) }
    return unsafe DatabaseError(extendedCode: result, database: database, sql: sql)
  }
}
