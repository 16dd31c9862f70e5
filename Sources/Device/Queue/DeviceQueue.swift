package import Base
package import Database

/// The records of one device that the server has not acknowledged yet (SDK §7). A write is durable when the call
/// returns or, with grouped commits, when its group is committed. A call that throws has changed nothing.
///
/// Locks are not stored: they belong to the process that sends the rows, and end with it (SDK §7.2).
package protocol RecordQueue {
  /// All rows, locked ones included.
  var count: Int { get }

  /// Appends a record and returns its row. Duplicate uuids are not detected: a generator guarantees uniqueness, and for uuids of
  /// the app there is `contains`.
  mutating func insert(uuid: UUID128, timestamp: WallInstant, bytes: Span<UInt8>) throws(DatabaseError) -> Int64

  /// Whether there is a row with this uuid, locked ones included. Reads all rows.
  func contains(uuid: UUID128) throws(DatabaseError) -> Bool

  /// Locks the next unlocked rows, oldest insertion first or last, and appends them to `records`.
  mutating func lock(limit: Int, newestFirst: Bool, into records: inout [QueuedRecord]) throws(DatabaseError)

  /// Ignores rows that are deleted or not locked.
  mutating func unlock(_ ids: [Int64])
  mutating func unlockAll()

  /// Ignores rows that are deleted already. Returns the number of deleted rows.
  mutating func delete(_ ids: [Int64]) throws(DatabaseError) -> Int
  /// Deletes a row even if it is locked, as does `deleteAll`; an upload in flight then has no effect (SDK §7.4).
  mutating func delete(uuid: UUID128) throws(DatabaseError) -> Bool
  /// Returns the uuids, oldest insertion first.
  mutating func deleteAll() throws(DatabaseError) -> [UUID128]

  /// Deletes rows with a timestamp before the limit, except locked ones. Returns their uuids, oldest insertion first.
  mutating func expire(before limit: WallInstant) throws(DatabaseError) -> [UUID128]

  /// Deletes the oldest insertions until at most `maximum` rows are left, except locked ones and, unless `maximum` is
  /// 0, the newest one (SDK §7.4.1). Returns their uuids, oldest first.
  mutating func evict(keeping maximum: Int) throws(DatabaseError) -> [UUID128]

  /// Reads in insertion order or its reverse, without locking; includes locked rows.
  func read(limit: Int, offset: Int, newestFirst: Bool) throws(DatabaseError) -> [QueuedRecord]
}

/// A record in the queue: rendered, and never changed again.
package struct QueuedRecord: Equatable, Sendable {
  /// The row number: grows with every insert of a device and is never reused.
  package let id: Int64
  package let uuid: UUID128
  /// The record's own time, which determines its age.
  package let timestamp: WallInstant
  package let bytes: [UInt8]

  package init(id: Int64, uuid: UUID128, timestamp: WallInstant, bytes: [UInt8]) {
    self.id = id
    self.uuid = uuid
    self.timestamp = timestamp
    self.bytes = bytes
  }
}

/// The queue of one device in a database of one or many. Copies refer to the same queue.
package struct DeviceQueue: RecordQueue {
  let database: QueueDatabase
  let device: Int

  package var count: Int { rows.count }

  var rows: DeviceRows {
    get { database.devices[device] }
    nonmutating _modify { yield &database.devices[device] }
  }

  package func insert(uuid: UUID128, timestamp: WallInstant, bytes: Span<UInt8>) throws(DatabaseError) -> Int64 {
    let recordedAt = timestamp.millisecondsSince1970
    return try database.write(for: device, .insertion) { () throws(DatabaseError) in
      let row = try database.takeRow()
      let record = QueuedRecord(id: row, uuid: uuid, timestamp: timestamp, bytes: bytes.copied)
      try database.insert(record, device: device)
      rows.append(row, recordedAt: recordedAt)
      database.changes.append(.inserted(device: device, row: row))
      database.observer?.see(
        .inserted(device: device, row: row, uuid: uuid, timestamp: timestamp, bytes: record.bytes))
      return row
    }
  }

  package func lock(limit: Int, newestFirst: Bool, into records: inout [QueuedRecord]) throws(DatabaseError) {
    let free = unlocked(limit, newestFirst)
    try append(free, to: &records)
    rows.locked.insert(free)
    rows.checkLocks()
  }

  package func unlock(_ ids: [Int64]) {
    for id in ids { rows.locked.remove(id) }
    rows.checkLocks()
  }

  package func unlockAll() { rows.locked.removeAll() }

  package func read(limit: Int, offset: Int, newestFirst: Bool) throws(DatabaseError) -> [QueuedRecord] {
    precondition(limit >= 0 && offset >= 0, "pages are counted from 0")
    var records: [QueuedRecord] = []
    let rows = rows.rows
    try append(
      newestFirst ? Array(rows.dropLast(offset).suffix(limit).reversed()) : Array(rows.dropFirst(offset).prefix(limit)),
      to: &records)
    return records
  }

  /// Returns the next unlocked rows.
  func unlocked(_ limit: Int, _ newestFirst: Bool) -> [Int64] {
    precondition(limit >= 0, "a limit is 0 or more")
    let (locked, rows) = (rows.locked, rows.rows)
    guard !locked.rows.isEmpty else {
      return newestFirst ? rows.suffix(limit).reversed() : Array(rows.prefix(limit))
    }
    return newestFirst
      ? Array(rows.reversed().lazy.filter { !locked.contains($0) }.prefix(limit))
      : Array(rows.lazy.filter { !locked.contains($0) }.prefix(limit))
  }

  /// Appends all of them or, after an error, none.
  private func append(_ rows: [Int64], to records: inout [QueuedRecord]) throws(DatabaseError) {
    let start = records.count
    do throws(DatabaseError) {
      for row in rows { records.append(try database.read(row)) }
    } catch {
      records.removeSubrange(start...)
      throw error
    }
  }
}

