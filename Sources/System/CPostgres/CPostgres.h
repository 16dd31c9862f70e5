// PostgreSQL's client library, which is loaded when a database is asked: neither its header nor the library has to be there
// before. https://www.postgresql.org/docs/15/libpq.html
#pragma once
#include <stdint.h>

/// A connection, and the query that is being answered on it.
typedef struct rr_postgres rr_postgres;

/// Whether libpq is there; it stays loaded.
int rr_postgres_is_there(void);
/// Connects as a URI or a connection string says, for reading only, with times in UTC. Null without memory. The text of
/// `rr_postgres_error` is empty when it is connected.
rr_postgres *rr_postgres_open(const char *place);
void rr_postgres_close(rr_postgres *connection);
/// Sends a query, with a text for $1 unless that is null. Its rows come one by one. 1: it was sent.
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
