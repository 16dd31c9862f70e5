import Base
import Database

/// The tables of one day, for the writer.
final class PointPartition {
  let id: Int64
  let day: Int64
  /// The id of the next row. Rows are numbered in order of arrival and a number is never reused, because the runs end at the
  /// last indexed number and positions of sinks are such numbers.
  private(set) var nextRow: Int64
  /// The number of finished runs, and the highest row that they cover.
  var runs: Int64
  var indexed: Int64
  /// The rows that may belong to deleted devices: from, through. Empty when from is greater.
  var sweepFrom: Int64
  var sweepTo: Int64
  /// When the last row arrived, in milliseconds since 1970; 0 if none has since the store was opened.
  private(set) var lastReceived: Int64 = 0
  /// Whether the partition of odd times has rows of this day: they arrived when the day was still in the future.
  var isShadowed = false

  private var statements: PointStatements

  init(
    id: Int64, day: Int64, runs: Int64, indexed: Int64, sweepFrom: Int64, sweepTo: Int64,
    on connection: StoreConnection
  ) throws(DatabaseError) {
    self.id = id
    self.day = day
    self.runs = runs
    self.indexed = indexed
    self.sweepFrom = sweepFrom
    self.sweepTo = sweepTo
    let last = try connection.database.integer("SELECT coalesce(max(id), 0) FROM points_\(id)")
    // A sink's position may be a row that is gone.
    let passed = try connection.first("SELECT max(row) FROM sink_positions WHERE part = ?1", id) ?? 0
    nextRow = max(last, indexed, passed) + 1
    statements = try PointStatements(connection.database, partition: id)
  }

  /// Makes the next row's number higher than `row`.
  func number(behind row: Int64) { nextRow = max(nextRow, row + 1) }

  /// Returns false when the key exists; the first content stays.
  func insert(
    _ point: Point, of batch: IngestBatch, _ receivedAt: Int64, device: Int64, parameters: Int64?,
    on connection: StoreConnection
  ) throws(DatabaseError) -> Bool {
    try statements.insert(nextRow, point, of: batch, receivedAt, device: device, parameters: parameters)
    guard connection.database.changes == 1 else { return false }
    nextRow += 1
    lastReceived = receivedAt
    return true
  }

  /// Returns the number of these parameters in this partition, created when they are new.
  func number(ofParameters json: [UInt8]) throws(DatabaseError) -> Int64 {
    try statements.number(ofParameters: json)
  }
}

/// The statements that write to the tables of one partition.
struct PointStatements: ~Copyable {
  private var insertion: Statement
  private var parameterInsertion: Statement
  private var parameterSearch: Statement
}

extension PointStatements {
  init(_ connection: borrowing Connection, partition id: Int64) throws(DatabaseError) {
    self.init(
      insertion: try connection.prepare(
        "INSERT OR IGNORE INTO points_\(id) VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14)"),
      parameterInsertion: try connection.prepare("INSERT OR IGNORE INTO parameters_\(id)(json) VALUES(?1)"),
      parameterSearch: try connection.prepare("SELECT id FROM parameters_\(id) WHERE json = ?1"))
  }

  mutating func insert(
    _ number: Int64, _ point: Point, of batch: IngestBatch, _ receivedAt: Int64, device: Int64, parameters: Int64?
  ) throws(DatabaseError) {
    let uuid = point.uuid.bytes
    let event = point.event ?? ""
    let eventBytes = event.utf8.span
    var row = insertion.start()
    row.bind(1, number)
    row.bind(2, point.recordedAt)
    row.bind(3, device)
    row.bind(4, blob: uuid.span)
    row.bind(from: 5, positionOf: point)
    if eventBytes.isEmpty { row.bindNull(11) } else { row.bind(11, text: eventBytes) }
    row.bind(12, receivedAt)
    if let parameters { row.bind(13, parameters) } else { row.bindNull(13) }
    row.bind(14, blob: batch.bytes.span.extracting(point.record))
    try row.run()
  }

  mutating func number(ofParameters json: [UInt8]) throws(DatabaseError) -> Int64 {
    try insert(parameters: json)
    var row = parameterSearch.start()
    row.bind(1, blob: json.span)
    let isThere = try row.step()
    precondition(isThere, "parameters vanished")
    return row.integer(at: 0)
  }

  private mutating func insert(parameters json: [UInt8]) throws(DatabaseError) {
    var row = parameterInsertion.start()
    row.bind(1, blob: json.span)
    try row.run()
  }
}

extension Execution {
  /// Binds six parameters, in the order that these columns have in every table.
  mutating func bind(from first: Int32, positionOf point: Point) {
    bind(first, point.latitude ?? .nan)
    bind(first + 1, point.longitude ?? .nan)
    bind(first + 2, point.accuracy ?? .nan)
    bind(first + 3, point.speed ?? .nan)
    bind(first + 4, point.heading ?? .nan)
    if let isMoving = point.isMoving { bind(first + 5, isMoving ? 1 : 0 as Int64) } else { bindNull(first + 5) }
  }
}

/// A cache of the numbers of request parameters in partitions. The parameters usually differ by the device's name, and each
/// device repeats its own in every request.
struct ParameterMemory {
  private struct Key: Hashable {
    let partition: Int64
    let json: [UInt8]
  }

  /// Room for the texts of about ten thousand devices. A client that changes its text with every request gains nothing.
  private static let bytesMax = 8 << 20

  private var numbers: [Key: Int64] = [:]
  private var byteCount = 0

  func number(of json: [UInt8], in partition: Int64) -> Int64? { numbers[Key(partition: partition, json: json)] }

  mutating func note(_ number: Int64, of json: [UInt8], in partition: Int64) {
    let cost = 128 + json.count
    if byteCount + cost > ParameterMemory.bytesMax {
      numbers.removeAll(keepingCapacity: true)
      byteCount = 0
    }
    byteCount += cost
    numbers[Key(partition: partition, json: json)] = number
  }
}
