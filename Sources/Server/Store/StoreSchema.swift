import Database

/// The tables of `store.db`. The tables of a partition are created when its first record arrives.
enum StoreSchema {
  /// "RRst".
  static let applicationID: Int32 = 0x5252_7374

  static let schema = Schema(
    applicationID: applicationID,
    migrations: [
      Migration(1, first), Migration(2, second), Migration(3, third), Migration(4, fourth), Migration(5, fifth),
    ])

  /// Identifiers of devices and partitions are never reused: rows of a deleted device may still be in a partition.
  private static let first = """
    CREATE TABLE devices(
      id INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL, name TEXT NOT NULL, first_seen INTEGER NOT NULL,
      last_seen INTEGER NOT NULL, points INTEGER NOT NULL, duplicates INTEGER NOT NULL, quarantined INTEGER NOT NULL,
      broadcast_mark INTEGER NOT NULL, latest_at INTEGER, latest_uuid BLOB, latitude REAL, longitude REAL,
      accuracy REAL, speed REAL, heading REAL, is_moving INTEGER, event TEXT, UNIQUE(run, name)) STRICT;
    CREATE TABLE device_tags(
      device INTEGER NOT NULL, tag TEXT NOT NULL, PRIMARY KEY(device, tag)) STRICT, WITHOUT ROWID;
    CREATE TABLE partitions(
      id INTEGER PRIMARY KEY AUTOINCREMENT, day INTEGER NOT NULL, is_dropping INTEGER NOT NULL DEFAULT 0,
      runs INTEGER NOT NULL DEFAULT 0, indexed INTEGER NOT NULL DEFAULT 0, sweep_from INTEGER NOT NULL DEFAULT 0,
      sweep_to INTEGER NOT NULL DEFAULT -1) STRICT;
    CREATE UNIQUE INDEX partitions_by_day ON partitions(day) WHERE is_dropping = 0;
    CREATE TABLE quarantine(
      id INTEGER PRIMARY KEY, device INTEGER NOT NULL, identity BLOB NOT NULL, received INTEGER NOT NULL,
      reason TEXT NOT NULL, detail TEXT NOT NULL, record BLOB NOT NULL, UNIQUE(device, identity)) STRICT;
    CREATE TABLE orders(
      id INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL, kind INTEGER NOT NULL, target TEXT NOT NULL, key TEXT,
      created INTEGER NOT NULL, expires INTEGER NOT NULL, is_open INTEGER NOT NULL, command BLOB NOT NULL) STRICT;
    CREATE INDEX orders_open ON orders(id) WHERE is_open = 1;
    CREATE TABLE deliveries(
      command INTEGER NOT NULL, device INTEGER NOT NULL, state INTEGER NOT NULL, sent INTEGER NOT NULL,
      confirmed INTEGER, attempts INTEGER NOT NULL, PRIMARY KEY(command, device)) STRICT, WITHOUT ROWID;
    CREATE INDEX deliveries_by_device ON deliveries(device, command);
    CREATE INDEX deliveries_due ON deliveries(command) WHERE state = 0;
    CREATE TABLE token_families(
      id INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL, device TEXT NOT NULL, created INTEGER NOT NULL,
      expires INTEGER NOT NULL, access_from INTEGER NOT NULL, is_revoked INTEGER NOT NULL, current BLOB NOT NULL,
      previous BLOB, rotated INTEGER, answer BLOB) STRICT;
    CREATE INDEX token_families_by_device ON token_families(run, device);
    CREATE TABLE refresh_tokens(
      hash BLOB PRIMARY KEY, family INTEGER NOT NULL, used INTEGER) STRICT, WITHOUT ROWID;
    CREATE INDEX refresh_tokens_by_family ON refresh_tokens(family);
    CREATE TABLE logs(
      id INTEGER PRIMARY KEY, device INTEGER NOT NULL, received INTEGER NOT NULL, name TEXT NOT NULL,
      bytes BLOB NOT NULL) STRICT;
    CREATE INDEX logs_by_device ON logs(device, id);
    """

  /// Deleted devices that still have rows in the small tables; a probe of the disk writes here.
  private static let second = """
    CREATE TABLE forgotten(device INTEGER PRIMARY KEY) STRICT;
    CREATE TABLE probe(bytes BLOB NOT NULL) STRICT;
    CREATE INDEX orders_by_target ON orders(run, kind, target);
    """

  /// The expected effects of sent commands in records, at most one of a kind per device.
  private static let third = """
    ALTER TABLE orders ADD COLUMN proof_kind INTEGER;
    ALTER TABLE orders ADD COLUMN proof_value REAL;
    ALTER TABLE deliveries ADD COLUMN proven INTEGER;
    CREATE TABLE proofs(
      device INTEGER NOT NULL, kind INTEGER NOT NULL, command INTEGER NOT NULL, value REAL NOT NULL,
      sent INTEGER NOT NULL, PRIMARY KEY(device, kind)) STRICT, WITHOUT ROWID;
    """

  /// The positions of sinks, and the records they refused.
  private static let fourth = """
    CREATE TABLE sinks(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE) STRICT;
    CREATE TABLE sink_positions(
      part INTEGER NOT NULL, sink INTEGER NOT NULL, row INTEGER NOT NULL,
      PRIMARY KEY(part, sink)) STRICT, WITHOUT ROWID;
    CREATE INDEX sink_positions_by_sink ON sink_positions(sink);
    CREATE TABLE sink_refusals(
      id INTEGER PRIMARY KEY, sink INTEGER NOT NULL, at INTEGER NOT NULL, run TEXT NOT NULL, device TEXT NOT NULL,
      recorded_at INTEGER NOT NULL, uuid BLOB NOT NULL, reason TEXT NOT NULL) STRICT;
    CREATE INDEX sink_refusals_by_sink ON sink_refusals(sink, id);
    """

  /// The number of records that a sink has refused, in all and since it last accepted one.
  private static let fifth = """
    ALTER TABLE sinks ADD COLUMN refused INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE sinks ADD COLUMN refused_in_row INTEGER NOT NULL DEFAULT 0;
    UPDATE sinks SET refused = (SELECT count(*) FROM sink_refusals WHERE sink = sinks.id);
    """
}

extension StoreSchema {
  /// One partition: the records of a day in order of arrival, unique by the key that begins with time; the parameters of their
  /// requests; and the runs, each a range of consecutive rows sorted by device.
  static func partition(_ id: Int64) -> String {
    """
    CREATE TABLE points_\(id)(
      id INTEGER PRIMARY KEY, recorded_at INTEGER NOT NULL, device INTEGER NOT NULL, uuid BLOB NOT NULL,
      latitude REAL, longitude REAL, accuracy REAL, speed REAL, heading REAL, is_moving INTEGER, event TEXT,
      received_at INTEGER NOT NULL, parameters INTEGER, record BLOB NOT NULL) STRICT;
    CREATE UNIQUE INDEX points_\(id)_key ON points_\(id)(recorded_at, device, uuid);
    CREATE TABLE parameters_\(id)(id INTEGER PRIMARY KEY, json BLOB NOT NULL UNIQUE) STRICT;
    CREATE TABLE runs_\(id)(
      run INTEGER, device INTEGER, recorded_at INTEGER, point INTEGER,
      PRIMARY KEY(run, device, recorded_at, point)) STRICT, WITHOUT ROWID;
    """
  }
}
