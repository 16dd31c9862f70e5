import Database

/// The table of `journal.db`.
enum JournalSchema {
  /// "RRjr".
  static let schema = Schema(
    applicationID: 0x5252_6A72,
    migrations: [
      Migration(
        1,
        """
        CREATE TABLE requests(
          sequence INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL, device TEXT, received INTEGER NOT NULL,
          duration INTEGER NOT NULL, method TEXT NOT NULL, path TEXT NOT NULL, status INTEGER NOT NULL,
          head BLOB NOT NULL, body BLOB NOT NULL, answer BLOB NOT NULL, fault TEXT, size INTEGER NOT NULL) STRICT;
        CREATE INDEX requests_by_run ON requests(run);
        """)
    ])
}
