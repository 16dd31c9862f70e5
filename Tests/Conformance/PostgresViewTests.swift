import Base
import Database
import Testing

@testable import BackendStore

/// A PostgreSQL database as it is asked: over the client library, where that is installed, from a server that a test scripts.
@Suite(
  .timeLimit(.minutes(10)),
  .enabled(if: PostgresConnection.isLibraryThere, "libpq.so.5 is missing: install the package libpq5"))
struct PostgresViewTests {
  private static let uuid = "3F2504E0-4F89-41D3-9A0C-0305E82C3301"
  private static let columns: [(String, UInt32)] = [
    ("id", 17), ("time", 1184), ("lat", 701), ("is_moving", 16), ("raw", 3802), ("nothing", 25),
  ]

  private func store(_ server: ScriptedPostgres) -> PostgresView {
    PostgresView(
      uri: "postgresql://reader:pass%20word@127.0.0.1:\(server.port)/points?application_name=x",
      query: "SELECT * FROM points WHERE device = :device", fields: [])
  }

  @Test func rowsAreReadInATransactionThatOnlyReads() throws {
    let rows: [[String?]] = [
      [
        "\\x3f2504e04f8941d39a0c0305e82c3301", "2026-07-28 18:34:22.563+00", "45.519091234567", "t",
        #"{"extras":{"k":"ü"}}"#, nil,
      ],
      ["\\x00ff", "infinity", "1", "f", nil, "x"],
    ]
    let server = try ScriptedPostgres(.rows(rows, columns: Self.columns))
    let records = try store(server).records(of: "a")
    try #require(records.count == 2)
    #expect(records[0].uuid == UUID128(text: Self.uuid.utf8.span))
    #expect(records[0].value("timestamp")?.instant?.iso8601Text == "2026-07-28T18:34:22.563Z")
    #expect(records[0].value("coords.latitude")?.double == 45.519091234567)
    #expect(records[0].value("is_moving")?.shown == "true" && records[0].value("extras.k")?.shown == "\"ü\"")
    #expect(records[0].value("nothing")?.shown == "null")
    #expect(records[1].uuid == nil && records[1].value("id")?.string == "00ff")
    #expect(records[1].value("timestamp")?.instant == nil)
    let texts = server.texts
    try #require(texts.count == 3)
    #expect(texts[0].hasPrefix("BEGIN READ ONLY;") && texts[2] == "ROLLBACK")
    #expect(texts[1] == "SELECT * FROM points WHERE device = $1")
    // A setting of the session would stay with a connection that a pooler hands to others.
    let settings = texts[0].split(separator: ";").dropFirst()
    #expect(settings.count == 4 && settings.allSatisfy { $0.drop { $0 == " " }.hasPrefix("SET LOCAL ") })
  }

  @Test func aQueryThatFailsSaysWhy() throws {
    let server = try ScriptedPostgres(.fails("relation \"points\" does not exist"))
    let view = store(server)
    let problem = try #require(throws: StoreViewError.self) { try view.records(of: "a") }
    #expect(problem.text.contains("relation \"points\" does not exist") && server.texts.last == "ROLLBACK")
  }

  @Test func aMessageThatQuotesThePasswordDoesNotShowIt() throws {
    let server = try ScriptedPostgres(.refuses("no entry for \"pass word\", pass%20word"))
    let view = store(server)
    let problem = try #require(throws: StoreViewError.self) { try view.records(of: "a") }
    #expect(problem.text.contains("no entry for \"(secret)\", (secret)"), "\(problem.text)")
    #expect(view.place == "postgresql://reader@127.0.0.1:\(server.port)/points")
  }

  @Test func aServerThatSaysNothingIsGivenUp() throws {
    let server = try ScriptedPostgres(.isSilent)
    let connection = try PostgresConnection(to: "postgresql://a@127.0.0.1:\(server.port)/b", silence: 50)
    try connection.ask("SELECT 1", value: nil)
    let failure = try #require(throws: PostgresConnection.Failure.self) { try connection.step() }
    #expect(failure.message == "the server has sent nothing for 0 s")
    // It is not asked again.
    #expect(throws: PostgresConnection.Failure.self) { try connection.ask("SELECT 1", value: nil) }
  }

  @Test func oneConnectionServesAllDevices() throws {
    let server = try ScriptedPostgres(.rows([[Self.uuid]], columns: [("uuid", 2950)]))
    let session = try store(server).session()
    for device in ["a", "b"] {
      var found = 0
      try session.read(device) { if $0.uuid != nil { found += 1 } }
      #expect(found == 1)
    }
    #expect(server.texts.count == 6 && server.connections == 1)
  }
}

/// What is shown of a URI.
@Suite struct PostgresPlaceTests {
  @Test(arguments: [
    ("postgresql://reader:word@db.test:1/points", "postgresql://reader@db.test:1/points"),
    ("postgres://reader@db.test/points?sslmode=require", "postgres://reader@db.test/points"),
    ("postgresql://db.test/points?user=reader&password=word", "postgresql://db.test/points"),
    ("postgresql://a:wo@rd@db.test,other.test", "postgresql://a@db.test,other.test"),
    ("postgresql:///points?host=/run/postgresql&sslpassword=word", "postgresql:///points"),
    ("postgresql://a:wo?rd@db.test/points?sslmode=require", "postgresql://a@db.test/points"),
    ("postgresql://db.test?application_name=a@b&password=word", "postgresql://db.test@b"),
  ])
  func aPlaceIsShownWithoutSecrets(uri: String, shown: String) throws {
    let place = try #require(PostgresURI(uri))
    #expect(place.shown == shown && place.hidingSecrets(in: "word") == (uri.contains("word") ? "(secret)" : "word"))
  }

  @Test func anotherNameIsAFile() {
    #expect(PostgresURI("points.db") == nil && PostgresURI("/var/postgres/points.db") == nil)
  }
}
