// PostgreSQL's client library, loaded at first use: neither its header nor the library is needed to build or start.
// https://www.postgresql.org/docs/15/libpq.html
#pragma once
#include <stdint.h>

/// A connection, and the query in progress on it.
typedef struct rr_postgres rr_postgres;

/// Returns whether libpq is available; it stays loaded.
int rr_postgres_is_there(void);
/// Connects to a URI or a connection string; with several hosts and `writes`, to one that accepts writes. A server that sends
/// nothing for `silence` milliseconds is given up. Returns null when memory has run out. The text of `rr_postgres_error` is
/// empty after success.
rr_postgres *rr_postgres_open(const char *place, int silence, int writes);
void rr_postgres_close(rr_postgres *connection);
/// Sends a query, with a text for $1 unless that is null, in a read-only transaction of its own, with times in UTC. Its rows
/// arrive one by one, and the previous query must have been stepped to its end. 1: it was sent.
int rr_postgres_ask(rr_postgres *connection, const char *sql, const char *value);
/// 1: there is a next row; 0: there is none; -1: an error.
int rr_postgres_step(rr_postgres *connection);
int rr_postgres_columns(const rr_postgres *connection);
const char *rr_postgres_name(const rr_postgres *connection, int column);
/// The OID of the column's type; those of the usual types never change (pg_type.dat).
uint32_t rr_postgres_type(const rr_postgres *connection, int column);
/// Null for NULL; valid until the next step.
const char *rr_postgres_value(const rr_postgres *connection, int column);
const char *rr_postgres_error(const rr_postgres *connection);
/// Five characters (https://www.postgresql.org/docs/15/errcodes-appendix.html); empty when the error is not the server's.
const char *rr_postgres_state(const rr_postgres *connection);
/// 1: the connection is lost, or was given up.
int rr_postgres_is_lost(const rr_postgres *connection);

/// Runs statements and waits for their end; their results are dropped. 0: all were executed; -1: an error.
int rr_postgres_run(rr_postgres *connection, const char *sql);

/// Queues the preparation of a statement under this name. 1: queued.
int rr_postgres_prepare(rr_postgres *connection, const char *name, const char *sql);
/// Queues the execution of a prepared statement. The values are concatenated in `bytes`, in the binary format of their types; a
/// length of -1 is NULL. 1: queued.
int rr_postgres_execute(
    rr_postgres *connection, const char *name, int count, const uint8_t *bytes, const int32_t *lengths);
/// Sends everything that is queued. 1: sent.
int rr_postgres_sync(rr_postgres *connection);

/// The result of a queued statement.
typedef struct rr_postgres_result rr_postgres_result;
/// How the statement ended. After an error all up to the end are skipped.
enum { rr_postgres_done, rr_postgres_failed, rr_postgres_skipped, rr_postgres_end, rr_postgres_lost };
/// Returns the next queued statement's end; at the end of the queue there is no result. The caller owns the result.
int rr_postgres_next(rr_postgres *connection, rr_postgres_result **result);
/// Returns whether the server has warned since the last call.
int rr_postgres_was_warned(rr_postgres *connection);
void rr_postgres_clear(rr_postgres_result *result);
int rr_postgres_rows(const rr_postgres_result *result);
/// Null for NULL; valid until the result is cleared.
const uint8_t *rr_postgres_bytes(const rr_postgres_result *result, int row, int column, int *length);
/// Such as "COMMIT" or "INSERT 0 5".
const char *rr_postgres_tag(const rr_postgres_result *result);

/// Waits for a notification. 1: one arrived; 0: none in time; -1: an error.
int rr_postgres_wait(rr_postgres *connection, int milliseconds);
/// The text of the last notification.
const char *rr_postgres_payload(const rr_postgres *connection);
