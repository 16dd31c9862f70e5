import Base
import Database
import JSON
import ServerSupport
import Store
import Support
import Testing

@testable import IngestServer

/// Verdicts while a transaction of another program is open in the same PostgreSQL.
@Suite(.timeLimit(.minutes(10)), .enabled(if: PostgresCluster.isThere, "install the package postgresql"))
struct HeldBackTests {
  @Test func whatIsStoredCounts() throws {
    let place = try PostgresCluster.shared.get().place()
    var configuration = ServerConfiguration.loopback(loops: 2)
    configuration.data = place
    let server = try IngestServer(configuration)
    defer { server.stop() }
    let other = try PostgresConnection(to: place)
    try other.run("BEGIN")
    _ = try other.perform("SELECT pg_current_xact_id()::text")
    let any = #""where":[{"path":"$.uuid","exists":true}]"#
    // It begins before the record is there.
    let first = try begin(server, "/admin/v1/await", #"{"device":"a",\#(any),"exactly":0,"holds":"1s","since":"now"}"#)
    while !server.context.hub.wantsRecords { try #require(!Task.isCancelled, "not within the time limit") }
    let waits = try [
      #"{"device":"a",\#(any),"exactly":0,"holds":"1s"}"#,
      #"{"device":"a",\#(any),"timeout":"2s"}"#,
      #"{"device":"a","uuids":["\#(Uploads.uuid(1))"],"timeout":"2s"}"#,
    ].map { try begin(server, "/admin/v1/await", $0) }
    #expect(try post(server, "/locations/a", Uploads.record(1)).status == 200)
    #expect(try ([first] + waits).map { try end($0).status } == [409, 409, 200, 200])
    for (expectation, status) in [
      (#"{"device":"a",\#(any),"exactly":1}"#, 200), (#"{"device":"a",\#(any),"exactly":0}"#, 409),
      (#"{"device":"a","exactly":1,"since":"2020-01-01T00:00:00Z"}"#, 200),
      (#"{"device":"a","exactly":1,"from":"2020-01-01T00:00:00Z"}"#, 200),
    ] {
      let answer = try post(server, "/admin/v1/verify", expectation)
      #expect(answer.status == status, "\(expectation): \(answer.text)")
    }
    let answer = try post(server, "/admin/v1/verify", #"{"device":"a","uuids":["\#(Uploads.uuid(1))"]}"#)
    #expect(try answer.json()["missing"] == .integer(0))
    try other.run("ROLLBACK")
  }
}
