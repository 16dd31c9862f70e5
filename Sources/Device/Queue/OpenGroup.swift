import Base
import Database

/// The writes of the open group that SQLite does not have yet. As a rule a record is sent within seconds, and the state
/// of an engine changes with each fix: writes that are deleted or overwritten in the same group never reach SQLite.
struct OpenGroup {
  /// A record and its device.
  struct Row {
    let device: Int
    let record: QueuedRecord
  }

  /// A named value of a device.
  struct StateKey: Hashable {
    let device: Int
    let name: String
  }

  /// The rows of the group by number, from its first row on; nil where deleted.
  private(set) var rows: [Row?] = []
  private var firstRow: Int64 = 0
  /// The states by key; nil where removed.
  private(set) var states: [StateKey: [UInt8]?] = [:]
  /// The memory in use, without the values of states: each device has a few short ones.
  private(set) var bytes = 0

  mutating func insert(_ record: QueuedRecord, device: Int) {
    if rows.isEmpty { firstRow = record.id }
    precondition(record.id == firstRow + Int64(rows.count), "rows are numbered in the order of their insertion")
    rows.append(Row(device: device, record: record))
    bytes += MemoryLayout<Row?>.stride + record.bytes.count
  }

  func record(_ row: Int64) -> QueuedRecord? { index(of: row).flatMap { rows[$0]?.record } }

  /// Returns false when the row is not in this group.
  mutating func delete(_ row: Int64) -> Bool {
    guard let index = index(of: row), let gone = rows[index] else { return false }
    bytes -= gone.record.bytes.count
    rows[index] = nil
    return true
  }

  /// Nil when the group did not change the state.
  func state(_ key: StateKey) -> [UInt8]?? { states[key] }

  mutating func set(_ key: StateKey, to value: [UInt8]?) { states[key] = .some(value) }

  /// Clears the group after its commit or its undoing.
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

/// Writes to the open group if there is one, else to SQLite.
extension QueueDatabase {
  func insert(_ record: QueuedRecord, device: Int) throws(DatabaseError) {
    if group != nil {
      group?.insert(record, device: device)
    } else {
      try records.insert(record, device: device)
      rowsWritten += 1
    }
  }

  /// Reads an existing row.
  func read(_ row: Int64) throws(DatabaseError) -> QueuedRecord {
    if let record = group?.record(row) { return record }
    return try records.read(row)
  }

  /// Reads a row without the record itself.
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

  /// Writes the rest of the group to SQLite at its commit.
  func writeGroup() throws(DatabaseError) {
    guard let group else { return }
    for case let row? in group.rows { try records.insert(row.record, device: row.device) }
    // The iteration order does not matter: each key is written once.
    for (key, value) in group.states {
      if let value {
        try state.set(key.name, value.span, device: key.device)
      } else {
        try state.remove(key.name, device: key.device)
      }
    }
  }
}
