internal import CSQLite

/// Everything that goes wrong in this module: SQLite's own codes, and the few refusals of the wrapper itself, whose code is 0.
/// The SQL is the text of the statement with its placeholders, never the bound values.
package struct DatabaseError: Error, Equatable, CustomStringConvertible {
  /// What a caller can act upon.
  package let kind: Kind
  /// https://sqlite.org/rescode.html#extrc
  package let extendedCode: Int32
  package let message: String
  /// Nil for operations that run no SQL of the caller.
  package let sql: String?

  /// The primary result code, https://sqlite.org/rescode.html#pri
  package var code: Int32 { extendedCode & 0xFF }

  package var description: String {
    let codes = extendedCode == 0 ? "" : " (\(code), extended \(extendedCode))"
    return message + codes + (sql.map { " in: \($0)" } ?? "")
  }

  /// For those who run the program: without the statement, which is ours.
  package var summary: String { extendedCode == 0 ? message : "\(message) (SQLite's code \(extendedCode))" }

  /// A refusal of the wrapper.
  init(_ kind: Kind, _ message: String, sql: String? = nil) {
    self.kind = kind
    extendedCode = 0
    self.message = message
    self.sql = sql
  }

  /// A result code of SQLite, as if a call had answered it.
  package init(extendedCode: Int32) { unsafe self.init(extendedCode: extendedCode, database: nil, sql: nil) }

  /// What the last call on this connection answered. The message stays valid only until the next call.
  init(extendedCode: Int32, database: OpaquePointer?, sql: String?) {
    kind = Kind(extendedCode: extendedCode)
    self.extendedCode = extendedCode
    message = unsafe String(cString: database == nil ? sqlite3_errstr(extendedCode) : sqlite3_errmsg(database))
    self.sql = sql
  }
}
