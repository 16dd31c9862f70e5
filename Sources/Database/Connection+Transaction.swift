extension Connection {
  /// Runs `body` in a transaction, and commits. When `body` or the commit throws, everything is rolled back and that error
  /// is thrown. Transactions do not nest.
  ///
  /// After `.inputOutput` from the commit the outcome on disk is open: the rows are not visible, but after a power cut at
  /// that very moment recovery may still find them. Whoever writes again must be able to meet its own row.
  package func transaction<Result: ~Copyable>(
    _ mode: TransactionMode, _ body: () throws(DatabaseError) -> Result
  ) throws(DatabaseError) -> Result {
    precondition(!isInTransaction, "transactions do not nest")
    try execute("BEGIN \(mode.rawValue)")
    do {
      let result = try body()
      try execute("COMMIT")
      return result
    } catch {
      rollBack()
      throw error
    }
  }

  /// After full, I/O error, out of memory, busy and interrupt SQLite may have rolled back by itself; a second ROLLBACK would
  /// fail, harmlessly. A failed COMMIT (`.busy`) leaves the transaction open.
  private func rollBack() {
    guard isInTransaction else { return }
    do {
      try execute("ROLLBACK")
    } catch {
      // The journal or the log has the old pages, and the error that brought us here is the one to report.
      precondition(!isInTransaction, "a transaction can neither be committed nor rolled back: \(error)")
    }
  }
}
