/// A setting made by PRAGMA. SQLite reports no error for a value that it cannot set, so each value is read back.
package enum Setting {
  case journalMode(JournalMode)
  case synchronous(Synchronous)
  /// Takes effect only in a database without tables.
  case pageSize(bytes: Int)
  case cacheSize(kilobytes: Int)
  /// The number of pages in the log after which a commit also runs a checkpoint; 0 for never.
  case automaticCheckpoint(pages: Int)
  case maximumPageCount(Int)
  /// Whether deleted content is overwritten with zeros, which is the default of Debian's SQLite.
  case secureDelete(Bool)

  /// `wal` needs a file; a database in memory supports only `memory` and `off`.
  package enum JournalMode: String {
    case wal, delete, memory, off
  }

  /// How often SQLite waits for the disk (https://sqlite.org/pragma.html#pragma_synchronous).
  package enum Synchronous: Int {
    case off, normal, full
  }

  /// The name of the pragma and the value to write and read back.
  var pragma: (name: String, value: String) {
    switch self {
    case .journalMode(let mode): ("journal_mode", mode.rawValue)
    case .synchronous(let level): ("synchronous", "\(level.rawValue)")
    case .pageSize(let bytes): ("page_size", "\(bytes)")
    case .cacheSize(let kilobytes): ("cache_size", "\(-kilobytes)")
    case .automaticCheckpoint(let pages): ("wal_autocheckpoint", "\(pages)")
    case .maximumPageCount(let pages): ("max_page_count", "\(pages)")
    case .secureDelete(let isOn): ("secure_delete", isOn ? "1" : "0")
    }
  }
}

extension Connection {
  /// Throws `.settingRefused` when SQLite keeps another value.
  package func apply(_ setting: Setting) throws(DatabaseError) {
    let (name, value) = setting.pragma
    let sql = "PRAGMA \(name) = \(value)"
    try execute(sql)
    var query = try prepare("PRAGMA \(name)")
    var rows = query.start()
    let actual = try rows.step() ? rows.text(at: 0) : ""
    guard actual == value else { throw DatabaseError(.settingRefused, "\(name) stays \(actual)", sql: sql) }
  }
}
