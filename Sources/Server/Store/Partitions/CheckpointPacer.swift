import Database

/// Has the log copied back, beside the groups. SQLite would do it inside a commit, where it lengthens that commit and
/// swallows the errors of the copying (https://sqlite.org/c3ref/wal_autocheckpoint.html).
///
/// While groups go on, a copy never comes to the end of the log, and only at its end the log begins anew. So the writer
/// itself copies what was added during the copy, which is little.
struct CheckpointPacer {
  /// Nil in memory, where there is no log.
  private let path: String?
  private let pages: Int
  private var pending = 0
  private var copier: LogCopier?
  private var isCopying = false

  init(_ configuration: StoreConfiguration) {
    path = configuration.isInMemory ? nil : configuration.databasePath
    pages = configuration.limits.checkpointPages
  }

  /// True when the writer copied something. Throws what the other thread met, too: a failed sync is the store's affair
  /// whoever saw it.
  mutating func step(_ connection: StoreConnection) throws(DatabaseError) -> Bool {
    guard let path else { return false }
    pending += connection.database.takePagesWritten()
    guard isCopying else {
      guard pending >= pages else { return false }
      let copier = copier ?? LogCopier(path: path, small: pages / 8)
      self.copier = copier
      copier.begin()
      isCopying = true
      return false
    }
    guard let outcome = copier?.takeOutcome() else { return false }
    isCopying = false
    if case .failed(let error) = outcome {
      copier = nil
      throw error
    }
    let result = try connection.database.checkpoint(.passive)
    // What a reader still needs stays in the log; half as many pages later is soon enough to try again.
    pending = result.pagesMoved == result.pagesInLog ? 0 : pages / 2
    return true
  }

  /// Ends the thread; nothing is copied beside the caller any more.
  mutating func stop() {
    copier = nil
    isCopying = false
  }
}
