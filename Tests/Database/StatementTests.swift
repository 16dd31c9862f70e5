import Database
import Testing

@Suite struct StatementTests {
  private func open() throws -> Connection {
    let connection = try Connection(path: ":memory:")
    try connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, a ANY) STRICT")
    return connection
  }

  @Test(arguments: [0, 1, -1, .min, .max, 1 << 31, -(1 << 31) - 1] as [Int64])
  func integersComeBack(value: Int64) throws {
    let connection = try open()
    var query = try connection.prepare("SELECT ?1, typeof(?1)")
    var rows = query.start()
    rows.bind(1, value)
    try rows.next()
    let (copy, type) = (rows.integer(at: 0), rows.text(at: 1))
    let isMore = try rows.step()
    #expect(copy == value && type == "integer" && !isMore)
  }

  @Test(
    arguments: [
      0, -0.0, 1.5, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 0.1,
      4_503_599_627_370_497.5,
    ] as [Double])
  func doublesComeBackBitForBit(value: Double) throws {
    let connection = try open()
    var query = try connection.prepare("SELECT ?1, typeof(?1)")
    var rows = query.start()
    rows.bind(1, value)
    try rows.next()
    let (copy, type) = (rows.double(at: 0), rows.text(at: 1))
    #expect(copy.bitPattern == value.bitPattern && type == "real")
  }

  @Test func notANumberIsStoredAsNull() throws {
    let connection = try open()
    var query = try connection.prepare("SELECT ?")
    var rows = query.start()
    rows.bind(1, Double.nan)
    try rows.next()
    let isNull = rows.isNull(at: 0)
    #expect(isNull)
  }

  @Test(arguments: [0, 1, 3, 22, 8_192, 1_000_000]) func textAndBlobsOfAllSizesComeBack(length: Int) throws {
    let connection = try open()
    let bytes = (0..<length).map { UInt8($0 % 128) }
    for isText in [true, false] {
      var insert = try connection.prepare("INSERT INTO t(a) VALUES (?)")
      var execution = insert.start()
      if isText { execution.bind(1, text: bytes.span) } else { execution.bind(1, blob: bytes.span) }
      try execution.run()
      var query = try connection.prepare("SELECT a, typeof(a) FROM t WHERE id = last_insert_rowid()")
      var rows = query.start()
      try rows.next()
      let (copy, type) = (rows.array(at: 0), rows.text(at: 1))
      #expect(copy == bytes && type == (isText ? "text" : "blob"))
    }
  }

  @Test func emptyTextEmptyBlobAndNullAreThreeThings() throws {
    let connection = try open()
    let empty: [UInt8] = []
    var query = try connection.prepare("SELECT typeof(?), typeof(?), typeof(?), typeof(?), typeof(?)")
    var rows = query.start()
    rows.bind(1, text: empty.span)
    rows.bind(2, blob: empty.span)
    rows.bindNull(3)
    // This one has no address at all.
    rows.bind(4, text: Span())
    rows.bind(5, blob: Span())
    try rows.next()
    let types = (0..<5).map { rows.text(at: $0) }
    #expect(types == ["text", "blob", "null", "text", "blob"])
  }

  @Test func textHoldsAnEmbeddedNULAndAnyUnicode() throws {
    let connection = try open()
    for text in ["a\u{0}b", "\u{0}", "é", "😀\u{10FFFF}", "short", "a text that is too long for the inline form"] {
      var query = try connection.prepare("SELECT ?")
      var rows = query.start()
      rows.bind(1, text: text.utf8.span)
      try rows.next()
      let copy = rows.text(at: 0)
      #expect(copy == text)
    }
  }

  @Test func bytesThatAreNoTextAreRepairedOnlyInTheString() throws {
    let connection = try open()
    let bytes: [UInt8] = [0x61, 0xFF, 0x62]
    var query = try connection.prepare("SELECT ?")
    var rows = query.start()
    rows.bind(1, text: bytes.span)
    try rows.next()
    let (copy, text) = (rows.array(at: 0), rows.text(at: 0))
    #expect(copy == bytes && text == "a\u{FFFD}b")
  }

  @Test func runsAgainAfterItsEndAfterABreakAndAfterAnError() throws {
    let connection = try open()
    var insert = try connection.prepare("INSERT INTO t(id, a) VALUES (?, ?)")
    func put(_ id: Int64, _ text: String) throws(DatabaseError) {
      var execution = insert.start()
      execution.bind(1, id)
      execution.bind(2, text: text.utf8.span)
      try execution.run()
    }
    try put(1, "one")
    #expect(throws: DatabaseError.self) { try put(1, "one again") }
    try put(2, "two")
    var query = try connection.prepare("SELECT a FROM t ORDER BY id")
    for _ in 0..<2 {
      var rows = query.start()
      try rows.next()
      let text = rows.text(at: 0)
      #expect(text == "one")
    }
    // A statement that was left in the middle and not reset would keep the table locked.
    try connection.execute("DROP TABLE t")
  }

  @Test func countsChangesAndSaysTheLastRow() throws {
    let connection = try open()
    try connection.execute("INSERT INTO t(id, a) VALUES (7, 'x'), (9, 'y')")
    let (changes, row) = (connection.changes, connection.lastInsertedRowID)
    #expect(changes == 2 && row == 9)
    try connection.execute("INSERT OR IGNORE INTO t(id, a) VALUES (7, 'z')")
    let changesNow = connection.changes
    #expect(changesNow == 0)
  }

  @Test func keepsItsConnectionOpen() throws {
    func orphan() throws -> Statement { try Connection(path: ":memory:").prepare("SELECT 41 + ?") }
    var statement = try orphan()
    var rows = statement.start()
    rows.bind(1, 1 as Int64)
    try rows.next()
    let sum = rows.integer(at: 0)
    #expect(sum == 42)
  }

  @Test func readsTheFirstIntegerOfAQuery() throws {
    let connection = try open()
    let answer = try connection.integer("SELECT count(*) + 3 FROM t")
    #expect(answer == 3)
  }
}

extension Execution {
  struct NoRow: Error {}

  /// Steps to a row that must be there.
  mutating func next() throws {
    guard try step() else { throw NoRow() }
  }

  func array(at column: Int32) -> [UInt8] {
    let span = bytes(at: column)
    return span.indices.map { span[$0] }
  }
}
