import CSQLite
import Testing

@Suite struct SQLiteShimTests {
  init() { rr_sqlite3_configure() }

  private func withStatement(_ sql: String, _ body: (OpaquePointer) throws -> Void) throws {
    var database: OpaquePointer?
    var statement: OpaquePointer?
    #expect(unsafe sqlite3_open(":memory:", &database) == SQLITE_OK)
    #expect(unsafe sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK)
    defer {
      unsafe sqlite3_finalize(statement)
      unsafe sqlite3_close(database)
    }
    unsafe try body(try #require(statement))
  }

  @Test func staticBindsReadTheCallersBytesAtTheStep() throws {
    try unsafe withStatement("SELECT typeof(?1), hex(?1), typeof(?2), hex(?2)") { statement in
      var bytes: [UInt8] = [0x61, 0x62, 0x00, 0x63]
      unsafe bytes.withUnsafeMutableBufferPointer { bytes in
        #expect(unsafe rr_sqlite3_bind_text_static(statement, 1, bytes.baseAddress, 4) == SQLITE_OK)
        #expect(unsafe rr_sqlite3_bind_blob_static(statement, 2, bytes.baseAddress, 3) == SQLITE_OK)
        unsafe bytes[0] = 0x7A
        #expect(unsafe sqlite3_step(statement) == SQLITE_ROW)
      }
      let columns = (0..<4).map { unsafe String(cString: sqlite3_column_text(statement, $0)) }
      #expect(columns == ["text", "7A620063", "blob", "7A6200"])
    }
  }

  @Test func withoutAPointerTheValueIsEmptyAndNotNull() throws {
    try unsafe withStatement("SELECT typeof(?1), typeof(?2)") { statement in
      #expect(unsafe rr_sqlite3_bind_text_static(statement, 1, nil, 0) == SQLITE_OK)
      #expect(unsafe rr_sqlite3_bind_blob_static(statement, 2, nil, 0) == SQLITE_OK)
      #expect(unsafe sqlite3_step(statement) == SQLITE_ROW)
      let columns = (0..<2).map { unsafe String(cString: sqlite3_column_text(statement, $0)) }
      #expect(columns == ["text", "blob"])
    }
  }

  @Test func aBindBeyondTheLastParameterIsRefused() throws {
    try unsafe withStatement("SELECT ?") { statement in
      #expect(unsafe rr_sqlite3_bind_text_static(statement, 2, nil, 0) == SQLITE_RANGE)
      #expect(unsafe rr_sqlite3_bind_blob_static(statement, 0, nil, 0) == SQLITE_RANGE)
    }
  }

  @Test func configurationOptionsTakeTheirValue() throws {
    var database: OpaquePointer?
    #expect(unsafe sqlite3_open(":memory:", &database) == SQLITE_OK)
    defer { unsafe sqlite3_close(database) }
    let forbidden = "PRAGMA writable_schema = on; CREATE TABLE t(a); DELETE FROM sqlite_schema"
    #expect(unsafe rr_sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1) == SQLITE_OK)
    #expect(unsafe sqlite3_exec(database, forbidden, nil, nil, nil) == SQLITE_ERROR)
    #expect(unsafe rr_sqlite3_db_config(database, 9_999, 1) == SQLITE_ERROR)
  }

  @Test func extendedConstraintCodesAreThoseOfTheManual() {
    // https://sqlite.org/rescode.html
    #expect(rr_sqlite3_constraint_unique == 2067)
    #expect(rr_sqlite3_constraint_primarykey == 1555)
    #expect(rr_sqlite3_constraint_foreignkey == 787)
  }
}
