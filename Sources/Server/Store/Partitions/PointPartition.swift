import Base
import Database

/// The tables of one day, as the writer uses them.
final class PointPartition {
  let id: Int64
  let day: Int64
  /// The id that the next row gets. Rows are numbered in the order of arrival and a number is never used again, because
  /// the runs end where the last indexed number stands and sinks have come as far as theirs.
  private(set) var nextRow: Int64
  /// Finished runs, and the highest row that they cover.
  var runs: Int64
  var indexed: Int64
  /// Rows that may belong to forgotten devices: from, through. Empty when from is greater.
  var sweepFrom: Int64
  var sweepTo: Int64
  /// When the last row came, in milliseconds since 1970; 0 since the store was opened.
  private(set) var lastReceived: Int64 = 0
  /// The partition of odd times has rows of this day: they came when the day still lay in the future.
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
    // A sink may stand on a row that is gone.
    let passed = try connection.first("SELECT max(row) FROM sink_positions WHERE part = ?1", id) ?? 0
    nextRow = max(last, indexed, passed) + 1
    statements = try PointStatements(connection.database, partition: id)
  }

  /// The next row gets a higher number than that.
  func number(behind row: Int64) { nextRow = max(nextRow, row + 1) }

  /// False when the key is there already: then the first content stays.
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

  /// The number under which this partition keeps these parameters, made when they are new.
  func number(ofParameters json: [UInt8]) throws(DatabaseError) -> Int64 {
    try statements.number(ofParameters: json)
  }
}

/// The statements that write into the tables of one partition.
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
  /// Six parameters, in the order that these columns have in each table.
  mutating func bind(from first: Int32, positionOf point: Point) {
    bind(first, point.latitude ?? .nan)
    bind(first + 1, point.longitude ?? .nan)
    bind(first + 2, point.accuracy ?? .nan)
    bind(first + 3, point.speed ?? .nan)
    bind(first + 4, point.heading ?? .nan)
    if let isMoving = point.isMoving { bind(first + 5, isMoving ? 1 : 0 as Int64) } else { bindNull(first + 5) }
  }
}

/// The numbers under which partitions keep the texts that came beside records, as far as they are remembered. As a rule the
/// texts of devices differ by the device's name, and each device sends its own again and again.
struct ParameterMemory {
  private struct Key: Hashable {
    let partition: Int64
    let json: [UInt8]
  }

  /// Room for the texts of some ten thousand devices. A client that sends another one with every request gains nothing.
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
