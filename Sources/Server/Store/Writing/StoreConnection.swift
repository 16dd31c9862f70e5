import Database

/// An open database with its prepared statements, cached by their text. Statements that run for every record or device have
/// names instead, in a noncopyable struct beside their table (`PointStatements`, `DeviceStatements`).
final class StoreConnection {
  /// A box, because a dictionary can hold only copyable values.
  private final class Kept {
    var statement: Statement

    init(_ statement: consuming Statement) { self.statement = statement }
  }

  let database: Connection
  private var statements: [String: Kept] = [:]

  init(_ database: consuming Connection) { self.database = database }

  /// Runs `body` with the statement of this text, compiled at its first use. A statement must not be used within its own use.
  func with<Result>(
    _ sql: String, _ body: (inout Statement) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    if let known = statements[sql] { return try body(&known.statement) }
    let made = Kept(try database.prepare(sql))
    statements[sql] = made
    return try body(&made.statement)
  }

  /// Runs a statement whose values are all integers. Returns the number of changed rows.
  @discardableResult
  func run(_ sql: String, _ values: Int64...) throws(DatabaseError) -> Int {
    try with(sql) { (statement: inout Statement) throws(DatabaseError) in
      var execution = statement.start()
      for (index, value) in values.enumerated() { execution.bind(Int32(index + 1), value) }
      try execution.run()
    }
    return Int(database.changes)
  }

  /// Runs a statement whose only value is a text. Returns the number of changed rows.
  @discardableResult
  func run(_ sql: String, text: String) throws(DatabaseError) -> Int {
    try with(sql) { (statement: inout Statement) throws(DatabaseError) in
      var execution = statement.start()
      execution.bind(1, text: text.utf8.span)
      try execution.run()
    }
    return Int(database.changes)
  }

  /// Returns the first column of the first row; nil when there is no row.
  func first(_ sql: String, _ values: Int64...) throws(DatabaseError) -> Int64? {
    try with(sql) { (statement: inout Statement) throws(DatabaseError) in
      var execution = statement.start()
      for (index, value) in values.enumerated() { execution.bind(Int32(index + 1), value) }
      return try execution.step() ? execution.integer(at: 0) : nil
    }
  }
}

extension StoreTable {
  /// The columns that identify a row.
  fileprivate var key: String {
    switch self {
    case .deviceTags: "device, tag"
    case .deliveries: "command, device"
    case .proofs: "device, kind"
    case .refreshTokens: "hash"
    case .forgotten: "device"
    case .devices, .quarantine, .logs, .orders, .tokenFamilies: "id"
    }
  }
}

extension StoreConnection {
  /// The rows of a table deleted in one step.
  private static let stepRows: Int64 = 2_048

  /// Deletes some rows that a deleted device has left in the small tables. Returns whether there was work.
  func forgetStep() throws(DatabaseError) -> Bool {
    guard let device = try first("SELECT device FROM forgotten LIMIT 1") else { return false }
    try database.transaction(.immediate) { () throws(DatabaseError) in
      for table in StoreTable.allCases {
        guard let rows = table.rowsPerStep(ofSmall: Self.stepRows) else { continue }
        let deleted = try run(
          """
          DELETE FROM \(table.rawValue) WHERE (\(table.key)) IN
            (SELECT \(table.key) FROM \(table.rawValue) WHERE device = ?1 LIMIT \(rows))
          """, device)
        if deleted == Int(rows) { return }
      }
      try run("DELETE FROM forgotten WHERE device = ?1", device)
    }
    return true
  }
}

extension StoreConnection {
  /// Keeps the small tables within their limits. Returns whether there is more to delete.
  func trimHistories(_ limits: StoreLimits, now: Int64) throws(DatabaseError) -> Bool {
    let monthAgo = Int(now - TokenRules.keptMilliseconds)
    let oldOrder = "id <= (SELECT max(id) FROM orders) - ?1 AND is_open = 0"
    let deadFamily = "SELECT id FROM token_families WHERE expires < ?1"
    let rules: [(table: String, key: String, condition: String, value: Int)] = [
      ("sink_refusals", "id", "id <= (SELECT max(id) FROM sink_refusals) - ?1", limits.sinkRefusals),
      ("deliveries", "command, device", "command IN (SELECT id FROM orders WHERE \(oldOrder))", limits.ledgerOrders),
      ("orders", "id", oldOrder + " AND id NOT IN (SELECT command FROM deliveries)", limits.ledgerOrders),
      ("refresh_tokens", "hash", "family IN (\(deadFamily))", monthAgo),
      ("token_families", "id", "expires < ?1 AND id NOT IN (SELECT family FROM refresh_tokens)", monthAgo),
    ]
    return try database.transaction(.immediate) { () throws(DatabaseError) in
      var isMore = false
      for rule in rules where try trim(rule.table, rule.key, rule.condition, rule.value) == Int(Self.stepRows) {
        isMore = true
      }
      return isMore
    }
  }

  private func trim(
    _ table: String, _ key: String, _ condition: String, _ value: Int
  ) throws(DatabaseError) -> Int {
    try run(
      "DELETE FROM \(table) WHERE (\(key)) IN (SELECT \(key) FROM \(table) WHERE \(condition) LIMIT ?2)", Int64(value),
      Self.stepRows)
  }
}
