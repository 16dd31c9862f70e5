import Base
package import Database
package import Store

/// Prepares connections to a store: selects the schema, applies settings that no change of the server's configuration
/// overrides, and checks that the tables are of this version.
package enum PostgresInstallation {
  /// The schema of the tables, unless the search path of the connection begins with another one: of a database, of a role, or
  /// of the place itself (`?options=-csearch_path%3Dname`). So one database can hold several stores.
  private static let usualSchema = "rollingroad"

  /// Opens a connection for queries, or for messages between servers, which `writes`. The tables must exist.
  package static func openToRead(_ place: String, writes: Bool = false) throws(StoreError) -> PostgresConnection {
    try opened(place) { () throws(PostgresConnection.Failure) in
      let connection = try PostgresConnection(to: place, silence: StoreLimits().answerMilliseconds, writes: writes)
      try enter(try schema(of: connection), connection)
      try connection.run(reading)
      if writes { try connection.run("SET default_transaction_read_only = off") }
      return connection
    } check: { (connection) throws(PostgresConnection.Failure) in
      guard let found = try version(on: connection) else {
        if let refusal = try refusal(ofUserWithout: ["USAGE"], on: connection) { return refusal }
        return StoreError(
          code: .foreignFile, message: "the database has no store of this program; start a server with it first")
      }
      return found == PostgresSchema.version ? nil : refusal(ofVersion: found)
    }
  }

  /// Opens the writer's connection. Creates the tables, and migrates older ones to this version.
  static func openToWrite(_ place: String, _ limits: StoreLimits) throws(StoreError) -> PostgresConnection {
    try opened(place) { () throws(PostgresConnection.Failure) in
      let connection = try PostgresConnection(to: place, silence: limits.answerMilliseconds, writes: true)
      try enter(try schema(of: connection), connection)
      try connection.run(
        """
        SET statement_timeout = \(limits.answerMilliseconds * 3 / 4); SET lock_timeout = \(limits.answerMilliseconds / 4);
        \(writing)
        """)
      return connection
    } check: { (connection) throws(PostgresConnection.Failure) in
      let settings = try connection.perform(
        "SELECT current_setting('synchronous_commit'), current_setting('server_encoding'), current_setting('server_version_num')::int8"
      )
      guard settings.text(0, 1) == "UTF8" else {
        return StoreError(
          code: .foreignFile,
          message:
            "the database has the encoding \(settings.text(0, 1)); make one with UTF8: createdb --encoding=UTF8 --template=template0"
        )
      }
      guard settings.integer(0, 2) >= 140_000 else {
        return StoreError(code: .foreignFile, message: "the server is older than PostgreSQL 14")
      }
      // Acknowledged records must be on disk: set explicitly, so that a reload of the server's configuration does not change
      // it.
      let commit = settings.text(0, 0)
      try connection.run("SET synchronous_commit = \(commit == "off" ? "on" : commit)")
      return try migrate(connection)
    }
  }

  /// Statements find rows by keys in tables of any size; plans are made once.
  private static let writing = """
    SET idle_in_transaction_session_timeout = '2min'; SET jit = off; SET enable_seqscan = off; SET plan_cache_mode = force_generic_plan
    """

  /// Rows must be found by keys, in the order of an index, up to the limit of a page, even with plans made when the tables were
  /// empty.
  private static let reading = """
    SET default_transaction_read_only = on; SET statement_timeout = '30s'; SET jit = off;
    SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_bitmapscan = off;
    SET enable_sort = off; SET enable_hashjoin = off; SET enable_mergejoin = off
    """

  private static func opened(
    _ place: String, _ open: () throws(PostgresConnection.Failure) -> PostgresConnection,
    check: (PostgresConnection) throws(PostgresConnection.Failure) -> StoreError?
  ) throws(StoreError) -> PostgresConnection {
    let refusal: StoreError?
    let connection: PostgresConnection
    do throws(PostgresConnection.Failure) {
      connection = try open()
      refusal = try check(connection)
    } catch {
      throw StoreError(error, at: PostgresURI(place))
    }
    if let refusal {
      throw StoreError(code: refusal.code, message: "\(PostgresURI(place)?.shown ?? place): \(refusal.message)")
    }
    return connection
  }

  private static func schema(of connection: PostgresConnection) throws(PostgresConnection.Failure) -> String {
    let path = try connection.perform("SELECT current_setting('search_path')").text(0, 0)
    let first = firstName(of: path)
    return first.isEmpty || first == "$user" || first == "public" ? usualSchema : first
  }

  /// Returns the first name of a search path. Between double quotes it may have any characters, a double quote as two; a name
  /// without them is in lower case (https://www.postgresql.org/docs/15/sql-syntax-lexical.html).
  private static func firstName(of path: String) -> String {
    let text = path.drop { $0 == " " }
    guard text.first == "\"" else { return text.prefix { $0 != "," && $0 != " " }.lowercased() }
    var name = ""
    var rest = text.dropFirst()
    while let end = rest.firstIndex(of: "\"") {
      name += rest[..<end]
      rest = rest[end...].dropFirst()
      guard rest.first == "\"" else { break }
      name += "\""
      rest = rest.dropFirst()
    }
    return name
  }

  private static func enter(
    _ schema: String, _ connection: PostgresConnection
  ) throws(PostgresConnection.Failure) {
    let quoted = schema.replacing("\"", with: "\"\"")
    try connection.run("SET search_path = \"\(quoted)\"; SET TimeZone = 'UTC'; SET client_min_messages = warning")
  }

  /// Returns nil when there are no tables.
  private static func version(on connection: PostgresConnection) throws(PostgresConnection.Failure) -> Int? {
    let found = try connection.perform("SELECT to_regclass('installation') IS NOT NULL")
    guard found.flag(0, 0) else { return nil }
    return Int(try connection.perform("SELECT version FROM installation").integer(0, 0))
  }

  private static func refusal(ofVersion found: Int) -> StoreError {
    found > PostgresSchema.version
      ? StoreError(
        code: .newerVersion,
        message: "the database was written by a newer program: its version is \(found), this one knows "
          + "\(PostgresSchema.version); update this program or choose another database or schema")
      : StoreError(
        code: .newerVersion,
        message: "the tables have the version \(found), this program needs \(PostgresSchema.version)")
  }

  /// Returns nil when the user has these rights on the schema. Where there is none, CREATE is that to make it.
  private static func refusal(
    ofUserWithout rights: [String], on connection: PostgresConnection
  ) throws(PostgresConnection.Failure) -> StoreError? {
    let missing = try connection.perform(
      """
      SELECT format('%s ON %s TO %I', rights, thing, current_user) FROM (
        SELECT CASE WHEN space IS NULL THEN 'CREATE' ELSE '\(rights.joined(separator: ", "))' END AS rights,
          CASE WHEN space IS NULL THEN format('DATABASE %I', current_database()) ELSE 'SCHEMA ' || path END AS thing,
          CASE WHEN space IS NULL THEN has_database_privilege(current_database(), 'CREATE')
            ELSE \(rights.map { "has_schema_privilege(space, '\($0)')" }.joined(separator: " AND ")) END AS is_given
        FROM (SELECT current_setting('search_path') AS path, to_regnamespace(current_setting('search_path'))::oid AS space) AS place
        WHERE space IS NOT NULL OR \(rights.contains("CREATE"))
      ) AS needed WHERE NOT is_given
      """)
    guard missing.count > 0 else { return nil }
    return StoreError(
      code: .unreachable,
      message: "its user lacks a privilege; the owner of the database must run: GRANT \(missing.text(0, 0))")
  }

  /// Returns nil when the user owns the tables, by itself or as a member of the role that does, or when there are none. No other
  /// right is enough to make partitions and to migrate.
  private static func refusalOfStranger(
    on connection: PostgresConnection
  ) throws(PostgresConnection.Failure) -> StoreError? {
    let owners = try connection.perform(
      """
      SELECT format('%I', rolname), format('%I', current_user) FROM pg_class JOIN pg_roles ON pg_roles.oid = relowner
      WHERE relnamespace = to_regnamespace(current_setting('search_path')) AND relname = 'installation'
        AND NOT pg_has_role(current_user, relowner, 'USAGE')
      """)
    guard owners.count > 0 else { return nil }
    let (owner, user) = (owners.text(0, 0), owners.text(0, 1))
    return StoreError(
      code: .unreachable,
      message: "the tables belong to the user \(owner), and only that one can make their partitions; name it in the "
        + "URI, or let an administrator run: GRANT \(owner) TO \(user)")
  }

  /// Migrates one node at a time. Returns nil when the tables are of this program's version.
  private static func migrate(_ connection: PostgresConnection) throws(PostgresConnection.Failure) -> StoreError? {
    try connection.run("BEGIN")
    let name = try connection.perform("SELECT current_setting('search_path')").text(0, 0)
    _ = try connection.perform(
      "SELECT pg_advisory_xact_lock(hashtextextended('schema ' || current_setting('search_path'), 0))")
    if let refusal = try refusalOfStranger(on: connection) {
      try connection.run("ROLLBACK")
      return refusal
    }
    var found = try version(on: connection)
    if found == nil, let refusal = try refusal(ofUserWithout: ["USAGE", "CREATE"], on: connection) {
      try connection.run("ROLLBACK")
      return refusal
    }
    if try !connection.perform("SELECT to_regnamespace(current_setting('search_path')) IS NOT NULL").flag(0, 0) {
      try connection.run("CREATE SCHEMA \(name)")
    }
    if found == nil {
      let others = try connection.perform(
        "SELECT count(*) FROM pg_class WHERE relnamespace = quote_ident(current_schema())::regnamespace")
      guard others.integer(0, 0) == 0 else {
        try connection.run("ROLLBACK")
        return StoreError(
          code: .foreignFile,
          message: "the schema \(name) has other tables; name another: ?options=-csearch_path%3DNAME")
      }
    }
    if let found, found > PostgresSchema.version {
      try connection.run("ROLLBACK")
      return refusal(ofVersion: found)
    }
    for migration in PostgresSchema.migrations.dropFirst(found ?? 0) { try connection.run(migration) }
    if found == nil {
      try connection.run("INSERT INTO installation(version, cluster, arrival_base) VALUES (0, 0, 0)")
      found = 0
    }
    try settle(connection)
    try connection.run("COMMIT")
    return nil
  }

  /// Stores the version, and adjusts the numbering of arrivals when the database was restored to another cluster, whose
  /// transactions have other numbers.
  private static func settle(_ connection: PostgresConnection) throws(PostgresConnection.Failure) {
    try connection.run(PostgresSchema.geography)
    try connection.run(
      """
      UPDATE installation SET version = \(PostgresSchema.version), cluster = system_identifier,
        arrival_base = CASE WHEN cluster IN (0, system_identifier) THEN arrival_base
          ELSE coalesce((SELECT max(arrived_in) FROM points), 0) END
      FROM pg_control_system() WHERE version <> \(PostgresSchema.version) OR cluster <> system_identifier
      """)
  }
}
