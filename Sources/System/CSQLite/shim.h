// SQLite's variadic and macro entry points, which Swift cannot call.
#pragma once
#include <sqlite3.h>
#include <stdint.h>

/// https://sqlite.org/c3ref/c_dbconfig_defensive.html: each boolean option takes (int, int *).
static inline int rr_sqlite3_db_config(sqlite3 *db, int option, int on) {
  return sqlite3_db_config(db, option, on, (int *)0);
}

/// Process-wide memory statistics cost a mutex on every allocation; nobody reads them here.
static inline int rr_sqlite3_disable_memory_statistics(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

/// SQLITE_STATIC: the bytes outlive the step that reads them, nothing is copied.
static inline int rr_sqlite3_bind_text_static(sqlite3_stmt *statement, int index, const char *text, int64_t length) {
  return sqlite3_bind_text64(statement, index, text, (sqlite3_uint64)length, SQLITE_STATIC, SQLITE_UTF8);
}
static inline int rr_sqlite3_bind_blob_static(sqlite3_stmt *statement, int index, const void *bytes, int64_t length) {
  return sqlite3_bind_blob64(statement, index, bytes, (sqlite3_uint64)length, SQLITE_STATIC);
}

/// SQLITE_TRANSIENT: SQLite takes a copy; for values that live in temporaries.
static inline int rr_sqlite3_bind_text_copy(sqlite3_stmt *statement, int index, const char *text, int64_t length) {
  return sqlite3_bind_text64(statement, index, text, (sqlite3_uint64)length, SQLITE_TRANSIENT, SQLITE_UTF8);
}
static inline int rr_sqlite3_bind_blob_copy(sqlite3_stmt *statement, int index, const void *bytes, int64_t length) {
  return sqlite3_bind_blob64(statement, index, bytes, (sqlite3_uint64)length, SQLITE_TRANSIENT);
}
