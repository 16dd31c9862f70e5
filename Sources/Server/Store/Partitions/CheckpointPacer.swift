import Database

/// Copies the log back between groups. SQLite would do it inside a commit, where it lengthens that commit and swallows the
/// errors of the copying (https://sqlite.org/c3ref/wal_autocheckpoint.html).
struct CheckpointPacer {
  private let isNeeded: Bool
  private let pages: Int
  private var pending = 0

  init(_ configuration: StoreConfiguration) {
    isNeeded = !configuration.isInMemory
    pages = configuration.limits.checkpointPages
  }

  /// True when it copied something.
  mutating func step(_ connection: StoreConnection) throws(DatabaseError) -> Bool {
    guard isNeeded else { return false }
    pending += connection.database.takePagesWritten()
    guard pending >= pages else { return false }
    let result = try connection.database.checkpoint(.passive)
    // What a reader still needs stays in the log; half as many pages later is soon enough to try again.
    pending = result.pagesMoved == result.pagesInLog ? 0 : pages / 2
    return true
  }
}
