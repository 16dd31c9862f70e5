internal import CSQLite

extension Connection {
  package func checkpoint(_ mode: CheckpointMode) throws(DatabaseError) -> Checkpoint {
    let code = mode == .passive ? SQLITE_CHECKPOINT_PASSIVE : SQLITE_CHECKPOINT_TRUNCATE
    var inLog: Int32 = 0
    var moved: Int32 = 0
    try handle.check(unsafe sqlite3_wal_checkpoint_v2(handle.database, nil, code, &inLog, &moved))
    return Checkpoint(pagesInLog: max(0, Int(inLog)), pagesMoved: max(0, Int(moved)))
  }

  /// How much of a database to look at.
  package enum CheckDepth: String {
    /// The structure of every page, in time proportional to the file.
    case quick = "quick_check"
    /// Indexes against their tables as well, which takes several times longer.
    case full = "integrity_check"
  }

  /// What is wrong with the file, at most 100 sentences; empty when nothing is. Damage that ends the check is the last of
  /// them, not an error.
  package func problems(_ depth: CheckDepth) throws(DatabaseError) -> [String] {
    var problems: [String] = []
    do {
      var query = try prepare("PRAGMA \(depth.rawValue)(100)")
      var rows = query.start()
      while try rows.step() { problems.append(rows.text(at: 0)) }
    } catch  where error.kind == .corrupt {
      problems.append(error.message)
    }
    return problems == ["ok"] ? [] : problems
  }
}
