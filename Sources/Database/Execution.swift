internal import CSQLite

/// One run of a statement, from its values to its last row.
///
/// Nothing is copied on the way in: SQLite reads text and blobs where the caller has them. The compiler holds this value to
/// the lifetime of every span bound to it, and deinit takes the pointers out of the statement again. So there is no way to
/// write a step that reads bytes that are gone.
///
/// Parameters are numbered from 1 and columns from 0, as in SQLite.
@safe
package struct Execution: ~Copyable, ~Escapable {
  private enum Position {
    case bindingValues, onRow, ended
  }

  let statement: OpaquePointer
  private let database: OpaquePointer
  private var unboundCount: Int32
  private var bindResult = SQLITE_OK
  private var position = Position.bindingValues

  @_lifetime(immortal)
  init(_ statement: OpaquePointer, on database: OpaquePointer, parameterCount: Int32) {
    unsafe self.statement = statement
    unsafe self.database = database
    unboundCount = parameterCount
  }

  deinit {
    // The result repeats the error of the last step, which was thrown already.
    _ = unsafe sqlite3_reset(statement)
    _ = unsafe sqlite3_clear_bindings(statement)
  }

  package mutating func bindNull(_ parameter: Int32) {
    bound(unsafe sqlite3_bind_null(statement, parameter))
  }

  package mutating func bind(_ parameter: Int32, _ value: Int64) {
    bound(unsafe sqlite3_bind_int64(statement, parameter, value))
  }

  /// SQLite has no NaN: it stores NULL instead (https://sqlite.org/floatingpoint.html).
  package mutating func bind(_ parameter: Int32, _ value: Double) {
    bound(unsafe sqlite3_bind_double(statement, parameter, value))
  }

  /// UTF-8. Text may hold the character NUL, but SQL functions then see what stands before it only
  /// (https://sqlite.org/nulinstr.html).
  @_lifetime(self: copy self, copy text)
  package mutating func bind(_ parameter: Int32, text: Span<UInt8>) {
    bound(
      unsafe text.withUnsafeBufferPointer { bytes in
        unsafe rr_sqlite3_bind_text_static(statement, parameter, bytes.baseAddress, Int64(bytes.count))
      })
  }

  @_lifetime(self: copy self, copy blob)
  package mutating func bind(_ parameter: Int32, blob: Span<UInt8>) {
    bound(
      unsafe blob.withUnsafeBufferPointer { bytes in
        unsafe rr_sqlite3_bind_blob_static(statement, parameter, bytes.baseAddress, Int64(bytes.count))
      })
  }

  /// A value may be refused for its size; the next step throws that, so that binding needs no `try`.
  private mutating func bound(_ result: Int32) {
    precondition(result != SQLITE_RANGE, "the statement has no such parameter")
    precondition(position == .bindingValues, "values are bound before the first step")
    unboundCount -= 1
    if bindResult == SQLITE_OK { bindResult = result }
  }

  /// Goes to the next row; false when there is none any more. A statement that writes must be stepped to its end, because
  /// only there its commit can report an error.
  package mutating func step() throws(DatabaseError) -> Bool {
    switch position {
    case .bindingValues:
      precondition(unboundCount == 0, "every parameter is bound exactly once")
      guard bindResult == SQLITE_OK else { throw failure(bindResult) }
    case .onRow: break
    case .ended: preconditionFailure("a step beyond the end would start again")
    }
    switch unsafe sqlite3_step(statement) {
    case SQLITE_ROW:
      position = .onRow
      return true
    case SQLITE_DONE:
      position = .ended
      return false
    case let result:
      position = .ended
      throw failure(result)
    }
  }

  /// Steps to the end.
  package consuming func run() throws(DatabaseError) {
    while try step() {}
  }

  /// Columns can be read only here: elsewhere SQLite's answers are undefined.
  func requireColumn(_ column: Int32) {
    precondition(position == .onRow, "there is no row to read")
    let columnCount = unsafe sqlite3_data_count(statement)
    precondition(column >= 0 && column < columnCount, "the row has no such column")
  }

  private func failure(_ result: Int32) -> DatabaseError {
    let sql = unsafe sqlite3_sql(statement).map { unsafe String(cString: $0) }
    return unsafe DatabaseError(extendedCode: result, database: database, sql: sql)
  }
}
