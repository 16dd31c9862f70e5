internal import CSQLite

/// Values of the row that the last step came to. A column of another type is converted as SQLite does it
/// (https://sqlite.org/c3ref/column_blob.html): NULL reads as 0 or as nothing. Declare tables STRICT and columns NOT NULL, and
/// ask `isNull` for the others.
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

  /// A blob, or the UTF-8 of a text, where SQLite has it: the span borrows this value, so it cannot outlive the next step.
  @_lifetime(borrow self)
  package func bytes(at column: Int32) -> Span<UInt8> {
    requireColumn(column)
    // sqlite3_column_blob also for text: sqlite3_column_text would copy the value to put a NUL behind it. It goes first,
    // since it may convert the value and so change the length.
    let start = unsafe sqlite3_column_blob(statement, column)
    let count = unsafe Int(sqlite3_column_bytes(statement, column))
    let buffer = unsafe UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count)
    let span = unsafe Span<UInt8>(_unsafeElements: buffer.bindMemory(to: UInt8.self))
    return unsafe _overrideLifetime(span, borrowing: self)
  }

  /// A blob, or the UTF-8 of a text, of its own.
  package func blob(at column: Int32) -> [UInt8] {
    let bytes = bytes(at: column)
    return unsafe bytes.withUnsafeBufferPointer { unsafe [UInt8]($0) }
  }

  /// A text of its own. Bytes that are no UTF-8 become U+FFFD; read `bytes` where that matters.
  package func text(at column: Int32) -> String {
    let bytes = bytes(at: column)
    return unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }
}
