import Database
import Support
import Testing

@testable import BackendStore

/// A query at a real PostgreSQL server, looked at before a run.
@Suite(.enabled(if: PostgresCluster.isThere, "install the package postgresql"))
struct PostgresCheckTests {
  private let place: String

  init() throws {
    place = try PostgresCluster.shared.get().place()
    let connection = try PostgresConnection(to: place, writes: true)
    let schema = try connection.perform("SELECT current_setting('search_path')").text(0, 0)
    try connection.run(
      "CREATE SCHEMA \(schema); CREATE TABLE checked(uuid uuid, device text); INSERT INTO checked VALUES (gen_random_uuid(), 'a')"
    )
  }

  private func view(_ query: String) -> PostgresView { PostgresView(uri: place, query: query, fields: []) }

  @Test(arguments: [
    "SELECT uuid FROM checked WHERE device = :device", "SELECT * FROM checked", "TABLE checked; -- all",
    "WITH d AS (SELECT * FROM checked) SELECT * FROM d WHERE device = :device OR device = lower(:device)",
  ])
  func aQueryThatCanBeAskedIsNotDone(_ query: String) throws {
    try view(query).check()
    #expect(try view(query).records(of: "a").count == 1)
  }

  @Test(arguments: [
    ("SELECT uuid FROM check WHERE device = :device", "syntax error"),
    ("SELECT uuid FROM unchecked", "\"unchecked\" does not exist"),
    ("SELECT id FROM checked", "\"id\" does not exist"),
    ("SELECT uuid FROM checked WHERE device = :device + 1 AND uuid = 7", "operator does not exist"),
  ])
  func aQueryThatCannotBeAskedIsToldWithTheReason(_ query: String, _ reason: String) throws {
    let problem = try #require(throws: StoreViewError.self) { try view(query).check() }
    #expect(problem.text.contains(reason), "\(problem.text)")
  }

  /// It is read by the server and not done: nothing of it shows.
  @Test func nothingIsDone() throws {
    try view("DELETE FROM checked").check()
    #expect(try view("TABLE checked").records(of: "a").count == 1)
  }
}
