import Database

/// The table of a log's file.
enum LogSchema {
  /// "RRlg".
  static let applicationID: Int32 = 0x5252_6C67

  static let schema = Schema(applicationID: applicationID, migrations: [Migration(1, first)])

  /// Entries lie in the order of their arrival, in which their times grow unless somebody sets the clock.
  private static let first = """
    CREATE TABLE log(
      id INTEGER PRIMARY KEY, written_at INTEGER NOT NULL, level INTEGER NOT NULL, text BLOB NOT NULL) STRICT;
    """
}
