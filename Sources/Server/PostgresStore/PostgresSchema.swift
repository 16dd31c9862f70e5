/// The tables of a store in PostgreSQL, in a schema of their own. Times are milliseconds since 1970, as in the records.
///
/// Texts come from untrusted clients, and PostgreSQL's `text` cannot hold U+0000: they are written and read as `PostgresText`.
/// They are compared byte by byte (`COLLATE "C"`), as in SQLite.
package enum PostgresSchema {
  /// The last is the current version. A released step is never changed.
  static let migrations = [first, documents, times, refusalCounts]

  package static let version = migrations.count

  /// - The order of arrival is `(arrived_in, n)`: the number of the transaction, and of the record within it. Transactions of
  ///   several nodes do not commit in the order of their numbers, therefore a reader that must see every record reads only rows
  ///   with `arrived_in < arrival_horizon()`: all transactions below it have ended
  ///   (https://www.postgresql.org/docs/15/functions-info.html#FUNCTIONS-INFO-SNAPSHOT). A database that was restored elsewhere
  ///   restarts its transaction numbers; `arrival_base` then moves, so that new records come after the existing ones.
  /// - `points` has a partition for each day of recorded time, made by `make_day`; records without such a day are in
  ///   `points_odd`. The key begins with the device, so that it also serves its history: within a day its records are adjacent.
  /// - `parameters` holds the parameters of requests, once per day (`recorded_at / 86400000`) and text; `digest` is a hash of it.
  /// - `partitions` has the days that have a partition; 0 is that of odd times, from its first record. `day_changes` counts its
  ///   changes.
  /// - Numbers of devices are never reused: rows of a deleted one may not be swept yet.
  private static let first = """
    CREATE TABLE installation(
      is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only), version integer NOT NULL, cluster bigint NOT NULL,
      arrival_base bigint NOT NULL, day_changes bigint NOT NULL DEFAULT 0);
    CREATE TABLE secrets(name text PRIMARY KEY, bytes bytea NOT NULL);

    CREATE SEQUENCE device_ids;
    CREATE TABLE devices(
      id bigint PRIMARY KEY, run text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL, first_seen bigint NOT NULL,
      last_seen bigint NOT NULL, points bigint NOT NULL DEFAULT 0, duplicates bigint NOT NULL DEFAULT 0,
      quarantined bigint NOT NULL DEFAULT 0, broadcast_mark bigint NOT NULL DEFAULT 0, latest_at bigint, latest_uuid uuid,
      latitude float8, longitude float8, accuracy float8, speed float8, heading float8, is_moving boolean,
      event text COLLATE "C", UNIQUE(run, name)) WITH (fillfactor = 70);
    CREATE TABLE device_tags(device bigint NOT NULL, tag text COLLATE "C" NOT NULL, PRIMARY KEY(device, tag));
    CREATE TABLE forgotten(device bigint PRIMARY KEY);

    CREATE TABLE partitions(day bigint PRIMARY KEY);
    CREATE TABLE points(
      recorded_at bigint NOT NULL, device bigint NOT NULL, received_at bigint NOT NULL, arrived_in bigint NOT NULL,
      latitude float8, longitude float8, accuracy float8, speed float8, heading float8, uuid uuid NOT NULL,
      parameters uuid, n integer NOT NULL, is_moving boolean, event text COLLATE "C", record bytea NOT NULL,
      PRIMARY KEY(device, recorded_at, uuid)) PARTITION BY RANGE (recorded_at);
    CREATE INDEX points_arrived ON points(arrived_in);
    CREATE TABLE points_odd PARTITION OF points DEFAULT;
    CREATE TABLE parameters(
      day bigint NOT NULL, digest uuid NOT NULL, json bytea NOT NULL, PRIMARY KEY(day, digest)) PARTITION BY RANGE (day);
    CREATE TABLE parameters_odd PARTITION OF parameters DEFAULT;

    CREATE TABLE quarantine(
      id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, device bigint NOT NULL, identity uuid NOT NULL,
      received bigint NOT NULL, reason text COLLATE "C" NOT NULL, detail text COLLATE "C" NOT NULL, record bytea NOT NULL,
      UNIQUE(device, identity));

    CREATE SEQUENCE order_ids;
    CREATE TABLE orders(
      id bigint PRIMARY KEY, run text COLLATE "C" NOT NULL, kind bigint NOT NULL, target text COLLATE "C" NOT NULL,
      key text COLLATE "C", created bigint NOT NULL, expires bigint NOT NULL, is_open boolean NOT NULL,
      command bytea NOT NULL, proof_kind bigint, proof_value float8);
    CREATE INDEX orders_open ON orders(run, kind, target, id) WHERE is_open;
    CREATE INDEX orders_by_target ON orders(run, kind, target);
    CREATE TABLE deliveries(
      command bigint NOT NULL, device bigint NOT NULL, state bigint NOT NULL, sent bigint NOT NULL, confirmed bigint,
      attempts bigint NOT NULL, proven bigint, PRIMARY KEY(command, device));
    CREATE INDEX deliveries_by_device ON deliveries(device, command);
    CREATE INDEX deliveries_due ON deliveries(device, command) WHERE state = 0;
    CREATE TABLE proofs(
      device bigint NOT NULL, kind bigint NOT NULL, command bigint NOT NULL, value float8 NOT NULL, sent bigint NOT NULL,
      PRIMARY KEY(device, kind));

    CREATE SEQUENCE family_ids;
    CREATE TABLE token_families(
      id bigint PRIMARY KEY, run text COLLATE "C" NOT NULL, device text COLLATE "C" NOT NULL, created bigint NOT NULL,
      expires bigint NOT NULL, access_from bigint NOT NULL DEFAULT 0, is_revoked bigint NOT NULL DEFAULT 0,
      current uuid NOT NULL, previous uuid, rotated bigint, answer bytea);
    CREATE INDEX token_families_by_device ON token_families(run, device);
    CREATE INDEX token_families_by_expiry ON token_families(expires);
    CREATE TABLE refresh_tokens(hash uuid PRIMARY KEY, family bigint NOT NULL, used bigint);
    CREATE INDEX refresh_tokens_by_family ON refresh_tokens(family);

    CREATE TABLE logs(
      id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, device bigint NOT NULL, received bigint NOT NULL,
      name text COLLATE "C" NOT NULL, bytes bytea NOT NULL);
    CREATE INDEX logs_by_device ON logs(device, id);

    CREATE TABLE sinks(
      id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, name text COLLATE "C" NOT NULL UNIQUE,
      arrived_in bigint NOT NULL, n bigint NOT NULL);
    CREATE TABLE sink_refusals(
      id bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY, sink bigint NOT NULL, at bigint NOT NULL,
      run text COLLATE "C" NOT NULL, device text COLLATE "C" NOT NULL, recorded_at bigint NOT NULL, uuid uuid NOT NULL,
      reason text COLLATE "C" NOT NULL);
    CREATE INDEX sink_refusals_by_sink ON sink_refusals(sink, id);

    CREATE FUNCTION used_bytes() RETURNS bigint LANGUAGE sql STABLE AS $$
      SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class
      WHERE relnamespace = quote_ident(current_schema())::regnamespace AND relkind = 'r' $$;
    CREATE TABLE probe(bytes bytea NOT NULL);
    ALTER TABLE probe ALTER bytes SET STORAGE EXTERNAL;
    \(arrivals)
    \(days)
    \(view)
    """

  /// The number of records that a sink has refused, in all and since it last accepted one.
  private static let refusalCounts = """
    ALTER TABLE sinks ADD COLUMN IF NOT EXISTS refused bigint NOT NULL DEFAULT 0,
      ADD COLUMN IF NOT EXISTS refused_in_row bigint NOT NULL DEFAULT 0;
    UPDATE sinks SET refused = (SELECT count(*) FROM sink_refusals WHERE sink = sinks.id);
    """

  private static let arrivals = """
    CREATE FUNCTION arrival_now() RETURNS bigint LANGUAGE sql STABLE AS $$
      SELECT arrival_base + pg_current_xact_id()::text::bigint FROM installation $$;
    CREATE FUNCTION arrival_horizon() RETURNS bigint LANGUAGE sql STABLE AS $$
      SELECT arrival_base + pg_snapshot_xmin(pg_current_snapshot())::text::bigint FROM installation $$;
    """

  /// Several nodes may call `make_day` at once; records that arrived before the day had a partition move to it. `drop_day`
  /// deletes a day with all its records. Only one of these calls runs at a time; they lock `installation` first, as a reset
  /// does.
  private static let days = """
    CREATE FUNCTION day_suffix(day bigint) RETURNS text LANGUAGE sql STABLE AS $$
      SELECT to_char(date '1970-01-01' + day::integer, 'YYYYMMDD') $$;
    CREATE FUNCTION make_day(wanted bigint) RETURNS void LANGUAGE plpgsql AS $$
    DECLARE
      suffix text := day_suffix(wanted);
      first bigint := wanted * 86400000;
    BEGIN
      PERFORM FROM installation FOR UPDATE;
      IF EXISTS (SELECT FROM partitions WHERE day = wanted) THEN RETURN; END IF;
      INSERT INTO partitions VALUES (wanted);
      UPDATE installation SET day_changes = day_changes + 1;
      IF wanted = 0 THEN RETURN; END IF;
      LOCK TABLE points_odd, parameters_odd IN ACCESS EXCLUSIVE MODE;
      EXECUTE format('CREATE TABLE points_%s (LIKE points INCLUDING ALL)', suffix);
      EXECUTE format('CREATE TABLE parameters_%s (LIKE parameters INCLUDING ALL)', suffix);
      EXECUTE format('WITH moved AS (DELETE FROM points_odd WHERE recorded_at >= $1 AND recorded_at < $1 + 86400000 '
        'RETURNING *) INSERT INTO points_%s SELECT * FROM moved', suffix) USING first;
      EXECUTE format('WITH moved AS (DELETE FROM parameters_odd WHERE day = $1 RETURNING *) '
        'INSERT INTO parameters_%s SELECT * FROM moved', suffix) USING wanted;
      EXECUTE format('ALTER TABLE points ATTACH PARTITION points_%s FOR VALUES FROM (%s) TO (%s)',
        suffix, first, first + 86400000);
      EXECUTE format('ALTER TABLE parameters ATTACH PARTITION parameters_%s FOR VALUES FROM (%s) TO (%s)',
        suffix, wanted, wanted + 1);
    END $$;
    CREATE FUNCTION drop_day(wanted bigint) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM FROM installation FOR UPDATE;
      DELETE FROM partitions WHERE day = wanted;
      IF NOT FOUND THEN RETURN; END IF;
      UPDATE installation SET day_changes = day_changes + 1;
      IF wanted = 0 THEN
        TRUNCATE points_odd, parameters_odd;
      ELSE
        EXECUTE format('DROP TABLE points_%1$s, parameters_%1$s', day_suffix(wanted));
      END IF;
    END $$;
    """

  /// For people: each record with its numbers and times; values that its JSON lacks, or has in another type, are null.
  private static let view = """
    CREATE FUNCTION record_json(record bytea) RETURNS json LANGUAGE plpgsql IMMUTABLE AS $$
    BEGIN
      RETURN replace(convert_from(record, 'UTF8'), '\\u0000', '')::json;
    EXCEPTION WHEN data_exception THEN
      RETURN NULL;
    END $$;
    CREATE FUNCTION json_float(value json) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
      SELECT CASE WHEN json_typeof(value) = 'number' THEN (value #>> '{}')::float8 END $$;
    CREATE VIEW locations AS
      SELECT devices.run, devices.name AS device, point.uuid,
        CASE WHEN point.recorded_at BETWEEN 1 AND 253402300799999
          THEN to_timestamp(point.recorded_at / 1000.0) END AS recorded_at,
        to_timestamp(point.received_at / 1000.0) AS received_at, point.latitude, point.longitude, point.accuracy,
        point.speed, point.heading, json_float(json -> 'coords' -> 'altitude') AS altitude,
        json_float(json -> 'odometer') AS odometer, json_float(json -> 'battery' -> 'level') AS battery,
        point.is_moving, point.event, json -> 'activity' ->> 'type' AS activity, json
      FROM points AS point JOIN devices ON devices.id = point.device
      CROSS JOIN LATERAL (SELECT record_json(point.record) AS json) AS parsed;
    """

  /// The view with the recorded times of all years from 1 to 9999, to the millisecond. `to_timestamp` takes a double, whose
  /// microseconds are inexact in the year 9999; hours and milliseconds are added without loss, and hours do not depend on the
  /// time zone of the session. A record without a time has 0.
  static let times = """
    DO $step$
    DECLARE
      definition text := $view$
        SELECT devices.run, devices.name AS device, point.uuid,
          CASE WHEN point.recorded_at <> 0 AND point.recorded_at BETWEEN -62135596800000 AND 253402300799999
            THEN timestamptz '1970-01-01 00:00:00+00' + point.recorded_at / 3600000 * interval '1 hour'
              + point.recorded_at % 3600000 * interval '1 millisecond' END AS recorded_at,
          to_timestamp(point.received_at / 1000.0) AS received_at, point.latitude, point.longitude, point.accuracy,
          point.speed, point.heading, json_float(json -> 'coords' -> 'altitude') AS altitude,
          json_float(json -> 'odometer') AS odometer, json_float(json -> 'battery' -> 'level') AS battery,
          point.is_moving, point.event, json -> 'activity' ->> 'type' AS activity, json
        FROM points AS point JOIN devices ON devices.id = point.device
        CROSS JOIN LATERAL (SELECT record_json(point.record) AS json) AS parsed $view$;
      place text;
    BEGIN
      SELECT udt_schema INTO place FROM information_schema.columns
        WHERE table_schema = current_schema() AND table_name = 'locations' AND column_name = 'geography';
      -- A view that is replaced keeps its columns.
      IF place IS NOT NULL THEN definition := \(withGeography("definition")); END IF;
      EXECUTE 'CREATE OR REPLACE VIEW locations AS ' || definition;
    END $step$
    """

  /// An expression for the query of the view with `geography`, made of the one in `query`; `place` is the schema of PostGIS.
  private static func withGeography(_ query: String) -> String {
    """
    format('SELECT base.*, CASE WHEN latitude BETWEEN -90 AND 90 AND '
      'longitude BETWEEN -180 AND 180 THEN %1$I.st_setsrid(%1$I.st_makepoint(longitude, latitude), 4326)::%1$I.geography '
      'END AS geography FROM (%2$s) AS base', place, \(query))
    """
  }

  /// Adds `geography` to the view when PostGIS is installed in the database, even if that happened later.
  static let geography = """
    DO $$
    DECLARE
      place text;
    BEGIN
      SELECT nspname INTO place FROM pg_extension JOIN pg_namespace AS space ON space.oid = extnamespace
        WHERE extname = 'postgis';
      IF place IS NULL OR EXISTS (SELECT FROM information_schema.columns
        WHERE table_schema = current_schema() AND table_name = 'locations' AND column_name = 'geography') THEN RETURN;
      END IF;
      EXECUTE 'CREATE OR REPLACE VIEW locations AS ' ||
        \(withGeography("rtrim(pg_get_viewdef('locations'::regclass), ';')"));
    END $$
    """
}
