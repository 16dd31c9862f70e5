import Database
package import Store

/// Settings that the servers of a store share: a document for each kind and run, such as the fault rules. Changes are rare, so
/// each opens a connection of its own.
package struct SharedDocuments: Sendable {
  /// A document and the number of its last change.
  package struct Document: Sendable {
    package let kind: String
    package let run: String
    package let bytes: [UInt8]
    package let change: Int64
  }

  private let place: String

  package init(at place: String) { self.place = place }

  /// Stores a document and returns the number of the change. The other servers are notified.
  package func put(_ bytes: [UInt8], _ kind: String, of run: String) throws(StoreError) -> Int64 {
    var arguments = SharedDocuments.arguments(kind, run)
    arguments.add(blob: bytes)
    return try change(
      """
      INSERT INTO documents(kind, run, bytes) VALUES ($1::text, $2::text, $3::bytea) ON CONFLICT (kind, run)
      DO UPDATE SET bytes = excluded.bytes, change = nextval('document_changes') RETURNING change
      """, arguments
    ).integer(0, 0)
  }

  package func remove(_ kind: String, of run: String) throws(StoreError) {
    _ = try change(
      "DELETE FROM documents WHERE kind = $1::text AND run = $2::text", SharedDocuments.arguments(kind, run))
  }

  /// Deletes the documents of a run, or all.
  package func clear(run: String?) throws(StoreError) {
    var arguments = PostgresArguments()
    arguments.add(run)
    _ = try change("DELETE FROM documents WHERE $1::text IS NULL OR run = $1::text", arguments)
  }

  private static func arguments(_ kind: String, _ run: String) -> PostgresArguments {
    var arguments = PostgresArguments()
    arguments.add(kind)
    arguments.add(run)
    return arguments
  }

  private func change(_ sql: String, _ arguments: PostgresArguments) throws(StoreError) -> PostgresResult {
    let connection = try PostgresInstallation.openToRead(place, writes: true)
    // The sender is a server without a name, so that all servers react.
    var notice = PostgresArguments()
    notice.add("0 \(ChangeKinds.documents.rawValue)")
    do throws(PostgresConnection.Failure) {
      try connection.send("BEGIN")
      try connection.send(sql, arguments)
      try connection.send("SELECT pg_notify(current_schema(), $1::text)", notice)
      try connection.send("COMMIT")
      return try connection.flush()[1]
    } catch { throw StoreError(error) }
  }
}

extension PostgresSchema {
  /// `change` distinguishes a document from one that replaced it.
  static let documents = """
    CREATE SEQUENCE document_changes;
    CREATE TABLE documents(
      kind text COLLATE "C" NOT NULL, run text COLLATE "C" NOT NULL, bytes bytea NOT NULL,
      change bigint NOT NULL DEFAULT nextval('document_changes'), PRIMARY KEY(kind, run));
    """
}
