import Database

/// Asks questions of which each sees all days.
///
/// PostgreSQL chooses the partitions of a statement before it looks at the data. A day that another server adds in between, with
/// what had come for it, is not among them: records that arrived earlier would be missing in an answer that has later ones, and who goes on
/// behind it would never see them. Such an answer is thrown away, and the question asked again.
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
      let before = if let known { known } else { try SteadyDays.changes(on: connection) }
      let result = try connection.perform(sql, arguments)
      let after = try SteadyDays.changes(on: connection)
      known = after
      if after == before { return result }
    }
    throw Failure(message: "days are added without a pause")
  }

  private static func changes(on connection: PostgresConnection) throws(Failure) -> Int64 {
    try connection.perform("SELECT day_changes FROM installation").integer(0, 0)
  }
}
