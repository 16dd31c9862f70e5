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
      Migration(
        3,
        """
        CREATE TABLE sent(
          uuid BLOB NOT NULL, run TEXT NOT NULL, device TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
          attempts INTEGER NOT NULL, acknowledged INTEGER, acknowledgements INTEGER NOT NULL, deliveries INTEGER NOT NULL,
          status INTEGER NOT NULL, fault TEXT NOT NULL, PRIMARY KEY(uuid, run)) STRICT, WITHOUT ROWID;
        """),
      // `first` is 0 when no entry of the run was written.
      Migration(
        4,
        """
        CREATE TABLE runs(
          run TEXT PRIMARY KEY, first INTEGER NOT NULL, dropped INTEGER NOT NULL, dropped_last INTEGER NOT NULL)
          STRICT, WITHOUT ROWID;
        """),
      // One row. `interrupted_next` is 0 when every process has closed the journal.
      Migration(
        5,
        """
        CREATE TABLE opening(
          is_open INTEGER NOT NULL, interrupted_next INTEGER NOT NULL, interrupted_at INTEGER NOT NULL) STRICT;
        INSERT INTO opening VALUES(0, 0, 0);
        """),
      // The latest arrival time among the entries deleted to make room. For those deleted before this migration it is unknown,
      // but not after now.
      Migration(
        6,
        """
        ALTER TABLE numbering ADD COLUMN forgotten_last INTEGER NOT NULL DEFAULT 0;
        UPDATE numbering SET forgotten_last = CAST(strftime('%s', 'now') AS INTEGER) * 1000
          WHERE (SELECT coalesce(min(first), 1) FROM blocks) > 1;
        """),
      // A uuid may be that of records of several devices.
      Migration(
        7,
        """
        ALTER TABLE sent RENAME TO sent_before;
        CREATE TABLE sent(
          uuid BLOB NOT NULL, run TEXT NOT NULL, device TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
          attempts INTEGER NOT NULL, acknowledged INTEGER, acknowledgements INTEGER NOT NULL, deliveries INTEGER NOT NULL,
          status INTEGER NOT NULL, fault TEXT NOT NULL, PRIMARY KEY(uuid, run, device)) STRICT, WITHOUT ROWID;
        INSERT INTO sent SELECT * FROM sent_before;
        DROP TABLE sent_before;
        """),
    ])

  /// A row of the table holds many entries: a row for each took a processor of its own. `first` is the number of the first
  /// entry that was ever in the block, `runs` a set of hashes, so that most blocks without a run need not be read. The entries
  /// of an older journal are discarded, but not its numbering.
  private static let blocks = """
    CREATE TABLE blocks(
      first INTEGER PRIMARY KEY, count INTEGER NOT NULL, runs INTEGER NOT NULL, size INTEGER NOT NULL,
      entries BLOB NOT NULL) STRICT;
    CREATE TABLE numbering(next INTEGER NOT NULL) STRICT;
    INSERT INTO numbering SELECT coalesce(max(seq), 0) + 1 FROM sqlite_sequence WHERE name = 'requests';
    DROP TABLE requests;
    """
}
