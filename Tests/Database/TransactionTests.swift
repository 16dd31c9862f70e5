import Database
import Support
import Testing

@Suite struct TransactionTests {
  private struct Failure: Error {}

  /// The shape in which stores hold a connection and its statements.
  private struct Ledger: ~Copyable {
    let connection: Connection
    var insert: Statement

    init(path: String) throws(DatabaseError) {
      let connection = try Connection(path: path, busyTimeoutMilliseconds: 0)
      try connection.execute("CREATE TABLE IF NOT EXISTS t(a INTEGER UNIQUE) STRICT")
      insert = try connection.prepare("INSERT INTO t VALUES (?)")
      self.connection = connection
    }

    mutating func add(_ values: [Int64]) throws(DatabaseError) {
      try connection.transaction(.immediate) { () throws(DatabaseError) in
        for value in values { try Ledger.add(value, with: &insert) }
      }
    }

    private static func add(_ value: Int64, with insert: inout Statement) throws(DatabaseError) {
      var row = insert.start()
      row.bind(1, value)
      try row.run()
    }

    var sum: Int64 {
      get throws(DatabaseError) { try connection.integer("SELECT coalesce(sum(a), 0) FROM t") }
    }
  }

  /// What has gone to the file before the commit is no more certain for that.
  @Test(arguments: ["", ":memory:"]) func whatWasWrittenEarlyIsRolledBack(path: String) throws {
    let connection = try Connection(path: path)
    if path.isEmpty { try connection.apply(.journalMode(.memory)) }
    try connection.execute("CREATE TABLE t(a INTEGER, b BLOB)")
    func add(_ count: Int) throws(DatabaseError) {
      for number in 0..<count { try connection.execute("INSERT INTO t VALUES (\(number), zeroblob(3000))") }
    }
    try connection.transaction(.immediate) { () throws(DatabaseError) in
      try add(40)
      try connection.flushCache()
      try add(10)
    }
    #expect(try connection.integer("SELECT count(*) FROM t") == 50)
    #expect(throws: DatabaseError.self) {
      try connection.transaction(.immediate) { () throws(DatabaseError) in
        try add(300)
        try connection.execute("UPDATE t SET a = 7")
        try connection.flushCache()
        try connection.execute("nothing that is SQL")
      }
    }
    #expect(try connection.integer("SELECT count(*) FROM t WHERE a <> 7") == 48)
    #expect(try connection.problems(.full).isEmpty)
  }

  @Test func commitsAllOrNothing() throws {
    var ledger = try Ledger(path: ":memory:")
    try ledger.add([1, 2, 4])
    #expect(throws: DatabaseError.self) { try ledger.add([8, 16, 1]) }
    let isOpen = ledger.connection.isInTransaction
    #expect(!isOpen)
    try ledger.add([32])
    let sum = try ledger.sum
    #expect(sum == 39)
  }

  @Test func givesBackWhatItsBodyReturns() throws {
    let connection = try Connection(path: ":memory:")
    let answer = try connection.transaction(.deferred) { () throws(DatabaseError) in
      try connection.integer("SELECT 6 * 7")
    }
    #expect(answer == 42)
  }

  @Test func anImmediateTransactionKeepsOtherWritersOutAndADeferredOneDoesNot() throws {
    let directory = try TemporaryFolder()
    let first = try Ledger(path: directory.file("db"))
    var second = try Ledger(path: directory.file("db"))
    try first.connection.apply(.journalMode(.wal))
    try first.connection.transaction(.immediate) { () throws(DatabaseError) in
      let error = #expect(throws: DatabaseError.self) { try second.add([1]) }
      #expect(error?.kind == .busy)
    }
    try first.connection.transaction(.deferred) { () throws(DatabaseError) in try second.add([1]) }
    let sum = try first.sum
    #expect(sum == 1)
  }

  /// In the rollback-journal mode a reader that has not finished makes COMMIT itself fail.
  @Test func aCommitThatFailsIsReportedAndRolledBack() throws {
    let directory = try TemporaryFolder()
    var writer = try Ledger(path: directory.file("db"))
    try writer.add([1, 2])
    let reader = try Connection(path: directory.file("db"), busyTimeoutMilliseconds: 0)
    var query = try reader.prepare("SELECT a FROM t")
    do {
      var rows = query.start()
      try rows.next()
      let error = #expect(throws: DatabaseError.self) { try writer.add([4]) }
      #expect(error?.kind == .busy)
      #expect(error?.sql == "COMMIT")
      let isOpen = writer.connection.isInTransaction
      #expect(!isOpen)
    }
    let sum = try writer.sum
    #expect(sum == 3)
    try writer.add([4])
    let sumAfter = try writer.sum
    #expect(sumAfter == 7)
  }

  /// SQLite has rolled back by itself when the error arrives; the error is still the one that the body met.
  @Test func survivesARollbackThatSQLiteDidByItself() throws {
    let connection = try Connection(path: ":memory:")
    try connection.execute("CREATE TABLE t(a BLOB) STRICT")
    try connection.apply(.maximumPageCount(20))
    let error = #expect(throws: DatabaseError.self) {
      try connection.transaction(.immediate) { () throws(DatabaseError) in
        try connection.execute("INSERT INTO t VALUES (zeroblob(10))")
        try connection.execute("INSERT OR ROLLBACK INTO t VALUES (zeroblob(1000000))")
      }
    }
    #expect(error?.kind == .full)
    let isOpen = connection.isInTransaction
    let count = try connection.integer("SELECT count(*) FROM t")
    #expect(!isOpen && count == 0)
  }
}
