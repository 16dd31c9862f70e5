// SQLite's variadic and macro entry points, which Swift cannot call.
#pragma once
#include <sqlite3.h>
#include <stdint.h>
#include <time.h>

/// The extended codes are shifted macros, which Swift does not import.
static const int rr_sqlite3_constraint_unique = SQLITE_CONSTRAINT_UNIQUE;
static const int rr_sqlite3_constraint_primarykey = SQLITE_CONSTRAINT_PRIMARYKEY;
static const int rr_sqlite3_constraint_rowid = SQLITE_CONSTRAINT_ROWID;
static const int rr_sqlite3_constraint_notnull = SQLITE_CONSTRAINT_NOTNULL;
static const int rr_sqlite3_constraint_check = SQLITE_CONSTRAINT_CHECK;
static const int rr_sqlite3_constraint_foreignkey = SQLITE_CONSTRAINT_FOREIGNKEY;
static const int rr_sqlite3_constraint_datatype = SQLITE_CONSTRAINT_DATATYPE;
static const int rr_sqlite3_constraint_trigger = SQLITE_CONSTRAINT_TRIGGER;

/// https://sqlite.org/c3ref/c_dbconfig_defensive.html: each boolean option takes (int, int *).
static inline int rr_sqlite3_db_config(sqlite3 *db, int option, int on) {
  return sqlite3_db_config(db, option, on, (int *)0);
}

/// Configures SQLite for the whole process, once, before it is used: no memory statistics, and commits that do not scan the
/// whole page cache (PageCache.c). Does nothing when other code has used SQLite before.
void rr_sqlite3_configure(void);
/// The page cache in use by SQLite; NULL when other code has used SQLite before.
const sqlite3_pcache_methods2 *rr_sqlite3_page_cache(void);

/// `second` is a second of the monotonic clock after which statements end with SQLITE_INTERRUPT. It is checked every 100,000
/// instructions of SQLite's virtual machine, some milliseconds; 0: no limit.
static inline int rr_sqlite3_is_late(void *second) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec >= (intptr_t)second;
}
static inline void rr_sqlite3_end_at(sqlite3 *db, int64_t second) {
  sqlite3_progress_handler(db, 100000, second ? rr_sqlite3_is_late : 0, (void *)(intptr_t)second);
}

/// SQLITE_STATIC: the bytes outlive the step that reads them, nothing is copied. With a null pointer SQLite would bind NULL,
/// and an empty Swift buffer may have one.
static inline int rr_sqlite3_bind_text_static(sqlite3_stmt *statement, int index, const void *text, int64_t length) {
  return sqlite3_bind_text64(statement, index, text ? (const char *)text : "", (sqlite3_uint64)length, SQLITE_STATIC,
                             SQLITE_UTF8);
}
static inline int rr_sqlite3_bind_blob_static(sqlite3_stmt *statement, int index, const void *bytes, int64_t length) {
  return sqlite3_bind_blob64(statement, index, bytes ? bytes : "", (sqlite3_uint64)length, SQLITE_STATIC);
}
