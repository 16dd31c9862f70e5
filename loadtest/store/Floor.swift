import CSQLite

/// The storage ceiling: the same rows in straight C calls to SQLite, with the table, the unique key (ts, device, uuid) and
/// the settings of a program that does nothing else.
@safe
final class Floor {
  private var database: OpaquePointer?
  private var insertion: OpaquePointer?

  init(path: String) {
    check(unsafe sqlite3_open(path, &database))
    run(
      """
      pragma page_size=8192; pragma journal_mode=wal; pragma synchronous=full; pragma cache_size=-200000;
      pragma wal_autocheckpoint=4000;
      create table d(id integer primary key, device int, ts int, lat real, lon real, uuid blob, body text);
      create unique index u on d(ts, device, uuid);
      """)
    check(
      unsafe sqlite3_prepare_v2(
        database, "insert or ignore into d(device,ts,lat,lon,uuid,body) values(?,?,?,?,?,?)", -1, &insertion, nil))
  }

  deinit {
    _ = unsafe sqlite3_finalize(insertion)
    _ = unsafe sqlite3_close(database)
  }

  /// One commit of `rows`.
  func commit(_ rows: [BenchRow], body: [UInt8]) {
    run("begin immediate")
    for row in rows {
      let uuid = row.bytes
      let result = unsafe uuid.withUnsafeBufferPointer { uuid in
        unsafe body.withUnsafeBufferPointer { body in
          _ = unsafe sqlite3_bind_int(insertion, 1, Int32(row.device))
          _ = unsafe sqlite3_bind_int64(insertion, 2, row.recordedAt)
          _ = unsafe sqlite3_bind_double(insertion, 3, 45.5)
          _ = unsafe sqlite3_bind_double(insertion, 4, -73.6)
          _ = unsafe sqlite3_bind_blob(insertion, 5, uuid.baseAddress, 16, nil)
          _ = unsafe sqlite3_bind_blob(insertion, 6, body.baseAddress, Int32(body.count), nil)
          return unsafe sqlite3_step(insertion)
        }
      }
      precondition(result == SQLITE_DONE, "the floor fails")
      check(unsafe sqlite3_reset(insertion))
    }
    run("commit")
  }

  private func run(_ sql: String) { check(unsafe sqlite3_exec(database, sql, nil, nil, nil)) }

  private func check(_ result: Int32) {
    precondition(result == SQLITE_OK, "SQLite answers \(result)")
  }
}
