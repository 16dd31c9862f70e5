import Database

extension StoreConnection {
  /// Rows deleted from a table in one step.
  private static let stepRows: Int64 = 2_048

  /// Keeps the small tables within their bounds. True when there is more to delete.
  func trimHistories(_ limits: StoreLimits, now: Int64) throws(DatabaseError) -> Bool {
    let monthAgo = Int(now - 30 * Day.milliseconds)
    let oldOrder = "id <= (SELECT max(id) FROM orders) - ?1 AND (is_open = 0 OR expires <= \(now))"
    let deadFamily = "SELECT id FROM token_families WHERE expires < ?1"
    let rules: [(table: String, key: String, condition: String, value: Int)] = [
      ("quarantine", "id", "id <= (SELECT max(id) FROM quarantine) - ?1", limits.quarantineRows),
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
    // Prepared here and not kept: the condition may hold the time.
    var statement = try database.prepare(
      "DELETE FROM \(table) WHERE (\(key)) IN (SELECT \(key) FROM \(table) WHERE \(condition) LIMIT ?2)")
    var execution = statement.start()
    execution.bind(1, Int64(value))
    execution.bind(2, Self.stepRows)
    try execution.run()
    return Int(database.changes)
  }
}
