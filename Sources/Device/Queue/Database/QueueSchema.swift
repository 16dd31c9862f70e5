import Database

/// The tables of a queue's file.
enum QueueSchema {
  /// "RRqu".
  static let applicationID: Int32 = 0x5252_7175

  static let schema = Schema(applicationID: applicationID, migrations: [Migration(1, first)])

  /// `records` is one tree in the order of `RowKey`: the rows of a device lie side by side, and one index serves every
  /// question. There is none over uuids, whose random order would touch a page of its own for each insert.
  /// `reservation` says from which row on no device has used one yet.
  private static let first = """
    CREATE TABLE records(
      key INTEGER PRIMARY KEY, uuid BLOB NOT NULL, recorded_at INTEGER NOT NULL, data BLOB NOT NULL) STRICT;
    CREATE TABLE reservation(only INTEGER PRIMARY KEY CHECK(only = 1), next_row INTEGER NOT NULL) STRICT;
    INSERT INTO reservation VALUES(1, 1);
    CREATE TABLE geofences(
      device INTEGER NOT NULL, identifier TEXT NOT NULL, definition BLOB NOT NULL, is_inside INTEGER NOT NULL,
      updated_at REAL NOT NULL, hits INTEGER NOT NULL, PRIMARY KEY(device, identifier)) STRICT, WITHOUT ROWID;
    CREATE TABLE state(
      device INTEGER NOT NULL, name TEXT NOT NULL, value BLOB NOT NULL,
      PRIMARY KEY(device, name)) STRICT, WITHOUT ROWID;
    """
}
