// PostgreSQL's client library, which is loaded when a database is asked: neither its header nor the library has to be there
// before. https://www.postgresql.org/docs/15/libpq.html
#pragma once
#include <stdint.h>

/// A connection, and the query that is being answered on it.
typedef struct rr_postgres rr_postgres;

/// Whether libpq is there; it stays loaded.
int rr_postgres_is_there(void);
/// Connects as a URI or a connection string says. A server that sends nothing for `silence` milliseconds is given up. Null
/// without memory. The text of `rr_postgres_error` is empty when it is connected.
rr_postgres *rr_postgres_open(const char *place, int silence);
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
