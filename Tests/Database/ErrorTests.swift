import Database
import Glibc
import Support
import Testing

/// Each kind provoked for real: by the file, the disk or another connection, not by a stand-in.
@Suite struct ErrorTests {
  private let directory: TemporaryFolder

  init() throws { directory = try TemporaryFolder() }

  private func error(_ body: () throws -> Void) -> DatabaseError? {
    #expect(throws: DatabaseError.self, performing: body)
  }

  /// A database of some 60 pages that is not open.
  private func makeDatabase() throws {
    let connection = try Connection(path: directory.file("db"))
    try connection.execute(
      """
      CREATE TABLE t(a INTEGER PRIMARY KEY, b BLOB) STRICT;
      WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 500)
      INSERT INTO t SELECT i, zeroblob(400) FROM n;
      """)
  }

  /// The text may be a user's.
  @Test(arguments: [
    "", "-- nothing", "SELECT 1; SELECT 2", "SELECT 1; -- one\nSELECT 2", "SELECT 1; nothing", "SELECT 1; \u{0}",
    "SELECT \((0..<65).map { _ in "?" }.joined(separator: ","))",
  ])
  func oneStatementIsPreparedAtATime(sql: String) throws {
    let connection = try Connection(path: ":memory:")
    let error = error { _ = try connection.prepare(sql) }
    #expect(error?.message == "it is not one statement with at most 64 parameters" && error?.sql == sql)
    for end in ["\n", " -- all", "/* all */; -- :a\n"] {
      #expect(try connection.prepare("SELECT 1;\(end)").parameterNames == [])
    }
    #expect(try connection.prepare("SELECT :a, ?, :a").parameterNames == [":a", nil])
  }

  @Test func busyWhenAnotherConnectionHoldsTheLock() throws {
    try makeDatabase()
    let first = try Connection(path: directory.file("db"))
    let second = try Connection(path: directory.file("db"), busyTimeoutMilliseconds: 1)
    try first.execute("BEGIN IMMEDIATE")
    let error = error { try second.execute("DELETE FROM t") }
    #expect(error?.kind == .busy && error?.code == 5)
    #expect(error?.message == "database is locked" && error?.sql == "DELETE FROM t")
    try first.execute("ROLLBACK")
    try second.execute("DELETE FROM t")
  }

  @Test func fullWhenNoPageIsLeft() throws {
    try makeDatabase()
    let connection = try Connection(path: directory.file("db"))
    try connection.apply(.maximumPageCount(100))
    let error = error { try connection.execute("INSERT INTO t(b) VALUES (zeroblob(1000000))") }
    #expect(error?.kind == .full && error?.code == 13)
    let count = try connection.integer("SELECT count(*) FROM t")
    #expect(count == 500)
  }

