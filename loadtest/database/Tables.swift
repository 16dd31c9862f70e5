import CSQLite
import Database
import Glibc

/// One table, filled and read by one of the two ways.
protocol Table: ~Copyable {
  mutating func insert(rows: Int, perCommit: Int) throws
  /// The sum of everything read, so that no read can be left out.
  mutating func checksum() throws -> Int
}

let body = [UInt8](repeating: 0x78, count: 520)
let rowsPerCommit = 512

/// The uuid of a row: different in every row, the same in both tables.
func uuid(_ row: Int) -> [16 of UInt8] {
  let mixed = UInt64(row) &* 0x9E37_79B9_7F4A_7C15
  return [16 of UInt8] { UInt8(truncatingIfNeeded: mixed >> UInt64(($0 & 7) * 8)) }
}

/// What this thread has used of the processor: the wrapper costs nothing else, and neighbours do not count.
func processorTime() -> Duration {
  var time = timespec()
  let result = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  precondition(result == 0, "Linux has this clock")
  return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}

func timings<T: Table & ~Copyable>(
  _ path: String, _ open: (String) throws -> T
) throws -> (insert: Duration, select: Duration) {
  for suffix in ["", "-wal", "-shm"] { unsafe unlink(path + suffix) }
  defer { for suffix in ["", "-wal", "-shm"] { unsafe unlink(path + suffix) } }
  var table = try open(path)
  let start = processorTime()
  try table.insert(rows: rows, perCommit: rowsPerCommit)
  let middle = processorTime()
  let sum = try table.checksum()
  let end = processorTime()
  let device = (0..<rows).reduce(0) { $0 + $1 % 5_000 }
  precondition(sum == device + rows * (body.count + 16), "rows are missing")
  return (middle - start, end - middle)
}

struct WrappedTable: Table, ~Copyable {
  private let connection: Connection
  private var insert: Statement
  private var select: Statement

  init(path: String) throws {
    let connection = try Connection(path: path)
    if path != ":memory:" { try connection.apply(.journalMode(.wal)) }
    try connection.apply(.synchronous(.off))
    try connection.execute(schema)
    let insert = try connection.prepare(insertion)
    let select = try connection.prepare(query)
    self.connection = connection
    self.insert = insert
    self.select = select
  }

  mutating func insert(rows: Int, perCommit: Int) throws {
    for start in stride(from: 0, to: rows, by: perCommit) {
      try connection.transaction(.immediate) { () throws(DatabaseError) in
        for row in start..<min(start + perCommit, rows) { try WrappedTable.insert(row, with: &insert) }
      }
    }
  }

  private static func insert(_ row: Int, with insert: inout Statement) throws(DatabaseError) {
    let id = uuid(row)
    var execution = insert.start()
    execution.bind(1, 1_700_000_000_000 + Int64(row))
    execution.bind(2, Int64(row % 5_000))
    execution.bind(3, blob: id.span)
    execution.bind(4, 45.5)
    execution.bind(5, -73.6)
    execution.bind(6, text: body.span)
    try execution.run()
  }

  mutating func checksum() throws -> Int {
    var rows = select.start()
    var sum = 0
    while try rows.step() {
      _ = rows.integer(at: 0)
      sum += Int(rows.integer(at: 1))
      sum += rows.bytes(at: 2).count
      _ = rows.double(at: 3) + rows.double(at: 4)
      sum += rows.bytes(at: 5).count
    }
    return sum
  }
}

@safe
struct PlainTable: Table, ~Copyable {
  private struct Failure: Error {
    let code: Int32
  }

  private let database: OpaquePointer
  private let insert: OpaquePointer
  private let select: OpaquePointer

  init(path: String) throws {
    var opened: OpaquePointer?
    var prepared: (insert: OpaquePointer?, select: OpaquePointer?) = (nil, nil)
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    unsafe sqlite3_open_v2(path, &opened, flags, nil)
    let mode = path == ":memory:" ? "" : "PRAGMA journal_mode = wal;"
    unsafe sqlite3_exec(opened, "\(mode) PRAGMA synchronous = off; \(schema)", nil, nil, nil)
    let persistent = UInt32(SQLITE_PREPARE_PERSISTENT)
    unsafe sqlite3_prepare_v3(opened, insertion, -1, persistent, &prepared.insert, nil)
    unsafe sqlite3_prepare_v3(opened, query, -1, persistent, &prepared.select, nil)
    guard let opened = unsafe opened, let insert = unsafe prepared.insert, let select = unsafe prepared.select else {
      throw Failure(code: SQLITE_CANTOPEN)
    }
    unsafe database = opened
    unsafe self.insert = insert
    unsafe self.select = select
  }

  deinit {
    unsafe sqlite3_finalize(insert)
    unsafe sqlite3_finalize(select)
    unsafe sqlite3_close(database)
  }

  private func execute(_ sql: String) throws {
    let result = unsafe sqlite3_exec(database, sql, nil, nil, nil)
    guard result == SQLITE_OK else { throw Failure(code: result) }
  }

  mutating func insert(rows: Int, perCommit: Int) throws {
    try unsafe body.withUnsafeBufferPointer { body in
      for start in stride(from: 0, to: rows, by: perCommit) {
        try execute("BEGIN immediate")
        for row in start..<min(start + perCommit, rows) { try unsafe insert(row, body) }
        try execute("COMMIT")
      }
    }
  }

  private func insert(_ row: Int, _ body: UnsafeBufferPointer<UInt8>) throws {
    let id = uuid(row)
    try unsafe id.span.withUnsafeBytes { id in
      unsafe sqlite3_bind_int64(insert, 1, 1_700_000_000_000 + Int64(row))
      unsafe sqlite3_bind_int64(insert, 2, Int64(row % 5_000))
      unsafe rr_sqlite3_bind_blob_static(insert, 3, id.baseAddress, 16)
      unsafe sqlite3_bind_double(insert, 4, 45.5)
      unsafe sqlite3_bind_double(insert, 5, -73.6)
      unsafe rr_sqlite3_bind_text_static(insert, 6, body.baseAddress, Int64(body.count))
      let result = unsafe sqlite3_step(insert)
      guard result == SQLITE_DONE else { throw Failure(code: result) }
      unsafe sqlite3_reset(insert)
    }
  }

  mutating func checksum() throws -> Int {
    var sum = 0
    while unsafe sqlite3_step(select) == SQLITE_ROW {
      unsafe _ = sqlite3_column_int64(select, 0)
      sum += unsafe Int(sqlite3_column_int64(select, 1))
      unsafe _ = sqlite3_column_blob(select, 2)
      sum += unsafe Int(sqlite3_column_bytes(select, 2))
      unsafe _ = sqlite3_column_double(select, 3) + sqlite3_column_double(select, 4)
      unsafe _ = sqlite3_column_blob(select, 5)
      sum += unsafe Int(sqlite3_column_bytes(select, 5))
    }
    unsafe sqlite3_reset(select)
    return sum
  }
}
