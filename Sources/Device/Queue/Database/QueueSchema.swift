import Database

/// The tables of a queue's file.
enum QueueSchema {
  /// "RRqu".
  static let applicationID: Int32 = 0x5252_7175

  static let schema = Schema(applicationID: applicationID, migrations: [Migration(1, first), Migration(2, second)])

  /// `records` holds the rows of all devices in the order of their arrival: what is inserted together lies together, and
  /// so does what grows old together. Which rows are whose is known in memory, so there is no index whose pages would have
  /// to be written with each group. `reservation` says from which row on none was used yet.
  private static let first = """
    CREATE TABLE records(
      row INTEGER PRIMARY KEY, device INTEGER NOT NULL, uuid BLOB NOT NULL, recorded_at INTEGER NOT NULL,
      data BLOB NOT NULL) STRICT;
    CREATE TABLE reservation(only INTEGER PRIMARY KEY CHECK(only = 1), next_row INTEGER NOT NULL) STRICT;
    INSERT INTO reservation VALUES(1, 1);
    CREATE TABLE geofences(
      device INTEGER NOT NULL, identifier TEXT NOT NULL, definition BLOB NOT NULL, is_inside INTEGER NOT NULL,
      updated_at REAL NOT NULL, hits INTEGER NOT NULL, PRIMARY KEY(device, identifier)) STRICT, WITHOUT ROWID;
    CREATE TABLE state(
      device INTEGER NOT NULL, name TEXT NOT NULL, value BLOB NOT NULL,
      PRIMARY KEY(device, name)) STRICT, WITHOUT ROWID;
    """

  /// A dwell that was under way when the process ended goes on in the next one.
  private static let second = "ALTER TABLE geofences ADD COLUMN dwells_at INTEGER NOT NULL DEFAULT 0;"
}
