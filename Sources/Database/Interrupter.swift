internal import CSQLite

/// Stops whatever its connection is doing, from any thread; the statement throws `.interrupted`. Without a running statement
/// it does nothing. It keeps the connection open, because SQLite forbids to interrupt one that may close meanwhile.
package struct Interrupter: @unchecked Sendable {
  private let handle: ConnectionHandle

  fileprivate init(_ handle: ConnectionHandle) { self.handle = handle }

  package func interrupt() { unsafe sqlite3_interrupt(handle.database) }
}

extension Connection {
  package var interrupter: Interrupter { Interrupter(handle) }
}
