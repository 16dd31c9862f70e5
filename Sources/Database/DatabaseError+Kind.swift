internal import CSQLite

extension DatabaseError {
  /// What a caller can do about an error is the same for all codes of one kind.
  package enum Kind: Equatable, Sendable {
    /// Another connection holds the lock, and went on holding it for the whole busy time-out.
    case busy
    /// The disk, the quota or `max_page_count` is exhausted. SQLite rolls the transaction back.
    case full
    /// The operating system refused a read, write, sync or lock; the extended code says which.
    case inputOutput
    /// The file is damaged.
    case corrupt
    /// The file never was a database, or is an encrypted one.
    case notADatabase
    case constraint(Constraint)
    case readOnly
    case cantOpen
    case interrupted
    /// The wrapper called SQLite out of order, or two threads used one connection.
    case misuse
    /// Newer code wrote this file.
    case newerVersion(found: Int, known: Int)
    /// A database, but of another application.
    case foreignFile(applicationID: Int)
    /// SQLite answered a setting with another value than the wanted one.
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

  /// Which promise of the schema a statement would have broken.
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
