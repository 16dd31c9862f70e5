import Database

/// Asks questions of which each sees all days.
///
/// PostgreSQL chooses the partitions of a statement before it looks at the data. A day that another server adds in between, with
/// what had come for it, is not among them: an answer with later records would lack earlier ones, and a cursor behind
/// it would pass over them. Such an answer is thrown away, and the question asked again.
struct SteadyDays {
  typealias Failure = PostgresConnection.Failure

  /// How often days had changed before the next question.
  private var known: Int64?

  /// Days come one after the other when old records are loaded; between two of them is time for a statement.
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
    throw Failure(message: "days are added without a pause")
  }
}

extension PostgresConnection {
  /// How often a day was added or dropped, by any server.
  func dayChanges() throws(Failure) -> Int64 {
    try perform("SELECT day_changes FROM installation").integer(0, 0)
  }
}
