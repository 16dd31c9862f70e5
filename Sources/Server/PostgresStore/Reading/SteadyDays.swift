import Database

/// Runs queries that each see all days.
///
/// PostgreSQL selects the partitions of a statement before it reads data. A day that another server adds in between, with its
/// records, is not included: a result with later records would lack earlier ones, and a cursor after it would skip them. Such a
/// result is discarded, and the query is repeated.
struct SteadyDays {
  typealias Failure = PostgresConnection.Failure

  /// The count of day changes before the next query.
  private var known: Int64?

  /// Days are added in quick succession when old records are loaded; a statement fits between two of them.
  private static let attemptsMax = 1_000

  mutating func ask(
    _ sql: String, _ arguments: PostgresArguments = PostgresArguments(), on connection: PostgresConnection
  ) throws(Failure) -> PostgresResult {
    for _ in 0..<SteadyDays.attemptsMax {
      let before = if let known { known } else { try connection.dayChanges() }
      let result = try connection.perform(sql, arguments)
      let after = try connection.dayChanges()
      known = after
      if after == before { return result }
    }
    throw Failure(message: "other servers keep adding days")
  }
}

extension PostgresConnection {
  /// Returns how often a day was added or dropped, by any server.
  func dayChanges() throws(Failure) -> Int64 {
    try perform("SELECT day_changes FROM installation").integer(0, 0)
  }
}
