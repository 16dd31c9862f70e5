internal import CSQLite

/// An error of this module: SQLite's own codes, and the few refusals of the wrapper itself, whose code is 0. The SQL is the
/// text of the statement with its placeholders, never the bound values.
package struct DatabaseError: Error, Equatable, CustomStringConvertible {
  /// The kind of error, for callers that react to it.
  package let kind: Kind
  /// https://sqlite.org/rescode.html#extrc
  package let extendedCode: Int32
  package let message: String
  /// The statement; nil for operations that run no SQL of the caller.
  package let sql: String?

  /// The primary result code, https://sqlite.org/rescode.html#pri
  package var code: Int32 { extendedCode & 0xFF }

  package var description: String {
    let codes = extendedCode == 0 ? "" : " (\(code), extended \(extendedCode))"
    return message + codes + (sql.map { " in: \($0)" } ?? "")
  }

  /// The message for operators: without the statement, which is the program's own.
  package var summary: String { extendedCode == 0 ? message : "\(message) (SQLite's code \(extendedCode))" }

  /// Creates a refusal of the wrapper, or of the owner of a file.
  package init(_ kind: Kind, _ message: String, sql: String? = nil) {
    self.kind = kind
    extendedCode = 0
    self.message = message
    self.sql = sql
  }

  /// Creates an error from a result code of SQLite.
  package init(extendedCode: Int32) { unsafe self.init(extendedCode: extendedCode, database: nil, sql: nil) }

  /// Creates an error from the last call on this connection. SQLite keeps the message only until the next call.
  init(extendedCode: Int32, database: OpaquePointer?, sql: String?) {
    kind = Kind(extendedCode: extendedCode)
    self.extendedCode = extendedCode
    message = unsafe String(cString: database == nil ? sqlite3_errstr(extendedCode) : sqlite3_errmsg(database))
    self.sql = sql
  }
}

extension DatabaseError {
  /// Kinds of errors with the same remedy.
  package enum Kind: Equatable, Sendable {
    /// Another connection has held the lock for the whole busy timeout.
    case busy
    /// The disk, the quota or `max_page_count` is exhausted. SQLite rolls the transaction back.
    case full
    /// The operating system refused a read, write, sync or lock; the extended code tells which.
    case inputOutput
    /// The file is damaged.
    case corrupt
    /// The file was never a database, or is an encrypted one.
    case notADatabase
    case constraint(Constraint)
    case readOnly
    case cantOpen
    case interrupted
    /// The wrapper called SQLite out of order, or two threads used one connection.
    case misuse
    /// A newer version of the program wrote this file.
    case newerVersion(found: Int, known: Int)
    /// The file is a database of another application.
    case foreignFile(applicationID: Int)
    /// SQLite did not accept the value of a setting.
    case settingRefused
    case other

    /// https://sqlite.org/rescode.html
    init(extendedCode: Int32) {
      switch extendedCode & 0xFF {
      case SQLITE_BUSY: self = .busy
      case SQLITE_FULL: self = .full
      case SQLITE_IOERR: self = .inputOutput
      case SQLITE_CORRUPT: self = .corrupt
      case SQLITE_NOTADB: self = .notADatabase
      case SQLITE_CONSTRAINT: self = .constraint(Constraint(extendedCode: extendedCode))
      case SQLITE_READONLY: self = .readOnly
      case SQLITE_CANTOPEN: self = .cantOpen
      case SQLITE_INTERRUPT: self = .interrupted
      case SQLITE_MISUSE: self = .misuse
      default: self = .other
      }
    }
  }

  /// The constraint of the schema that a statement would have violated.
  package enum Constraint: Equatable, Sendable {
    case unique, primaryKey, rowID, notNull, check, foreignKey, datatype, trigger, other

    /// https://sqlite.org/rescode.html#constraint_check and its neighbours
    init(extendedCode: Int32) {
      switch extendedCode {
      case rr_sqlite3_constraint_unique: self = .unique
      case rr_sqlite3_constraint_primarykey: self = .primaryKey
      case rr_sqlite3_constraint_rowid: self = .rowID
      case rr_sqlite3_constraint_notnull: self = .notNull
      case rr_sqlite3_constraint_check: self = .check
      case rr_sqlite3_constraint_foreignkey: self = .foreignKey
      case rr_sqlite3_constraint_datatype: self = .datatype
      case rr_sqlite3_constraint_trigger: self = .trigger
      default: self = .other
      }
    }
  }
}
