import Base
internal import CSQLite

/// A prepared statement. It keeps its connection open. `start` runs it, any number of times but one at a time.
///
/// Keep statements in a noncopyable struct and pass them `inout` to the function that runs them: for a property of a class, or
/// of a captured `self`, the compiler cannot see that the execution ends before the access does.
@safe
package struct Statement: ~Copyable {
  private let handle: ConnectionHandle
  private let statement: OpaquePointer
  /// A bit for each parameter.
  private let parameters: UInt64

  init(_ sql: String, on handle: ConnectionHandle) throws(DatabaseError) {
    self.handle = handle
    var prepared: OpaquePointer?
    var isSingle = true
    var text = sql
    let result = text.withUTF8 { utf8 in
      unsafe utf8.withMemoryRebound(to: CChar.self) { characters in
        var rest = unsafe characters[...]
        let result = unsafe Statement.prepare(&prepared, from: &rest, on: handle)
        // Comments may follow.
        while result == SQLITE_OK, isSingle, unsafe !rest.isEmpty {
          let count = unsafe rest.count
          var other: OpaquePointer?
          let isRead = unsafe Statement.prepare(&other, from: &rest, on: handle) == SQLITE_OK && rest.count < count
          isSingle = unsafe isRead && other == nil
          _ = unsafe sqlite3_finalize(other)
        }
        return result
      }
    }
    try handle.check(result, sql: sql)
    // The text may be a user's.
    let parameterCount = unsafe sqlite3_bind_parameter_count(prepared)
    guard let prepared = unsafe prepared, isSingle, parameterCount <= UInt64.bitWidth else {
      _ = unsafe sqlite3_finalize(prepared)
      throw DatabaseError(.other, "it is not one statement with at most 64 parameters", sql: sql)
    }
    unsafe statement = prepared
    parameters = parameterCount == 0 ? 0 : .max >> UInt64(UInt64.bitWidth - Int(parameterCount))
  }

  /// Compiles the next statement of a text, and removes it from there. A text of blanks and comments has none.
  private static func prepare(
    _ statement: inout OpaquePointer?, from text: inout Slice<UnsafeBufferPointer<CChar>>,
    on handle: ConnectionHandle
  ) -> Int32 {
    var tail: UnsafePointer<CChar>?
    let start = unsafe UnsafeBufferPointer(rebasing: text).baseAddress
    let result = unsafe sqlite3_prepare_v3(
      handle.database, start, Int32(text.count), UInt32(SQLITE_PREPARE_PERSISTENT), &statement, &tail)
    if let start = unsafe start, let tail = unsafe tail { unsafe text = unsafe text.dropFirst(tail - start) }
    return result
  }

  /// The names of the parameters, such as `:device`; nil for one without a name, such as `?`.
  package var parameterNames: [String?] {
    (0..<(unsafe sqlite3_bind_parameter_count(statement))).map { index in
      unsafe sqlite3_bind_parameter_name(statement, index + 1).map { unsafe String(cString: $0) }
    }
  }

  /// The names of the columns, available before there is a row.
  package var columnNames: [String] {
    (0..<(unsafe sqlite3_column_count(statement))).map { column in
      unsafe sqlite3_column_name(statement, column).map { unsafe String(cString: $0) } ?? ""
    }
  }

  // The result repeats the error of the last step, which was already thrown.
  deinit { _ = unsafe sqlite3_finalize(statement) }

  /// Begins a run. Bind every parameter, then step or run; the statement is reset when the execution ends, even after an error.
  @_lifetime(&self)
  package mutating func start() -> Execution {
    unsafe Execution(statement, on: handle.database, unbound: parameters)
  }
}

