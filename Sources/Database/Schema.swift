/// The tables of one application: the identity of its file, and the migrations that create them.
package struct Schema: Sendable {
  /// The id in the header of the file, https://sqlite.org/pragma.html#pragma_application_id; not 0.
  package let applicationID: Int32
  let migrations: [Migration]

  /// The numbers must be 1, 2, 3 … in this order.
  package init(applicationID: Int32, migrations: [Migration]) {
    precondition(applicationID != 0, "0 is the identity of a file without an owner")
    precondition(
      migrations.map(\.number).elementsEqual(1...max(1, migrations.count)), "migrations are numbered 1, 2, 3 …")
    self.applicationID = applicationID
    self.migrations = migrations
  }

  /// The latest version.
  package var version: Int { migrations.count }
}

/// One step of a schema. Once released it never changes; the next change gets the next number.
package struct Migration: Sendable {
  package let number: Int
  package let sql: String

  package init(_ number: Int, _ sql: String) {
    self.number = number
    self.sql = sql
  }
}

extension Connection {
  /// Returns the version of the file, 0 when it is empty. Throws `.foreignFile` for a database of another program and
  /// `.newerVersion` for one of a newer version; neither is modified.
  package func version(of schema: Schema) throws(DatabaseError) -> Int {
    try transaction(.deferred) { () throws(DatabaseError) in try readVersion(of: schema) }
  }

  /// Migrates the file to the version of `schema`. Each migration commits together with its number, so after an error the file
  /// is at the version before the failed one. Several processes may start at once.
  package func migrate(to schema: Schema) throws(DatabaseError) {
    while try version(of: schema) < schema.version {
      try transaction(.immediate) { () throws(DatabaseError) in try applyNext(of: schema) }
    }
  }

  private func applyNext(of schema: Schema) throws(DatabaseError) {
    // Read again: another process may have been faster between the query and the lock.
    let version = try readVersion(of: schema)
    guard version < schema.version else { return }
    try execute(schema.migrations[version].sql)
    try execute("PRAGMA application_id = \(schema.applicationID)")
    try execute("PRAGMA user_version = \(version + 1)")
  }

  private func readVersion(of schema: Schema) throws(DatabaseError) -> Int {
    let owner = Int(try integer("PRAGMA application_id"))
    let version = Int(try integer("PRAGMA user_version"))
    if owner == 0 && version == 0, try integer("SELECT count(*) FROM sqlite_schema") == 0 { return 0 }
    guard owner == schema.applicationID && version >= 0 else {
      throw DatabaseError(.foreignFile(applicationID: owner), "the file belongs to application \(owner)")
    }
    guard version <= schema.version else {
      throw DatabaseError(
        .newerVersion(found: version, known: schema.version),
        "the file has version \(version), this program knows versions up to \(schema.version)")
    }
    return version
  }
}
