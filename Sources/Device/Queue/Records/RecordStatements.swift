import Base
import Database

/// The statements of the table `records`. Keys are those of `RowKey`.
struct RecordStatements: ~Copyable {
  private var insertion: Statement
  private var deletion: Statement
  private var deletionOfRange: Statement
  private var oldestFirst: Statement
  private var newestFirst: Statement
  private var keysBefore: Statement
  private var keysOfUUID: Statement
  private var summaryOfRange: Statement
  private var reservation: Statement
}

extension RecordStatements {
  init(_ connection: borrowing Connection) throws(DatabaseError) {
    let range = "FROM records WHERE key BETWEEN ? AND ?"
    let whole = "SELECT key, uuid, recorded_at, data \(range) ORDER BY key"
    self.init(
      insertion: try connection.prepare("INSERT INTO records(key, uuid, recorded_at, data) VALUES(?, ?, ?, ?)"),
      deletion: try connection.prepare("DELETE FROM records WHERE key = ?"),
      deletionOfRange: try connection.prepare("DELETE \(range)"),
      oldestFirst: try connection.prepare("\(whole) LIMIT -1 OFFSET ?"),
      newestFirst: try connection.prepare("\(whole) DESC LIMIT -1 OFFSET ?"),
      keysBefore: try connection.prepare("SELECT key, uuid \(range) AND recorded_at < ? ORDER BY key"),
      keysOfUUID: try connection.prepare("SELECT key \(range) AND uuid = ?"),
      summaryOfRange: try connection.prepare("SELECT count(*), min(recorded_at) \(range)"),
      reservation: try connection.prepare("UPDATE reservation SET next_row = max(next_row, ?)"))
  }

  mutating func insert(_ key: Int64, _ uuid: UUID128, _ recordedAt: Int64, _ data: Span<UInt8>) throws(DatabaseError) {
    let uuid = uuid.bytes
    var execution = insertion.start()
    execution.bind(1, key)
    execution.bind(2, blob: uuid.span)
    execution.bind(3, recordedAt)
    execution.bind(4, blob: data)
    try execution.run()
  }

  /// Runs to its end also when there is no such row.
  mutating func delete(_ key: Int64) throws(DatabaseError) {
    var execution = deletion.start()
    execution.bind(1, key)
    try execution.run()
  }

  mutating func delete(_ keys: ClosedRange<Int64>) throws(DatabaseError) {
    var execution = deletionOfRange.start()
    execution.bind(1, keys.lowerBound)
    execution.bind(2, keys.upperBound)
    try execution.run()
  }

  /// Appends up to `limit` rows that are not locked, after `offset` rows of any kind.
  mutating func read(
    _ keys: ClosedRange<Int64>, newestFirst isDescending: Bool, besides locked: LockedRows = LockedRows(),
    offset: Int = 0, limit: Int, into records: inout [QueuedRecord]
  ) throws(DatabaseError) {
    if isDescending {
      try RecordStatements.read(&newestFirst, keys, locked, offset, limit, &records)
    } else {
      try RecordStatements.read(&oldestFirst, keys, locked, offset, limit, &records)
    }
  }

  private static func read(
    _ statement: inout Statement, _ keys: ClosedRange<Int64>, _ locked: LockedRows, _ offset: Int, _ limit: Int,
    _ records: inout [QueuedRecord]
  ) throws(DatabaseError) {
    var execution = statement.start()
    execution.bind(1, keys.lowerBound)
    execution.bind(2, keys.upperBound)
    execution.bind(3, Int64(offset))
    var left = limit
    while left > 0, try execution.step() {
      let row = RowKey.row(execution.integer(at: 0))
      if locked.contains(row) { continue }
      records.append(
        QueuedRecord(
          id: row, uuid: UUID128(execution.bytes(at: 1)),
          timestamp: WallInstant(millisecondsSince1970: execution.integer(at: 2)),
          bytes: execution.blob(at: 3)))
      left -= 1
    }
  }

  /// Up to `limit` rows that are not locked and are older than `instant`, in insertion order.
  mutating func identities(
    _ keys: ClosedRange<Int64>, before instant: Int64, besides locked: LockedRows, limit: Int
  ) throws(DatabaseError) -> [(row: Int64, uuid: UUID128)] {
    var found: [(row: Int64, uuid: UUID128)] = []
    var execution = keysBefore.start()
    execution.bind(1, keys.lowerBound)
    execution.bind(2, keys.upperBound)
    execution.bind(3, instant)
    while found.count < limit, try execution.step() {
      let row = RowKey.row(execution.integer(at: 0))
      if !locked.contains(row) { found.append((row, UUID128(execution.bytes(at: 1)))) }
    }
    return found
  }

  mutating func keys(of uuid: UUID128, in keys: ClosedRange<Int64>) throws(DatabaseError) -> [Int64] {
    let uuid = uuid.bytes
    var found: [Int64] = []
    var execution = keysOfUUID.start()
    execution.bind(1, keys.lowerBound)
    execution.bind(2, keys.upperBound)
    execution.bind(3, blob: uuid.span)
    while try execution.step() { found.append(execution.integer(at: 0)) }
    return found
  }

  /// How many rows there are, and the time of the earliest, `Int64.max` for none.
  mutating func summary(_ keys: ClosedRange<Int64>) throws(DatabaseError) -> (count: Int, earliest: Int64) {
    var execution = summaryOfRange.start()
    execution.bind(1, keys.lowerBound)
    execution.bind(2, keys.upperBound)
    guard try execution.step() else { return (0, .max) }
    return (Int(execution.integer(at: 0)), execution.isNull(at: 1) ? .max : execution.integer(at: 1))
  }

  mutating func reserve(upTo row: Int64) throws(DatabaseError) {
    var execution = reservation.start()
    execution.bind(1, row)
    try execution.run()
  }
}
