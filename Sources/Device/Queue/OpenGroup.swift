import Base
import Database

/// What the open group has written and SQLite does not have yet. As a rule a record is sent within seconds, and the state of
/// an engine changes with each fix: what its own group deletes, or writes again, never comes to SQLite.
struct OpenGroup {
  /// A record with the device whose it is.
  struct Row {
    let device: Int
    let record: QueuedRecord
  }

  /// A named value of a device.
  struct StateKey: Hashable {
    let device: Int
    let name: String
  }

  /// From the first row of the group on, as rows are numbered; nil where it is gone.
  private(set) var rows: [Row?] = []
  private var firstRow: Int64 = 0
  /// Nil where the value was removed.
  private(set) var states: [StateKey: [UInt8]?] = [:]
  /// What it takes in memory, the values of the states left out: each device has a few short ones.
  private(set) var bytes = 0

  mutating func insert(_ record: QueuedRecord, device: Int) {
    if rows.isEmpty { firstRow = record.id }
    precondition(record.id == firstRow + Int64(rows.count), "rows are numbered in the order of their insertion")
    rows.append(Row(device: device, record: record))
    bytes += MemoryLayout<Row?>.stride + record.bytes.count
  }

  func record(_ row: Int64) -> QueuedRecord? { index(of: row).flatMap { rows[$0]?.record } }

  /// False when it is not here.
  mutating func delete(_ row: Int64) -> Bool {
    guard let index = index(of: row), let gone = rows[index] else { return false }
    bytes -= gone.record.bytes.count
    rows[index] = nil
    return true
  }

  /// Nil when the group did not change it.
  func state(_ key: StateKey) -> [UInt8]?? { states[key] }

  mutating func set(_ key: StateKey, to value: [UInt8]?) { states[key] = .some(value) }

  /// All of it is in SQLite, or undone.
  mutating func removeAll() {
    rows.removeAll(keepingCapacity: true)
    states.removeAll(keepingCapacity: true)
    bytes = 0
  }

  private func index(of row: Int64) -> Int? {
    let index = Int(row - firstRow)
    return rows.indices.contains(index) ? index : nil
  }
}

/// Where a write goes: into the open group, or to SQLite at once.
extension QueueDatabase {
  func insert(_ record: QueuedRecord, device: Int) throws(DatabaseError) {
    if group != nil {
      group?.insert(record, device: device)
    } else {
      try records.insert(record, device: device)
      rowsWritten += 1
    }
  }

  /// A row that exists.
  func read(_ row: Int64) throws(DatabaseError) -> QueuedRecord {
    if let record = group?.record(row) { return record }
    return try records.read(row)
  }

  /// Without reading the record itself.
  func identity(_ row: Int64) throws(DatabaseError) -> (uuid: UUID128, recordedAt: Int64) {
    if let record = group?.record(row) { return (record.uuid, record.timestamp.millisecondsSince1970) }
    return try records.identity(row)
  }

  func delete(_ row: Int64) throws(DatabaseError) {
    if group?.delete(row) ?? false { return }
    try records.delete(row)
    rowsWritten += 1
  }

  func state(_ name: String, device: Int) throws(DatabaseError) -> [UInt8]? {
    if let changed = group?.state(OpenGroup.StateKey(device: device, name: name)) { return changed }
    return try state.value(name, device: device)
  }

  func setState(_ name: String, to value: Span<UInt8>, device: Int) throws(DatabaseError) {
    if group != nil {
      group?.set(OpenGroup.StateKey(device: device, name: name), to: value.copied)
    } else {
      try state.set(name, value, device: device)
    }
  }

  func removeState(_ name: String, device: Int) throws(DatabaseError) {
    if group != nil {
      group?.set(OpenGroup.StateKey(device: device, name: name), to: nil)
    } else {
      try state.remove(name, device: device)
    }
  }

  /// At the commit: what is left of the group goes to SQLite.
  func writeGroup() throws(DatabaseError) {
    guard let group else { return }
    for case let row? in group.rows { try records.insert(row.record, device: row.device) }
    // The order of a dictionary does not show: each key is written once.
    for (key, value) in group.states {
      if let value {
        try state.set(key.name, value.span, device: key.device)
      } else {
        try state.remove(key.name, device: key.device)
      }
    }
  }
}
