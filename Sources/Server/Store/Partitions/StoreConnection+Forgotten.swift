import Database

extension StoreConnection {
  /// Tables with rows of devices, and how many of them one step deletes: few where a row may be megabytes.
  private static let tablesOfDevices: [(name: String, key: String, rows: Int)] = [
    ("deliveries", "command, device", 2_048), ("proofs", "device, kind", 2_048), ("device_tags", "device, tag", 2_048),
    ("quarantine", "id", 64), ("logs", "id", 1),
  ]

  /// Deletes a stretch of what a deleted device has left in the small tables. True when it did something.
  func forgetStep() throws(DatabaseError) -> Bool {
    guard let device = try first("SELECT device FROM forgotten LIMIT 1") else { return false }
    try database.transaction(.immediate) { () throws(DatabaseError) in
      for table in Self.tablesOfDevices {
        let deleted = try run(
          """
          DELETE FROM \(table.name) WHERE (\(table.key)) IN
            (SELECT \(table.key) FROM \(table.name) WHERE device = ?1 LIMIT \(table.rows))
          """, device)
        if deleted == table.rows { return }
      }
      try run("DELETE FROM forgotten WHERE device = ?1", device)
    }
    return true
  }
}
