package import Database

extension QueueDatabase {
  private static let rowsPerReservation: Int64 = 65_536

  /// Makes durable what was written since the last commit. When it throws, all of that is undone. With `.everyCall` there is
  /// nothing to do.
  package func commit() throws(DatabaseError) {
    if let loss {
      self.loss = nil
      throw loss
    }
    do throws(DatabaseError) {
      try commitGroup()
    } catch {
      undoGroup()
      throw error
    }
  }

  /// Runs `body` as a part of the open group, or as a group of its own.
  func write<Result>(_ body: () throws(DatabaseError) -> Result) throws(DatabaseError) -> Result {
    if let loss { throw loss }
    do throws(DatabaseError) {
      if !connection.isInTransaction { try connection.execute("BEGIN IMMEDIATE") }
      let result = try body()
      if commits == .everyCall { try commitGroup() }
      return result
    } catch {
      undoGroup()
      if commits == .grouped { loss = error }
      throw error
    }
  }

  /// Before the rows of a device change within a group.
  func remember(_ device: Int) {
    guard !devices[device].isInGroup else { return }
    undo.append((device, devices[device]))
    devices[device].isInGroup = true
  }

  /// A row that no record of the device has had, not before a restart either.
  func takeRow(of device: Int) throws(DatabaseError) -> Int64 {
    let row = devices[device].nextRow
    if row >= reservedRows {
      reservedRows = row + QueueDatabase.rowsPerReservation
      try records.reserve(upTo: reservedRows)
    }
    devices[device].nextRow = row + 1
    return row
  }

  private func commitGroup() throws(DatabaseError) {
    if connection.isInTransaction { try connection.execute("COMMIT") }
    for change in undo { devices[change.device].isInGroup = false }
    undo.removeAll(keepingCapacity: true)
  }

  private func undoGroup() {
    // SQLite has rolled back by itself after some errors (https://sqlite.org/lang_transaction.html#response_to_errors_within_a_transaction).
    if connection.isInTransaction {
      do {
        try connection.execute("ROLLBACK")
      } catch {
        precondition(!connection.isInTransaction, "a group can neither be committed nor rolled back: \(error)")
      }
    }
    for change in undo { devices[change.device].restore(change.rows) }
    undo.removeAll(keepingCapacity: true)
    // The reservation may have been a part of the group.
    reservedRows = 0
  }
}
