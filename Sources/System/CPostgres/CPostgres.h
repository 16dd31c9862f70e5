// PostgreSQL's client library, which is loaded when a database is asked: neither its header nor the library has to be there
// before. https://www.postgresql.org/docs/15/libpq.html
#pragma once
#include <stdint.h>

/// A connection, and the query that is being answered on it.
typedef struct rr_postgres rr_postgres;

/// Whether libpq is there; it stays loaded.
int rr_postgres_is_there(void);
/// Connects as a URI or a connection string says; of several hosts to one that takes what is written, if `writes`. A server that
/// sends nothing for `silence` milliseconds is given up. Null without memory. The text of `rr_postgres_error` is empty when it is
/// connected.
rr_postgres *rr_postgres_open(const char *place, int silence, int writes);
void rr_postgres_close(rr_postgres *connection);
/// Sends a query, with a text for $1 unless that is null, in a transaction of its own that only reads, with times in UTC.
/// Its rows come one by one, and the query before must have been stepped to its end. 1: it was sent.
int rr_postgres_ask(rr_postgres *connection, const char *sql, const char *value);
/// 1: the next row is there; 0: there is none any more; -1: an error.
int rr_postgres_step(rr_postgres *connection);
int rr_postgres_columns(const rr_postgres *connection);
const char *rr_postgres_name(const rr_postgres *connection, int column);
/// The OID of the column's type, of which the usual ones never change (pg_type.dat).
uint32_t rr_postgres_type(const rr_postgres *connection, int column);
/// Null where the value is NULL; valid until the next step.
const char *rr_postgres_value(const rr_postgres *connection, int column);
const char *rr_postgres_error(const rr_postgres *connection);
/// Five characters (https://www.postgresql.org/docs/15/errcodes-appendix.html); empty when the error is not the server's.
const char *rr_postgres_state(const rr_postgres *connection);
/// 1: the connection is no more, or was given up.
int rr_postgres_is_lost(const rr_postgres *connection);

/// Runs statements and waits for their end; what they return is dropped. 0: all were done; -1: an error.
int rr_postgres_run(rr_postgres *connection, const char *sql);

/// Queues a statement that gets this name. 1: queued.
int rr_postgres_prepare(rr_postgres *connection, const char *name, const char *sql);
/// Queues the execution of a prepared statement. The values lie one behind the other in `bytes`, in the binary format of their
/// types; a length of -1 is NULL. 1: queued.
int rr_postgres_execute(
    rr_postgres *connection, const char *name, int count, const uint8_t *bytes, const int32_t *lengths);
/// Sends all that is queued. 1: sent.
int rr_postgres_sync(rr_postgres *connection);

/// What a queued statement came to.
typedef struct rr_postgres_result rr_postgres_result;
/// How it ended. After an error all up to the end are skipped.
enum { rr_postgres_done, rr_postgres_failed, rr_postgres_skipped, rr_postgres_end, rr_postgres_lost };
/// The next of the queued statements; at the end there is no result. A result belongs to the caller.
int rr_postgres_next(rr_postgres *connection, rr_postgres_result **result);
/// Whether the server has warned since this was asked last.
int rr_postgres_was_warned(rr_postgres *connection);
void rr_postgres_clear(rr_postgres_result *result);
int rr_postgres_rows(const rr_postgres_result *result);
/// Null for NULL; valid until the result is cleared.
const uint8_t *rr_postgres_bytes(const rr_postgres_result *result, int row, int column, int *length);
/// As "COMMIT" or "INSERT 0 5".
const char *rr_postgres_tag(const rr_postgres_result *result);

/// Waits for a notification. 1: one came; 0: none in time; -1: an error.
int rr_postgres_wait(rr_postgres *connection, int milliseconds);
/// The text of the notification that came last.
const char *rr_postgres_payload(const rr_postgres *connection);
