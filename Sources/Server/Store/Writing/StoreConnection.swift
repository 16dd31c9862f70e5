import Database

/// An open database with the statements that were used on it.
final class StoreConnection {
  let database: Connection
  private var statements: [String: PreparedStatement] = [:]

  init(_ database: consuming Connection) { self.database = database }

  /// Runs `body` with the statement of this text, compiled at its first use. A statement is not used inside its own use.
  func with<Result>(
    _ sql: String, _ body: (inout Statement) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    if let known = statements[sql] { return try known.use(body) }
    let made = try PreparedStatement(sql, on: database)
    statements[sql] = made
    return try made.use(body)
  }

  /// A statement whose values are whole numbers. Returns how many rows it changed.
  @discardableResult
  func run(_ sql: String, _ values: Int64...) throws(DatabaseError) -> Int {
    try with(sql) { (statement: inout Statement) throws(DatabaseError) in
      var execution = statement.start()
      for (index, value) in values.enumerated() { execution.bind(Int32(index + 1), value) }
      try execution.run()
    }
    return Int(database.changes)
  }

  /// A statement whose only value is a text. Returns how many rows it changed.
  @discardableResult
  func run(_ sql: String, text: String) throws(DatabaseError) -> Int {
    try with(sql) { (statement: inout Statement) throws(DatabaseError) in
      var execution = statement.start()
      execution.bind(1, text: text.utf8.span)
      try execution.run()
    }
    return Int(database.changes)
  }

  /// The first column of the first row, nil when there is no row.
  func first(_ sql: String, _ values: Int64...) throws(DatabaseError) -> Int64? {
    try with(sql) { (statement: inout Statement) throws(DatabaseError) in
      var execution = statement.start()
      for (index, value) in values.enumerated() { execution.bind(Int32(index + 1), value) }
      return try execution.step() ? execution.integer(at: 0) : nil
    }
  }
}
