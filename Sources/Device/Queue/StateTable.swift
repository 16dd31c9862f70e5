package import Database

/// Named persistent values of one device: its configuration, the state of its engine. Writes are as durable as those of
/// its queue, and belong to the same group.
package struct StateTable {
  let database: QueueDatabase
  let device: Int

  /// Nil when it was never set.
  package func value(_ name: String) throws(DatabaseError) -> [UInt8]? {
    try database.state(name, device: device)
  }

  package func set(_ name: String, to value: Span<UInt8>) throws(DatabaseError) {
    try database.write(for: device) { () throws(DatabaseError) in
      try database.setState(name, to: value, device: device)
    }
  }

  package func remove(_ name: String) throws(DatabaseError) {
    try database.write(for: device) { () throws(DatabaseError) in
      try database.removeState(name, device: device)
    }
  }
}

/// The statements of the table `state`.
struct StateStatements: ~Copyable {
  private var replacement: Statement
  private var deletion: Statement
  private var selection: Statement
}

extension StateStatements {
  init(_ connection: borrowing Connection) throws(DatabaseError) {
    self.init(
      replacement: try connection.prepare("INSERT OR REPLACE INTO state(device, name, value) VALUES(?, ?, ?)"),
      deletion: try connection.prepare("DELETE FROM state WHERE device = ? AND name = ?"),
      selection: try connection.prepare("SELECT value FROM state WHERE device = ? AND name = ?"))
  }

  mutating func set(_ name: String, _ value: Span<UInt8>, device: Int) throws(DatabaseError) {
    var execution = replacement.start()
    execution.bind(1, Int64(device))
    execution.bind(2, text: name.utf8.span)
    execution.bind(3, blob: value)
    try execution.run()
  }

  mutating func remove(_ name: String, device: Int) throws(DatabaseError) {
    var execution = deletion.start()
    execution.bind(1, Int64(device))
    execution.bind(2, text: name.utf8.span)
    try execution.run()
  }

  mutating func value(_ name: String, device: Int) throws(DatabaseError) -> [UInt8]? {
    var execution = selection.start()
    execution.bind(1, Int64(device))
    execution.bind(2, text: name.utf8.span)
    return try execution.step() ? execution.blob(at: 0) : nil
  }
}
