package import Database

/// Named values of one device that survive the process: its configuration, the state of its engine. Calls that write are as
/// durable as those of its queue, and belong to the same group.
package struct StateTable {
  let database: QueueDatabase
  let device: Int

  /// Nil when it was never set.
  package func value(_ name: String) throws(DatabaseError) -> [UInt8]? {
    try database.state.value(name, device: device)
  }

  package func set(_ name: String, to value: Span<UInt8>) throws(DatabaseError) {
    try database.write(for: device) { () throws(DatabaseError) in try database.state.set(name, value, device: device) }
  }

  package func remove(_ name: String) throws(DatabaseError) {
    try database.write(for: device) { () throws(DatabaseError) in try database.state.remove(name, device: device) }
  }
}
