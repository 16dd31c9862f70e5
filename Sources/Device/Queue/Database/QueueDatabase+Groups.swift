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
  func write<Result>(
    for device: Int, _ step: WriteStep = .other, _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    if let loss { throw loss }
    try meetDisturbance(of: device, step)
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

  /// A row that no record has had, not in a group that was undone or before a restart either.
  func takeRow() throws(DatabaseError) -> Int64 {
    if nextRow >= reservedRows {
      reservedRows = nextRow + QueueDatabase.rowsPerReservation
      try records.reserve(upTo: reservedRows)
    }
    nextRow += 1
    return nextRow - 1
  }

  private func commitGroup() throws(DatabaseError) {
    if connection.isInTransaction { try connection.execute("COMMIT") }
    changes.removeAll(keepingCapacity: true)
  }

  private func undoGroup() {
    // After some errors SQLite has rolled back by itself (https://sqlite.org/lang_transaction.html).
    if connection.isInTransaction {
      do {
        try connection.execute("ROLLBACK")
      } catch {
        precondition(!connection.isInTransaction, "a group can neither be committed nor rolled back: \(error)")
      }
    }
    for change in changes.reversed() {
      switch change {
      case .inserted(let device, let row): _ = devices[device].remove(row)
      case .deleted(let device, let row): devices[device].putBack(row)
      }
    }
    changes.removeAll(keepingCapacity: true)
    // The reservation may have been a part of the group.
    reservedRows = nextRow
  }
}
