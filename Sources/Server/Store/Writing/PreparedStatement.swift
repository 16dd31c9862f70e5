import Database

/// A statement that classes can keep: its run ends before the access to the property does.
final class PreparedStatement {
  private var statement: Statement

  init(_ sql: String, on connection: borrowing Connection) throws(DatabaseError) {
    statement = try connection.prepare(sql)
  }

  func use<Result>(_ body: (inout Statement) throws(DatabaseError) -> Result) throws(DatabaseError) -> Result {
    try body(&statement)
  }
}
