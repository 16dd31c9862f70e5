import Database

/// The tables of `journal.db`.
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
        """),
      Migration(2, blocks),
    ])

  /// Many entries in a row of the table: a row for each cost a processor for itself. `first` is the number of the first
  /// entry that was ever in the block, `runs` a set of hashes, so that most blocks without a run need not be read.
  /// What an older journal holds is given up, but not its numbers.
  private static let blocks = """
    CREATE TABLE blocks(
      first INTEGER PRIMARY KEY, count INTEGER NOT NULL, runs INTEGER NOT NULL, size INTEGER NOT NULL,
      entries BLOB NOT NULL) STRICT;
    CREATE TABLE numbering(next INTEGER NOT NULL) STRICT;
    INSERT INTO numbering SELECT coalesce(max(seq), 0) + 1 FROM sqlite_sequence WHERE name = 'requests';
    DROP TABLE requests;
    """
}
