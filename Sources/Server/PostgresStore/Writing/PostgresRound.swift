import Database

/// Statements that are sent to the server together, each with a handler of its result.
final class PostgresRound {
  typealias Failure = PostgresConnection.Failure

  let connection: PostgresConnection
  private var handlers: [((PostgresResult) -> Void)?] = []

  init(_ connection: PostgresConnection) { self.connection = connection }

  func send(
    _ sql: String, _ arguments: PostgresArguments = PostgresArguments(), then handler: ((PostgresResult) -> Void)? = nil
  ) throws(Failure) {
    try connection.send(sql, arguments)
    handlers.append(handler)
  }

  /// Takes numbers from a sequence, in order. None is returned twice, even if the transaction fails.
  func sendNumbers(of sequence: String, count: Int, then handler: @escaping ([Int64]) -> Void) throws(Failure) {
    var arguments = PostgresArguments()
    arguments.add(Int64(count))
    try send("SELECT nextval('\(sequence)') FROM generate_series(1, $1::int8)", arguments) { result in
      handler((0..<result.count).map { result.integer($0, 0) })
    }
  }

  /// Sends the statements and handles their results.
  func flush() throws(Failure) {
    let handlers = self.handlers
    self.handlers.removeAll()
    guard !handlers.isEmpty else { return }
    for (handler, result) in zip(handlers, try connection.flush()) { handler?(result) }
  }
}