  /// The process may not write beyond 128 KiB of any file, and the write beyond fails with EFBIG.
  @Test func inputOutputWhenTheSystemRefusesAWrite() async {
    await #expect(processExitsWith: .success) {
      let directory = try TemporaryFolder()
      let connection = try Connection(path: directory.file("db"))
      try connection.apply(.journalMode(.wal))
      try connection.execute("CREATE TABLE t(a INTEGER PRIMARY KEY, b BLOB) STRICT; INSERT INTO t VALUES (1, x'')")
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit(rlim_cur: 1 << 17, rlim_max: rlim_t.max)
      let wasLimited = unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      #expect(wasLimited == 0)
      let error = #expect(throws: DatabaseError.self) {
        try connection.transaction(.immediate) { () throws(DatabaseError) in
          try connection.execute("INSERT INTO t VALUES (2, randomblob(1000000))")
        }
      }
      #expect(error?.kind == .inputOutput)
      #expect(error?.extendedCode == 778, "SQLITE_IOERR_WRITE, which is 10 | 3 << 8")
      let count = try connection.integer("SELECT count(*) FROM t")
      #expect(count == 1)
      try connection.execute("INSERT INTO t VALUES (2, x'')")
    }
  }

  @Test func corruptWhenPagesAreDamaged() throws {
    try makeDatabase()
    var bytes = try directory.read("db")
    for page in 10...20 { bytes[page * 4_096] ^= 0x55 }
    try directory.write(bytes, to: "db")
    let connection = try Connection(path: directory.file("db"))
    let error = error { _ = try connection.integer("SELECT sum(length(b)) FROM t") }
    #expect(error?.kind == .corrupt && error?.code == 11)
    let problems = try connection.problems(.quick)
    #expect(problems.count > 1, "what was found before the check had to stop, and why it stopped")
  }

  @Test func corruptWhenTheFileWasTruncated() throws {
    try makeDatabase()
    try directory.write(Array(try directory.read("db").prefix(8 * 4_096)), to: "db")
    let error = error { _ = try Connection(path: directory.file("db")).integer("SELECT sum(length(b)) FROM t") }
    #expect(error?.kind == .corrupt)
  }

  @Test(arguments: [20, 5_000]) func notADatabaseWhenTheFileIsText(length: Int) throws {
    try directory.write(Array(repeating: 0x61, count: length), to: "db")
    let error = error { _ = try Connection(path: directory.file("db")) }
    #expect(error?.kind == .notADatabase && error?.code == 26)
  }

  @Test func readOnlyWhenOpenedSo() throws {
    try makeDatabase()
    let connection = try Connection(path: directory.file("db"), access: .readOnly)
    let error = error { try connection.execute("DELETE FROM t") }
    #expect(error?.kind == .readOnly && error?.code == 8)
  }

  @Test func cantOpenADirectoryOrWhatIsMissing() throws {
    #expect(error { _ = try Connection(path: directory.path) }?.kind == .cantOpen)
    for access in [Connection.Access.readOnly, .readWrite] {
      #expect(error { _ = try Connection(path: directory.file("none"), access: access) }?.kind == .cantOpen)
    }
  }

  @Test(
    arguments: [
      ("INSERT INTO c(id, k) VALUES (2, 'a')", .unique),
      ("INSERT INTO c(id, k) VALUES (1, 'z')", .primaryKey),
      ("INSERT INTO plain(rowid, x) VALUES (1, 2)", .rowID),
      ("INSERT INTO c(id, k) VALUES (3, NULL)", .notNull),
      ("INSERT INTO c(id, k, positive) VALUES (3, 'b', -1)", .check),
      ("INSERT INTO c(id, k, parent) VALUES (3, 'b', 99)", .foreignKey),
      ("INSERT INTO c(id, k, positive) VALUES (3, 'b', 'text')", .datatype),
      ("DELETE FROM c", .trigger),
    ] as [(String, DatabaseError.Constraint)])
  func constraintWithItsReason(sql: String, constraint: DatabaseError.Constraint) throws {
    let connection = try Connection(path: ":memory:")
    try connection.execute(
      """
      CREATE TABLE c(id INTEGER PRIMARY KEY, k TEXT NOT NULL UNIQUE, positive INTEGER CHECK (positive > 0),
        parent INTEGER REFERENCES c(id)) STRICT;
      CREATE TABLE plain(x);
      CREATE TRIGGER keep BEFORE DELETE ON c BEGIN SELECT raise(ABORT, 'kept'); END;
      INSERT INTO c(id, k) VALUES (1, 'a');
      INSERT INTO plain(x) VALUES (1);
      """)
    var statement = try connection.prepare(sql)
    let error = error { try statement.start().run() }
    #expect(error?.kind == .constraint(constraint))
    #expect(error?.sql == sql && error?.code == 19)
  }

  @Test func otherForSQLThatMakesNoSense() throws {
    let connection = try Connection(path: ":memory:")
    let error = error { _ = try connection.prepare("SELEKT 1") }
    #expect(error?.kind == .other && error?.sql == "SELEKT 1")
    #expect(error?.description == "near \"SELEKT\": syntax error (1, extended 1) in: SELEKT 1")
    #expect(self.error { try connection.execute("SELECT \"no such column\"") }?.kind == .other)
  }

  /// The value is address space without memory: SQLite refuses it by its length.
  @Test func aValueThatIsTooBigFailsInTheStep() throws {
    let connection = try Connection(path: ":memory:")
    var query = try connection.prepare("SELECT length(?), ?")
    let length = 1_000_000_001
    let mapping = unsafe mmap(nil, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
    defer { unsafe munmap(mapping, length) }
    let bytes = unsafe UnsafeRawBufferPointer(start: mapping, count: length).bindMemory(to: UInt8.self)
    var rows = query.start()
    rows.bind(1, blob: unsafe bytes.span)
    rows.bind(2, 1 as Int64)
    do {
      _ = try rows.step()
      Issue.record("SQLite took more than its limit")
    } catch {
      #expect(error.description == "string or blob too big (18, extended 18) in: SELECT length(?), ?")
    }
  }
}