extension DeviceQueue {
  package func delete(_ ids: [Int64]) throws(DatabaseError) -> Int { try delete(ids, .upload) }

  private func delete(_ ids: [Int64], _ cause: QueueNote.Cause) throws(DatabaseError) -> Int {
    guard !ids.isEmpty else { return 0 }
    return try database.write(for: device, cause == .upload ? .deletionOfUploaded : .other) {
      () throws(DatabaseError) in
      var deleted = 0
      for id in ids where try delete(id, cause) { deleted += 1 }
      return deleted
    }
  }

  package func contains(uuid: UUID128) throws(DatabaseError) -> Bool {
    for row in rows.rows where try database.identity(row).uuid == uuid { return true }
    return false
  }

  package func delete(uuid: UUID128) throws(DatabaseError) -> Bool {
    for row in rows.rows where try database.identity(row).uuid == uuid { return try delete([row], .destruction) == 1 }
    return false
  }

  package func deleteAll() throws(DatabaseError) -> [UUID128] {
    let all = Array(rows.rows)
    var uuids: [UUID128] = []
    for row in all { uuids.append(try database.identity(row).uuid) }
    _ = try delete(all, .destruction)
    return uuids
  }

  package func expire(before limit: WallInstant) throws(DatabaseError) -> [UUID128] {
    let instant = limit.millisecondsSince1970
    guard rows.earliest < instant else { return [] }
    return try database.write(for: device) { () throws(DatabaseError) in
      var expired: [UUID128] = []
      var earliest = Int64.max
      for row in Array(rows.rows) {
        let (uuid, recordedAt) = try database.identity(row)
        if recordedAt >= instant || rows.locked.contains(row) {
          earliest = min(earliest, recordedAt)
        } else if try delete(row, .age) {
          expired.append(uuid)
        }
      }
      rows.earliest = earliest
      return expired
    }
  }

  package func evict(keeping maximum: Int) throws(DatabaseError) -> [UUID128] {
    let surplus = rows.count - max(0, maximum)
    guard surplus > 0 else { return [] }
    return try database.write(for: device) { () throws(DatabaseError) in
      var evicted: [UUID128] = []
      let newest = maximum > 0 ? rows.rows.last : nil
      for row in unlocked(surplus, false) where row != newest {
        evicted.append(try database.identity(row).uuid)
        _ = try delete(row, .room)
      }
      return evicted
    }
  }

  /// Deletes a row within a group. Returns false when there is no such row.
  private func delete(_ row: Int64, _ cause: QueueNote.Cause) throws(DatabaseError) -> Bool {
    guard rows.remove(row) else { return false }
    database.changes.append(.deleted(device: device, row: row))
    database.observer?.see(.deleted(device: device, row: row, cause))
    try database.delete(row)
    return true
  }
}

/// The statements of the table `records`.
struct RecordStatements: ~Copyable {
  private var insertion: Statement
  private var deletion: Statement
  private var selection: Statement
  private var reservation: Statement
}

extension RecordStatements {
  init(_ connection: borrowing Connection) throws(DatabaseError) {
    self.init(
      insertion: try connection.prepare(
        "INSERT INTO records(row, device, uuid, recorded_at, data) VALUES(?, ?, ?, ?, ?)"),
      deletion: try connection.prepare("DELETE FROM records WHERE row = ?"),
      selection: try connection.prepare("SELECT uuid, recorded_at, data FROM records WHERE row = ?"),
      reservation: try connection.prepare("UPDATE reservation SET next_row = ?"))
  }

  mutating func insert(_ record: QueuedRecord, device: Int) throws(DatabaseError) {
    let uuid = record.uuid.bytes
    var execution = insertion.start()
    execution.bind(1, record.id)
    execution.bind(2, Int64(device))
    execution.bind(3, blob: uuid.span)
    execution.bind(4, record.timestamp.millisecondsSince1970)
    execution.bind(5, blob: record.bytes.span)
    try execution.run()
  }

  mutating func delete(_ row: Int64) throws(DatabaseError) {
    var execution = deletion.start()
    execution.bind(1, row)
    try execution.run()
  }

  /// Reads an existing row.
  mutating func read(_ row: Int64) throws(DatabaseError) -> QueuedRecord {
    var execution = selection.start()
    execution.bind(1, row)
    try RecordStatements.requireRow(&execution)
    return QueuedRecord(
      id: row, uuid: UUID128(execution.bytes(at: 0)),
      timestamp: WallInstant(millisecondsSince1970: execution.integer(at: 1)), bytes: execution.blob(at: 2))
  }

  /// Reads a row without the record itself.
  mutating func identity(_ row: Int64) throws(DatabaseError) -> (uuid: UUID128, recordedAt: Int64) {
    var execution = selection.start()
    execution.bind(1, row)
    try RecordStatements.requireRow(&execution)
    return (UUID128(execution.bytes(at: 0)), execution.integer(at: 1))
  }

  mutating func reserve(upTo row: Int64) throws(DatabaseError) {
    var execution = reservation.start()
    execution.bind(1, row)
    try execution.run()
  }

  private static func requireRow(_ execution: inout Execution) throws(DatabaseError) {
    let isThere = try execution.step()
    precondition(isThere, "another process changed the file, although this one holds its lock")
  }
}
