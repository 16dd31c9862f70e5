import Database
import Support
import Testing

@Suite struct SchemaTests {
  private let directory: TemporaryFolder
  private let one = Migration(1, "CREATE TABLE a(x INTEGER NOT NULL) STRICT; INSERT INTO a VALUES (1)")
  private let two = Migration(2, "ALTER TABLE a ADD COLUMN y INTEGER; UPDATE a SET y = x + 1")

  init() throws { directory = try TemporaryFolder() }

  private func open() throws -> Connection { try Connection(path: directory.file("db")) }

  @Test func appliesEachMigrationOnce() throws {
    let first = Schema(applicationID: 77, migrations: [one])
    let second = Schema(applicationID: 77, migrations: [one, two])
    do {
      let connection = try open()
      #expect(try connection.version(of: first) == 0)
      try connection.migrate(to: first)
      try connection.migrate(to: first)
      #expect(try connection.version(of: first) == 1)
    }
    let connection = try open()
    try connection.migrate(to: second)
    #expect(try connection.version(of: second) == 2)
    #expect(try connection.integer("SELECT sum(x * 10 + y) FROM a") == 12)
    #expect(try connection.integer("PRAGMA application_id") == 77)
  }

  @Test func aMigrationThatFailsInTheMiddleLeavesTheVersionBefore() throws {
    let connection = try open()
    try connection.migrate(to: Schema(applicationID: 77, migrations: [one]))
    let broken = Schema(
      applicationID: 77,
      migrations: [
        one, two, Migration(3, "CREATE TABLE b(z INTEGER); UPDATE a SET x = 5; INSERT INTO missing VALUES (1)"),
      ])
    let error = #expect(throws: DatabaseError.self) { try connection.migrate(to: broken) }
    #expect(error?.message == "no such table: missing")
    let isOpen = connection.isInTransaction
    #expect(!isOpen)
    #expect(try connection.version(of: broken) == 2)
    #expect(try connection.integer("SELECT sum(x * 10 + y) FROM a") == 12)
    #expect(try connection.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'b'") == 0)
  }

  @Test func refusesAFileOfNewerCodeAndSaysBothNumbers() throws {
    let connection = try open()
    try connection.migrate(to: Schema(applicationID: 77, migrations: [one, two]))
    let error = #expect(throws: DatabaseError.self) {
      try connection.migrate(to: Schema(applicationID: 77, migrations: [one]))
    }
    #expect(error?.kind == .newerVersion(found: 2, known: 1))
    #expect(error?.description == "the file has version 2, this program knows versions up to 1")
    let isOpen = connection.isInTransaction
    #expect(!isOpen)
  }

  @Test func refusesAFileOfSomebodyElse() throws {
    let ours = Schema(applicationID: 77, migrations: [one])
    let connection = try open()
    try connection.execute("CREATE TABLE theirs(x)")
    #expect { try connection.migrate(to: ours) } throws: {
      ($0 as? DatabaseError)?.kind == .foreignFile(applicationID: 0)
    }
    try connection.execute("PRAGMA application_id = 78")
    #expect { try connection.migrate(to: ours) } throws: {
      ($0 as? DatabaseError)?.kind == .foreignFile(applicationID: 78)
    }
    #expect(try connection.integer("SELECT count(*) FROM sqlite_schema") == 1)
  }

  /// Many rounds, so that in some of them one is faster between the other's question and its lock.
  @Test(arguments: 0..<40) func severalConnectionsMayMigrateAtOnce(round: Int) async throws {
    let schema = Schema(applicationID: 77, migrations: [one, two])
    try await withThrowingTaskGroup { group in
      for _ in 0..<3 {
        group.addTask { [path = directory.file("db")] in try Connection(path: path).migrate(to: schema) }
      }
      try await group.waitForAll()
    }
    let connection = try open()
    #expect(try connection.integer("SELECT sum(x * 10 + y) FROM a") == 12, "round \(round)")
  }

  @Test func aReaderCanAskForTheVersionOfAFinishedFile() throws {
    let schema = Schema(applicationID: 77, migrations: [one])
    try open().migrate(to: schema)
    let reader = try Connection(path: directory.file("db"), access: .readOnly)
    #expect(try reader.version(of: schema) == 1)
    try reader.migrate(to: schema)
  }
}