/// One run of a statement, from binding its values to its last row.
///
/// Values are bound without copying: SQLite reads text and blobs from the caller's memory. The compiler limits this value to
/// the lifetime of every span bound to it, and each run must bind every parameter again before its first step, so a step cannot
/// read freed memory.
///
/// Parameters are numbered from 1 and columns from 0, as in SQLite.
@safe
package struct Execution: ~Copyable, ~Escapable {
  private enum Position {
    case bindingValues, onRow, ended
  }

  let statement: OpaquePointer
  private let database: OpaquePointer
  /// A bit for each unbound parameter.
  private var unbound: UInt64
  private var bindResult = SQLITE_OK
  private var position = Position.bindingValues
  /// 0 unless there is a row, because otherwise SQLite's functions for columns are undefined.
  private var columnCount: Int32 = 0

  @_lifetime(immortal)
  init(_ statement: OpaquePointer, on database: OpaquePointer, unbound: UInt64) {
    unsafe self.statement = statement
    unsafe self.database = database
    self.unbound = unbound
  }

  // The result repeats the error of the last step, which was already thrown. The pointers stay in the statement, unread:
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

  /// Binds UTF-8. The text may contain NUL, but SQL functions then see only the part before it
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

  /// SQLite may refuse a value for its size; the next step throws that error, so that binding needs no `try`.
  private mutating func bound(_ parameter: Int32, _ result: Int32) {
    let bit: UInt64 = 1 << UInt64(parameter - 1)
    precondition(unbound & bit != 0, "no such parameter, or bound already")
    unbound ^= bit
    if bindResult == SQLITE_OK { bindResult = result }
  }

  /// Advances to the next row; returns false when there is none. A statement that writes must be stepped to its end, because
  /// only there its commit can report an error.
  package mutating func step() throws(DatabaseError) -> Bool {
    switch position {
    case .bindingValues:
      precondition(unbound == 0, "every parameter is bound before the first step")
      // Not the connection's message: a later successful bind has replaced it.
      guard bindResult == SQLITE_OK else { throw unsafe failure(bindResult, on: nil) }
    case .onRow: break
    case .ended: preconditionFailure("a step beyond the end would start again")
    }
    switch unsafe sqlite3_step(statement) {
    case SQLITE_ROW:
      // Only the first step can recompile the statement and so change the number.
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

/// Values of the current row. A column of another type is converted by SQLite's rules
/// (https://sqlite.org/c3ref/column_blob.html): NULL reads as 0 or as empty. Declare tables STRICT and columns NOT NULL, and
/// use `isNull` for the others.
extension Execution {
  package func isNull(at column: Int32) -> Bool {
    requireColumn(column)
    return unsafe sqlite3_column_type(statement, column) == SQLITE_NULL
  }

  package func integer(at column: Int32) -> Int64 {
    requireColumn(column)
    return unsafe sqlite3_column_int64(statement, column)
  }

  package func double(at column: Int32) -> Double {
    requireColumn(column)
    return unsafe sqlite3_column_double(statement, column)
  }

  /// Returns a blob, or the UTF-8 of a text, in SQLite's memory: the span borrows this value, so it cannot outlive the next
  /// step.
  @_lifetime(borrow self)
  package func bytes(at column: Int32) -> Span<UInt8> {
    requireColumn(column)
    // sqlite3_column_blob also for text: sqlite3_column_text would copy the value to append a NUL. It is called first, because
    // it may convert the value and so change the length.
    let start = unsafe sqlite3_column_blob(statement, column)
    let count = unsafe Int(sqlite3_column_bytes(statement, column))
    let buffer = unsafe UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    let span = unsafe Span<UInt8>(_unsafeElements: buffer.bindMemory(to: UInt8.self))
    return unsafe _overrideLifetime(span, borrowing: self)
  }

  /// Returns a copy of a blob, or of the UTF-8 of a text.
  package func blob(at column: Int32) -> [UInt8] {
    bytes(at: column).copied
  }

  /// Returns a copy of a text. Invalid UTF-8 becomes U+FFFD; read `bytes` where that matters.
  package func text(at column: Int32) -> String {
    let bytes = bytes(at: column)
    return unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }
}

/// Rows of a user's own statement.
extension Execution {
  /// SQLite's storage classes (https://sqlite.org/datatype3.html).
  package enum StorageClass: Sendable {
    case null, integer, real, text, blob
  }

  package var columns: Range<Int32> { 0..<columnCount }

  package func name(of column: Int32) -> String {
    requireColumn(column)
    return unsafe sqlite3_column_name(statement, column).map { unsafe String(cString: $0) } ?? ""
  }

  package func storageClass(at column: Int32) -> StorageClass {
    requireColumn(column)
    return switch unsafe sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: .integer
    case SQLITE_FLOAT: .real
    case SQLITE_TEXT: .text
    case SQLITE_BLOB: .blob
    default: .null
    }
  }
}
