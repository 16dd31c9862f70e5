import Base
import Database

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

  mutating func insert(
    _ row: Int64, device: Int, _ uuid: UUID128, recordedAt: Int64, _ data: Span<UInt8>
  ) throws(DatabaseError) {
    let uuid = uuid.bytes
    var execution = insertion.start()
    execution.bind(1, row)
    execution.bind(2, Int64(device))
    execution.bind(3, blob: uuid.span)
    execution.bind(4, recordedAt)
    execution.bind(5, blob: data)
    try execution.run()
  }

  mutating func delete(_ row: Int64) throws(DatabaseError) {
    var execution = deletion.start()
    execution.bind(1, row)
    try execution.run()
  }

  /// A row that exists.
  mutating func read(_ row: Int64) throws(DatabaseError) -> QueuedRecord {
    var execution = selection.start()
    execution.bind(1, row)
    try RecordStatements.requireRow(&execution)
    return QueuedRecord(
      id: row, uuid: UUID128(execution.bytes(at: 0)),
      timestamp: WallInstant(millisecondsSince1970: execution.integer(at: 1)), bytes: execution.blob(at: 2))
  }

  /// Without reading the record itself.
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
    precondition(isThere, "the file was changed by somebody else in spite of its lock")
  }
}
