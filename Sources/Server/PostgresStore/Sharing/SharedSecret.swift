import Database
package import Store

/// Bytes that all servers on a database share and no client may read, such as the key that signs tokens. Seldom read or changed, so that
/// each call has a connection of its own.
package struct SharedSecret: Sendable {
  package let name: String
  private let place: String

  package init(_ name: String, at place: String) { (self.name, self.place) = (name, place) }

  /// The bytes; when there are none, those of `make`. Of servers that start together one makes them.
  package func read(orKeep make: () -> [UInt8]) throws(StoreError) -> [UInt8] {
    if let bytes = try read() { return bytes }
    let new = make()
    if try replace(nil, by: new) { return new }
    return try read(orKeep: { new })
  }

  /// Nil when there are none.
  package func read() throws(StoreError) -> [UInt8]? {
    let connection = try PostgresInstallation.openToRead(place)
    do throws(PostgresConnection.Failure) { return try SharedSecret.read(name, on: connection) } catch {
      throw StoreError(error, at: PostgresURI(place))
    }
  }

  static func read(
    _ name: String, on connection: PostgresConnection
  ) throws(PostgresConnection.Failure) -> [UInt8]? {
    var key = PostgresArguments()
    key.add(name)
    let rows = try connection.perform("SELECT bytes FROM secrets WHERE name = $1::text", key)
    return rows.count == 0 ? nil : rows.blob(0, 0)
  }

  /// Keeps new bytes in the place of those that were `seen`, nil for none. False when another server was faster, and nothing has
  /// changed. The other servers hear of it.
  package func replace(_ seen: [UInt8]?, by bytes: [UInt8]) throws(StoreError) -> Bool {
    let connection = try PostgresInstallation.openToWrite(place, StoreLimits())
    var arguments = PostgresArguments()
    arguments.add(name)
    arguments.add(blob: bytes)
    if let seen { arguments.add(blob: seen) } else { arguments.addNull() }
    // Of a server without a name: all hear of it.
    arguments.add("0 \(ChangeKinds.secrets.rawValue)")
    _ = connection.wasWarned
    let rows: PostgresResult
    do throws(PostgresConnection.Failure) {
      rows = try connection.perform(
        """
        WITH changed AS (INSERT INTO secrets AS kept VALUES ($1::text, $2::bytea)
          ON CONFLICT (name) DO UPDATE SET bytes = excluded.bytes WHERE kept.bytes = $3::bytea RETURNING name)
        SELECT pg_notify(current_schema(), $4::text) FROM changed
        """, arguments)
    } catch { throw StoreError(error, at: PostgresURI(place)) }
    // A standby that must have it may not.
    guard !connection.wasWarned else {
      throw StoreError(code: .unreachable, message: "the database has not confirmed its commit")
    }
    return rows.count == 1
  }
}

extension ChangeKinds {
  package static let secrets = ChangeKinds(rawValue: 64)
}
