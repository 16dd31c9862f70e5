import Base
import Database
import Queue

/// A queue in an array: what the protocol says, and nothing more. It can be copied, and told to fail.
struct ModelQueue: RecordQueue {
  struct Row: Equatable {
    let record: QueuedRecord
    var isLocked = false
  }

  private(set) var rows: [Row] = []
  private var lastID: Int64 = 0
  /// Locking a locked row would send it twice.
  private(set) var mistakes: [String] = []
  var failsToDelete = false
  var failsToLock = false

  var count: Int { rows.count }
  var ids: [Int64] { rows.map(\.record.id) }
  var lockedIDs: [Int64] { rows.filter(\.isLocked).map(\.record.id) }

  mutating func insert(uuid: UUID128, timestamp: WallInstant, bytes: Span<UInt8>) -> Int64 {
    lastID += 1
    var copy: [UInt8] = []
    for index in bytes.indices { copy.append(bytes[index]) }
    rows.append(Row(record: QueuedRecord(id: lastID, uuid: uuid, timestamp: timestamp, bytes: copy)))
    return lastID
  }

  mutating func lock(limit: Int, newestFirst: Bool, into records: inout [QueuedRecord]) throws(DatabaseError) {
    if failsToLock { throw ModelQueue.failure }
    let indices = newestFirst ? Array(rows.indices.reversed()) : Array(rows.indices)
    for index in indices.filter({ !rows[$0].isLocked }).prefix(limit) {
      rows[index].isLocked = true
      records.append(rows[index].record)
    }
  }

  mutating func unlock(_ ids: [Int64]) {
    for index in rows.indices where ids.contains(rows[index].record.id) {
      if !rows[index].isLocked { mistakes.append("row \(rows[index].record.id) unlocked twice") }
      rows[index].isLocked = false
    }
  }

  mutating func unlockAll() {
    for index in rows.indices { rows[index].isLocked = false }
  }

  mutating func delete(_ ids: [Int64]) throws(DatabaseError) -> Int {
    if failsToDelete { throw ModelQueue.failure }
    let before = rows.count
    rows.removeAll { ids.contains($0.record.id) }
    return before - rows.count
  }

  func contains(uuid: UUID128) -> Bool { rows.contains { $0.record.uuid == uuid } }

  mutating func delete(uuid: UUID128) -> Bool {
    let before = rows.count
    rows.removeAll { $0.record.uuid == uuid }
    return rows.count < before
  }

  mutating func deleteAll() throws(DatabaseError) -> [UUID128] {
    if failsToDelete { throw ModelQueue.failure }
    return clear()
  }

  @discardableResult
  mutating func clear() -> [UUID128] {
    defer { rows = [] }
    return rows.map(\.record.uuid)
  }

  mutating func expire(before limit: WallInstant) -> [UUID128] {
    let old = rows.filter { !$0.isLocked && $0.record.timestamp < limit }
    rows.removeAll { row in old.contains { $0.record.id == row.record.id } }
    return old.map(\.record.uuid)
  }

  mutating func evict(keeping maximum: Int) -> [UUID128] {
    let newest = maximum > 0 ? rows.last?.record.id : nil
    let oldest = rows.filter { !$0.isLocked }.prefix(max(0, rows.count - maximum))
    let surplus = oldest.filter { $0.record.id != newest }
    rows.removeAll { row in surplus.contains { $0.record.id == row.record.id } }
    return surplus.map(\.record.uuid)
  }

  func read(limit: Int, offset: Int, newestFirst: Bool) -> [QueuedRecord] {
    Array((newestFirst ? rows.reversed() : rows).dropFirst(offset).prefix(limit).map(\.record))
  }

  /// What a broken disk says: a statement that no SQLite understands.
  static let failure: DatabaseError = {
    do throws(DatabaseError) {
      try Connection(path: ":memory:").execute("no SQL")
    } catch { return error }
    preconditionFailure("SQLite has understood it")
  }()
}
