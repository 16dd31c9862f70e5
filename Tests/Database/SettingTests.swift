import Database
import Support
import Testing

@Suite struct SettingTests {
  private let directory: TemporaryFolder

  init() throws { directory = try TemporaryFolder() }

  @Test func everySettingTakesOnAFile() throws {
    let connection = try Connection(path: directory.file("db"))
    try connection.apply(.pageSize(bytes: 8_192))
    try connection.apply(.journalMode(.wal))
    for setting: Setting in [
      .synchronous(.off), .synchronous(.normal), .synchronous(.full), .cacheSize(kilobytes: 20_000),
      .automaticCheckpoint(pages: 0), .automaticCheckpoint(pages: 4_000), .maximumPageCount(1_000),
    ] {
      try connection.apply(setting)
    }
    try connection.execute("CREATE TABLE t(a)")
    let pageSize = try connection.integer("PRAGMA page_size")
    #expect(pageSize == 8_192)
  }

  @Test func aSettingThatDoesNotTakeIsAnError() throws {
    let connection = try Connection(path: ":memory:")
    try connection.execute("CREATE TABLE t(a); INSERT INTO t VALUES (zeroblob(100000))")
    for setting: Setting in [.journalMode(.wal), .pageSize(bytes: 8_192), .maximumPageCount(2)] {
      let error = #expect(throws: DatabaseError.self) { try connection.apply(setting) }
      #expect(error?.kind == .settingRefused, "\(setting)")
    }
    let error = #expect(throws: DatabaseError.self) { try connection.apply(.journalMode(.wal)) }
    #expect(error?.description == "journal_mode stays memory in: PRAGMA journal_mode = wal")
  }

  @Test func foreignKeysAreEnforcedFromTheBeginning() throws {
    let connection = try Connection(path: ":memory:")
    let isOn = try connection.integer("PRAGMA foreign_keys")
    #expect(isOn == 1)
  }

  @Test func checkpointsMoveTheLogIntoTheFile() throws {
    let writer = try Connection(path: directory.file("db"), busyTimeoutMilliseconds: 0)
    try writer.apply(.journalMode(.wal))
    try writer.apply(.automaticCheckpoint(pages: 0))
    try writer.execute("CREATE TABLE t(a); INSERT INTO t VALUES (zeroblob(100000))")
    let reader = try Connection(path: directory.file("db"))
    do {
      var query = try reader.prepare("SELECT count(*) FROM t")
      var rows = query.start()
      try rows.next()
      try writer.execute("INSERT INTO t VALUES (zeroblob(100000))")
      let partial = try writer.checkpoint(.passive)
      #expect(partial.pagesMoved > 20 && partial.pagesMoved < partial.pagesInLog)
      let error = #expect(throws: DatabaseError.self) { try writer.checkpoint(.truncate) }
      #expect(error?.kind == .busy)
    }
    let whole = try writer.checkpoint(.passive)
    #expect(whole.pagesInLog > 40 && whole.pagesMoved == whole.pagesInLog)
    let truncated = try writer.checkpoint(.truncate)
    #expect(truncated.pagesInLog == 0 && truncated.pagesMoved == 0)
    #expect(try directory.read("db-wal").isEmpty)
  }

  @Test func aSoundFileHasNoProblemsAtEitherDepth() throws {
    let connection = try Connection(path: directory.file("db"))
    try connection.execute("CREATE TABLE t(a UNIQUE); INSERT INTO t VALUES (1), (2)")
    for depth in [Connection.CheckDepth.quick, .full] {
      let problems = try connection.problems(depth)
      #expect(problems.isEmpty)
    }
  }

  /// The quick check does not compare an index with its table, the full one does.
  @Test func aRowMissingInAnIndexIsFoundByTheFullCheckOnly() throws {
    do {
      let connection = try Connection(path: directory.file("db"))
      try connection.execute(
        "CREATE TABLE t(a TEXT); CREATE INDEX i ON t(a); INSERT INTO t VALUES ('needle'), ('straw')")
    }
    var bytes = try directory.read("db")
    let needle = Array("needle".utf8)
    let index = try #require(bytes.indices.dropLast(6).last { Array(bytes[$0..<($0 + 6)]) == needle })
    bytes[index] = UInt8(ascii: "m")
    try directory.write(bytes, to: "db")
    let connection = try Connection(path: directory.file("db"))
    let quick = try connection.problems(.quick)
    let full = try connection.problems(.full)
    #expect(quick.isEmpty && !full.isEmpty)
  }
}
