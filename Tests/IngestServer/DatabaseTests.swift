import Database
import HTTP1
import JSON
import ServerSupport
import Support
import Testing

@testable import IngestServer

/// A whole server whose records are in PostgreSQL.
@Suite(.timeLimit(.minutes(10)), .enabled(if: PostgresCluster.isThere, "install the package postgresql"))
struct DatabaseTests {
  private func withServer(_ body: (IngestServer, _ other: PostgresConnection) throws -> Void) throws {
    var configuration = ServerConfiguration.loopback(loops: 2)
    configuration.data = try PostgresCluster.shared.get().place()
    let server = try IngestServer(configuration)
    defer { server.stop() }
    try body(server, try PostgresConnection(to: configuration.data))
  }

  private func get(_ server: IngestServer, _ target: String) throws -> TestAnswer {
    let client = try LoopbackClient(port: server.port)
    try client.send(SessionHarness.bytes("GET", target, [("Connection", "close")]))
    return try end(client)
  }

  @Test func whatWasStoredBeforeIsNotNew() throws {
    try withServer { server, _ in
      for number in 1...2 {
        #expect(try post(server, "/locations/a", Uploads.record(number, event: "geofence")).status == 200)
      }
      for expectation in [
        "", #","atLeast":1,"atMost":1"#, #","event":"geofence""#, #","uuids":["\#(Uploads.uuid(1))"]"#,
      ] {
        let body = #"{"device":"a","since":"now","timeout":"100ms"\#(expectation)}"#
        let answer = try post(server, "/admin/v1/await", body)
        #expect(answer.status == 408, "\(body): \(answer.text)")
      }
    }
  }

  /// A transaction of another program keeps back what is told.
  @Test(arguments: [(#""exactly":2"#, 200), (#""exactly":1"#, 409), (#""uuids":["\#(Uploads.uuid(2))"]"#, 200)])
  func whatIsNewAndNotToldYetCounts(expectation: String, status: Int) throws {
    try withServer { server, other in
      try other.run("BEGIN")
      _ = try other.perform("SELECT pg_current_xact_id()::text")
      #expect(try post(server, "/locations/a", Uploads.record(0)).status == 200)
      let wait = try begin(server, "/admin/v1/await", #"{"device":"a","since":"now","timeout":"1s",\#(expectation)}"#)
      while !server.context.hub.wantsRecords { try #require(!Task.isCancelled, "not within the time limit") }
      #expect(try post(server, "/locations/a", Uploads.batch(1..<3)).status == 200)
      let answer = try end(wait)
      #expect(answer.status == status, "\(answer.text)")
      try other.run("ROLLBACK")
    }
  }

  /// The boards of all servers are in the database, which may be busy; the journal is this server's own.
  @Test func theJournalAnswersWhileAResetWaitsForTheDatabase() throws {
    try withServer { server, other in
      try other.run("BEGIN")
      try other.run("LOCK TABLE documents IN SHARE MODE")
      let reset = try begin(server, "/admin/v1/reset?run=x", "")
      let waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'documents'::regclass"
      while try other.perform(waiting).integer(0, 0) == 0 {
        try #require(!Task.isCancelled, "not within the time limit")
      }
      #expect(try get(server, "/admin/v1/requests").status == 200)
      try other.run("ROLLBACK")
      let answer = try end(reset)
      #expect(try answer.status == 200 && answer.json()["journal"] == .bool(true), "\(answer.text)")
    }
  }
}
