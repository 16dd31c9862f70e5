internal import CPostgres

/// The prepared statements of a connection, by their text.
struct PreparedStatements {
  fileprivate var names: [String: String] = [:]
  fileprivate var count = 0
  /// The current pipeline: whether a statement is only prepared, and its text.
  fileprivate var queued: [(isPreparation: Bool, sql: String)] = []
}

/// Many statements in one round trip (https://www.postgresql.org/docs/15/libpq-pipeline-mode.html).
extension PostgresConnection {
  /// Queues a statement, which is prepared at its first use. `flush` sends it.
  package func send(_ sql: String, _ arguments: PostgresArguments = PostgresArguments()) throws(Failure) {
    let name: String
    if let known = statements.names[sql] {
      name = known
    } else {
      statements.count += 1
      name = "s\(statements.count)"
      statements.names[sql] = name
      guard unsafe rr_postgres_prepare(connection, name, sql) == 1 else { throw failure }
      statements.queued.append((true, sql))
    }
    let isQueued = unsafe arguments.bytes.withUnsafeBufferPointer { bytes in
      unsafe arguments.lengths.withUnsafeBufferPointer { lengths in
        unsafe rr_postgres_execute(
          connection, name, Int32(lengths.count), bytes.baseAddress, lengths.baseAddress)
      }
    }
    guard isQueued == 1 else { throw failure }
    statements.queued.append((false, sql))
  }

  /// Sends the queued statements and returns their results. After a failed one the server executes none of the rest; then its
  /// failure is thrown.
  package func flush() throws(Failure) -> [PostgresResult] {
    defer { statements.queued.removeAll() }
    guard unsafe rr_postgres_sync(connection) == 1 else { throw failure }
    var results: [PostgresResult] = []
    var first: Failure?
    var place = 0
    while true {
      var result: OpaquePointer?
      let end = Int(unsafe rr_postgres_next(connection, &result))
      if end == rr_postgres_end { break }
      if end == rr_postgres_lost {
        var lost = first ?? failure
        lost.isLost = true
        throw lost
      }
      let (isPreparation, sql) = statements.queued[place]
      place += 1
      let made = unsafe result.map { unsafe PostgresResult($0) }
      if end == rr_postgres_done {
        if !isPreparation, let made { results.append(made) }
        continue
      }
      if isPreparation { statements.names[sql] = nil }
      if end == rr_postgres_failed, first == nil { first = failure }
    }
    if let first { throw first }
    precondition(place == statements.queued.count, "every statement has a result")
    return results
  }

  /// Runs one statement.
  package func perform(_ sql: String, _ arguments: PostgresArguments = PostgresArguments()) throws(Failure)
    -> PostgresResult
  {
    try send(sql, arguments)
    return try flush()[0]
  }

  /// Makes the server parse a statement without executing it: throws when it is invalid, or refers to tables that do not exist.
  /// The connection keeps nothing of it.
  package func check(_ sql: String) throws(Failure) {
    guard unsafe rr_postgres_prepare(connection, "", sql) == 1 else { throw failure }
    statements.queued.append((true, sql))
    _ = try flush()
  }

  /// Runs statements without values and results, separated by semicolons.
  package func run(_ sql: String) throws(Failure) {
    guard unsafe rr_postgres_run(connection, sql) == 0 else { throw failure }
  }

  /// Whether the server has warned since the last call.
  package var wasWarned: Bool { unsafe rr_postgres_was_warned(connection) != 0 }

  /// Waits for the text of a notification (https://www.postgresql.org/docs/15/sql-notify.html); returns nil when none arrived
  /// in time.
  package func notification(within milliseconds: Int) throws(Failure) -> String? {
    switch unsafe rr_postgres_wait(connection, Int32(milliseconds)) {
    case 1: return unsafe String(cString: rr_postgres_payload(connection))
    case 0: return nil
    default: throw failure
    }
  }
}
