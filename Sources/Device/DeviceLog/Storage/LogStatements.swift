import Database

/// The statements of the table `log`. Times are milliseconds since 1970.
struct LogStatements: ~Copyable {
  private var insertion: Statement
  private var deletionBefore: Statement
  private var deletionUpTo: Statement
  private var deletionOfAll: Statement
  private var oldestFirst: Statement
  private var newestFirst: Statement
  private var sizes: Statement
}

extension LogStatements {
  init(_ connection: borrowing Connection) throws(DatabaseError) {
    let selection = "SELECT text FROM log WHERE written_at BETWEEN ? AND ? AND level <= ? ORDER BY id"
    self.init(
      insertion: try connection.prepare("INSERT INTO log(written_at, level, text) VALUES(?, ?, ?)"),
      deletionBefore: try connection.prepare("DELETE FROM log WHERE written_at < ?"),
      deletionUpTo: try connection.prepare("DELETE FROM log WHERE id <= ?"),
      deletionOfAll: try connection.prepare("DELETE FROM log"),
      oldestFirst: try connection.prepare("\(selection) LIMIT ?"),
      newestFirst: try connection.prepare("\(selection) DESC LIMIT ?"),
      sizes: try connection.prepare("SELECT id, length(text) FROM log ORDER BY id"))
  }

  mutating func insert(_ writtenAt: Int64, _ level: Int, _ text: Span<UInt8>) throws(DatabaseError) {
    var execution = insertion.start()
    execution.bind(1, writtenAt)
    execution.bind(2, Int64(level))
    execution.bind(3, blob: text)
    try execution.run()
  }

  mutating func delete(before instant: Int64) throws(DatabaseError) {
    var execution = deletionBefore.start()
    execution.bind(1, instant)
    try execution.run()
  }

  mutating func delete(upTo id: Int64) throws(DatabaseError) {
    var execution = deletionUpTo.start()
    execution.bind(1, id)
    try execution.run()
  }

  mutating func deleteAll() throws(DatabaseError) {
    try deletionOfAll.start().run()
  }

  /// Appends the texts of the entries in their order.
  mutating func read(
    _ instants: ClosedRange<Int64>, level: Int, newestFirst isDescending: Bool, limit: Int, into bytes: inout [UInt8]
  ) throws(DatabaseError) {
    if isDescending {
      try LogStatements.read(&newestFirst, instants, level, limit, &bytes)
    } else {
      try LogStatements.read(&oldestFirst, instants, level, limit, &bytes)
    }
  }

  private static func read(
    _ statement: inout Statement, _ instants: ClosedRange<Int64>, _ level: Int, _ limit: Int, _ bytes: inout [UInt8]
  ) throws(DatabaseError) {
    var execution = statement.start()
    execution.bind(1, instants.lowerBound)
    execution.bind(2, instants.upperBound)
    execution.bind(3, Int64(level))
    execution.bind(4, Int64(limit))
    while try execution.step() { bytes += execution.blob(at: 0) }
  }

  /// The last id of the oldest entries whose texts make up `surplus` bytes, and how many bytes those are.
  mutating func oldest(bytes surplus: Int) throws(DatabaseError) -> (id: Int64, bytes: Int) {
    var id: Int64 = 0
    var bytes = 0
    var execution = sizes.start()
    while bytes < surplus, try execution.step() {
      id = execution.integer(at: 0)
      bytes += Int(execution.integer(at: 1))
    }
    return (id, bytes)
  }
}
