import Database
package import Store

/// Bytes that all servers on a database share and no client may read, such as the key that signs tokens.
package enum SharedSecret {
  /// Those under this name; when there are none, those of `make`. Of servers that start together one makes them.
  package static func read(_ name: String, at place: String, make: () -> [UInt8]) throws(StoreError) -> [UInt8] {
    let connection = try PostgresInstallation.openToWrite(place, StoreLimits())
    var key = PostgresArguments()
    key.add(name)
    var new = key
    new.add(blob: make())
    do throws(PostgresConnection.Failure) {
      _ = try connection.perform("INSERT INTO secrets VALUES ($1::text, $2::bytea) ON CONFLICT DO NOTHING", new)
      return try connection.perform("SELECT bytes FROM secrets WHERE name = $1::text", key).blob(0, 0)
    } catch { throw StoreError(error, at: PostgresPlace(place)) }
  }
}
