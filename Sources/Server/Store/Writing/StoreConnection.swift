import Database

/// An open database with the statements that were used on it, each found by its text. What is run for every record or device
/// has a name instead, in a noncopyable struct beside its table (`PointStatements`, `DeviceStatements`).
final class StoreConnection {
  /// A dictionary has room for copyable values only.
  private final class Kept {
    var statement: Statement

    init(_ statement: consuming Statement) { self.statement = statement }
  }

  let database: Connection
  private var statements: [String: Kept] = [:]

  init(_ database: consuming Connection) { self.database = database }

  /// Runs `body` with the statement of this text, compiled at its first use. A statement is not used inside its own use.
  func with<Result>(
    _ sql: String, _ body: (inout Statement) throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    if let known = statements[sql] { return try body(&known.statement) }
    let made = Kept(try database.prepare(sql))
    statements[sql] = made
    return try body(&made.statement)
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

extension StoreTable {
  /// What tells its rows apart.
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
  /// Rows deleted from a table in one step.
  private static let stepRows: Int64 = 2_048

  /// Deletes a stretch of what a deleted device has left in the small tables. True when it did something.
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
  /// Keeps the small tables within their bounds. True when there is more to delete.
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
