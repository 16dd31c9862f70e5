// The storage ceiling: rows a second that SQLite commits durably here, with the table that the server's rows would need
// at least (a row, and the unique key that makes a retry harmless), and neither HTTP nor JSON.
//   cc -O2 floor.c -lsqlite3 -o floor && ./floor FILE ROWS ROWS_PER_COMMIT   prints rows per second
// A file that is there already grows: its rows are the ones that are present while the new ones are measured.
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void check(int ok, sqlite3 *db) {
  if (ok) return;
  fprintf(stderr, "floor: %s\n", sqlite3_errmsg(db));
  exit(1);
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int count, char **words) {
  if (count != 4) return fputs("usage: floor FILE ROWS ROWS_PER_COMMIT\n", stderr), 2;
  long rows = atol(words[2]), per_commit = atol(words[3]);
  sqlite3 *db;
  sqlite3_stmt *insert;
  check(sqlite3_open(words[1], &db) == SQLITE_OK, db);
  check(sqlite3_exec(db,
                     "PRAGMA page_size=8192; PRAGMA journal_mode=wal; PRAGMA synchronous=full; PRAGMA cache_size=-200000;"
                     "PRAGMA wal_autocheckpoint=4000;"
                     "CREATE TABLE IF NOT EXISTS points(id INTEGER PRIMARY KEY, at INT, device INT, uuid BLOB, lat REAL, lon REAL, record TEXT);"
                     "CREATE UNIQUE INDEX IF NOT EXISTS once ON points(at, device, uuid)",
                     0, 0, 0) == SQLITE_OK, db);
  sqlite3_stmt *last;
  check(sqlite3_prepare_v2(db, "SELECT coalesce(max(id), 0) FROM points", -1, &last, 0) == SQLITE_OK, db);
  check(sqlite3_step(last) == SQLITE_ROW, db);
  long present = (long)sqlite3_column_int64(last, 0), end = present + rows;
  sqlite3_finalize(last);
  check(sqlite3_prepare_v3(db, "INSERT OR IGNORE INTO points(at, device, uuid, lat, lon, record) VALUES(?,?,?,?,?,?)", -1,
                           SQLITE_PREPARE_PERSISTENT, &insert, 0) == SQLITE_OK, db);
  char record[600];
  uint64_t uuid[2] = {0x9E3779B97F4A7C15u + (uint64_t)present, 0};
  memset(record, 'r', sizeof record);
  double start = seconds();
  for (long done = present; done < end;) {
    check(sqlite3_exec(db, "BEGIN IMMEDIATE", 0, 0, 0) == SQLITE_OK, db);
    for (long k = 0; k < per_commit && done < end; k++, done++) {
      uuid[0] = uuid[0] * 6364136223846793005u + 1442695040888963407u;
      uuid[1] = (uint64_t)done;
      sqlite3_bind_int64(insert, 1, 1800000000000 + done / 5000 * 1000);
      sqlite3_bind_int64(insert, 2, done % 5000);
      sqlite3_bind_blob(insert, 3, uuid, sizeof uuid, SQLITE_STATIC);
      sqlite3_bind_double(insert, 4, 48.1);
      sqlite3_bind_double(insert, 5, 11.5);
      sqlite3_bind_text(insert, 6, record, sizeof record, SQLITE_STATIC);
      check(sqlite3_step(insert) == SQLITE_DONE, db);
      sqlite3_reset(insert);
    }
    check(sqlite3_exec(db, "COMMIT", 0, 0, 0) == SQLITE_OK, db);
  }
  printf("%.0f\n", rows / (seconds() - start));
  return 0;
}
