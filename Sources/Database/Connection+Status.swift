internal import CSQLite

extension Connection {
  /// Pages that this connection wrote to its log or file since the last question; the question sets the count back to 0.
  package func takePagesWritten() -> Int {
    var current: Int32 = 0
    var highest: Int32 = 0
    let result = unsafe sqlite3_db_status(handle.database, SQLITE_DBSTATUS_CACHE_WRITE, &current, &highest, 1)
    precondition(result == SQLITE_OK, "sqlite3_db_status does not know the counter")
    return Int(current)
  }
}
