package import Base
package import Contract
package import Database
package import Vocabulary

/// A device's log in a file, as the SDK keeps it (SDK §20.1). It belongs to one thread at a time.
///
/// What was written survives the end of the process, not a power cut. The file does not grow beyond its limit: the oldest
/// entries make room.
package final class LogStore {
  private let connection: Connection
  private var statements: LogStatements
  private var text: LogText
  private var scratch: [UInt8] = []
  private let bytesMax: Int
  private var bytes: Int

  /// What makes room at once, so that not every entry has to.
  private static let trimmedShare = 8

  /// Opens or makes the log at `path`; `:memory:` is one without a file. `bytesMax` limits the texts.
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

  /// Writes the entry; nothing when this platform's SDK does not write it.
  package func append(_ entry: LogEntry, at instant: WallInstant) throws(DatabaseError) {
    scratch.removeAll(keepingCapacity: true)
    text.append(entry, at: instant, to: &scratch)
    try insert(entry.level, at: instant)
  }

  /// Writes the box with which a launch begins.
  package func appendBanner(_ configuration: Configuration, at instant: WallInstant) throws(DatabaseError) {
    scratch.removeAll(keepingCapacity: true)
    text.appendBanner(configuration, at: instant, to: &scratch)
    try insert(.info, at: instant)
  }

  /// `level`: only entries at least as important.
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

  /// At the start of a launch: entries older than `logMaxDays`; 0 or less keeps all.
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
