package import Base
package import Contract
package import Database
package import Vocabulary

/// A device's log in a file, as the SDK keeps it (SDK §20.1). It belongs to one thread at a time.
///
/// Entries survive the end of the process, but not a power cut. The size is limited: the oldest entries are deleted.
package final class LogStore {
  private let connection: Connection
  private var statements: LogStatements
  private var text: LogText
  private var scratch: [UInt8] = []
  private let bytesMax: Int
  private var bytes: Int

  /// The share that is deleted at once, so that not every entry deletes.
  private static let trimmedShare = 8

  /// Opens or creates the log at `path`; `:memory:` is in memory only. `bytesMax` limits the size of the texts.
  package init(path: String, text: LogText, bytesMax: Int = 16 << 20) throws(DatabaseError) {
    precondition(bytesMax > 0, "a log has room for something")
    let connection = try Connection(path: path, busyTimeoutMilliseconds: 1_000)
    _ = try connection.version(of: LogSchema.schema)
    if path != ":memory:" {
      try connection.apply(.journalMode(.wal))
      try connection.apply(.synchronous(.normal))
    }
    try connection.migrate(to: LogSchema.schema)
    statements = try LogStatements(connection)
    bytes = Int(try connection.integer("SELECT coalesce(sum(length(text)), 0) FROM log"))
    self.connection = connection
    self.text = text
    self.bytesMax = bytesMax
  }

  /// Appends the entry; does nothing when this platform's SDK does not log it.
  package func append(_ entry: LogEntry, at instant: WallInstant) throws(DatabaseError) {
    scratch.removeAll(keepingCapacity: true)
    text.append(entry, at: instant, to: &scratch)
    try insert(entry.level, at: instant)
  }

  /// Appends the banner with which a launch begins.
  package func appendBanner(_ configuration: Configuration, at instant: WallInstant) throws(DatabaseError) {
    scratch.removeAll(keepingCapacity: true)
    text.appendBanner(configuration, at: instant, to: &scratch)
    try insert(.info, at: instant)
  }

  /// Returns the text. `level` admits entries at least as severe.
  package func text(
    _ query: LogQuery = LogQuery(), level: Contract.LogLevel = .verbose
  ) throws(DatabaseError) -> [UInt8] {
    let start = (query.start ?? .earliest).millisecondsSince1970
    let end = (query.end ?? .latest).millisecondsSince1970
    guard start <= end else { return [] }
    var bytes: [UInt8] = []
    try statements.read(
      start...end, level: level.rawValue, newestFirst: query.newestFirst, limit: query.limit ?? -1, into: &bytes)
    return bytes
  }

  package func removeAll() throws(DatabaseError) {
    try statements.deleteAll()
    bytes = 0
  }

  /// Deletes entries older than `logMaxDays` at the start of a launch; 0 or less keeps all.
  package func purge(olderThanDays days: Int, at now: WallInstant) throws(DatabaseError) {
    guard days > 0 else { return }
    let (span, isTooLong) = Int64(days).multipliedReportingOverflow(by: 86_400_000)
    guard !isTooLong else { return }
    try statements.delete(before: now.millisecondsSince1970 - span)
    bytes = Int(try connection.integer("SELECT coalesce(sum(length(text)), 0) FROM log"))
  }

  private func insert(_ level: Contract.LogLevel, at instant: WallInstant) throws(DatabaseError) {
    let entry = scratch
    guard !entry.isEmpty else { return }
    try statements.insert(instant.millisecondsSince1970, level.rawValue, entry.span)
    bytes += entry.count
    guard bytes > bytesMax else { return }
    let oldest = try statements.oldest(bytes: bytes - bytesMax + bytesMax / Self.trimmedShare)
    try statements.delete(upTo: oldest.id)
    bytes -= oldest.bytes
  }
}

/// The table of a log's file.
enum LogSchema {
  /// "RRlg".
  static let applicationID: Int32 = 0x5252_6C67

  static let schema = Schema(applicationID: applicationID, migrations: [Migration(1, first)])

  /// Entries are in order of arrival, in which their times grow unless the clock is set.
  private static let first = """
    CREATE TABLE log(
      id INTEGER PRIMARY KEY, written_at INTEGER NOT NULL, level INTEGER NOT NULL, text BLOB NOT NULL) STRICT;
    """
}

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

  /// Appends the texts of the entries in order.
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

  /// Returns the last id of the oldest entries whose texts take `surplus` bytes, and the size of those texts.
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

/// A selection of log entries (SDK §20.1).
package struct LogQuery: Equatable, Sendable {
  /// The earliest time; nil: from the beginning.
  package var start: WallInstant?
  /// The latest time; nil: to the end.
  package var end: WallInstant?
  package var newestFirst = false
  /// The maximum number of entries, the first in the given order; nil: all.
  package var limit: Int?

  package init() {}

  func contains(_ instant: WallInstant) -> Bool {
    instant >= (start ?? .earliest) && instant <= (end ?? .latest)
  }
}
