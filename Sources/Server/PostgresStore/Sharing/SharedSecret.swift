import Database
package import Store

/// Bytes that all servers on a database share and no client may read, such as the key that signs tokens. Rarely read or
/// changed, so each call opens a connection of its own.
package struct SharedSecret: Sendable {
  package let name: String
  private let place: String

  package init(_ name: String, at place: String) { (self.name, self.place) = (name, place) }

  /// Returns the bytes; when there are none, stores those of `make`. If several servers start together, only one stores its
  /// bytes.
  package func read(orKeep make: () -> [UInt8]) throws(StoreError) -> [UInt8] {
    if let bytes = try read() { return bytes }
    let new = make()
    if try replace(nil, by: new) { return new }
    return try read(orKeep: { new })
  }

  /// Returns nil when there are none.
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

  /// Replaces the bytes that were `seen`, nil for none. Returns false when another server was faster, and nothing has changed.
  /// The other servers are notified.
  package func replace(_ seen: [UInt8]?, by bytes: [UInt8]) throws(StoreError) -> Bool {
    let connection = try PostgresInstallation.openToWrite(place, StoreLimits())
    var arguments = PostgresArguments()
    arguments.add(name)
    arguments.add(blob: bytes)
    if let seen { arguments.add(blob: seen) } else { arguments.addNull() }
    // The sender is a server without a name, so that all servers react.
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
    // A synchronous standby may not have it.
    guard !connection.wasWarned else {
      throw StoreError(code: .unreachable, message: "the database has not confirmed its commit")
    }
    return rows.count == 1
  }
}

extension ChangeKinds {
  package static let secrets = ChangeKinds(rawValue: 64)
}
