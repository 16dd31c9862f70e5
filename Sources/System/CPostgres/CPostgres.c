#include "CPostgres.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { connection_ok = 0, commands_ok = 1, tuples_ok = 2, single_tuple = 9 };

// The functions of libpq that are called, with the types of libpq-fe.h: its interface has been stable since version 8.
static struct {
  void *(*connect)(const char *const *keywords, const char *const *values, int expand_dbname);
  int (*status)(const void *);
  char *(*error)(const void *);
  void (*finish)(void *);
  void *(*exec)(void *, const char *);
  int (*send)(void *, const char *, int, const uint32_t *, const char *const *, const int *, const int *, int);
  int (*single_row)(void *);
  void *(*result)(void *);
  int (*result_status)(const void *);
  char *(*result_error)(const void *);
  void (*clear)(void *);
  int (*columns)(const void *);
  char *(*name)(const void *, int);
  uint32_t (*type)(const void *, int);
  char *(*value)(const void *, int, int);
  int (*is_null)(const void *, int, int);
} pq;
static int is_there;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return;
  const struct {
    void *place;
    const char *name;
  } functions[] = {
      {&pq.connect, "PQconnectdbParams"}, {&pq.status, "PQstatus"},
      {&pq.error, "PQerrorMessage"},      {&pq.finish, "PQfinish"},
      {&pq.exec, "PQexec"},               {&pq.send, "PQsendQueryParams"},
      {&pq.single_row, "PQsetSingleRowMode"}, {&pq.result, "PQgetResult"},
      {&pq.result_status, "PQresultStatus"},  {&pq.result_error, "PQresultErrorMessage"},
      {&pq.clear, "PQclear"},             {&pq.columns, "PQnfields"},
      {&pq.name, "PQfname"},              {&pq.type, "PQftype"},
      {&pq.value, "PQgetvalue"},          {&pq.is_null, "PQgetisnull"},
  };
  for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++) {
    void *function = dlsym(library, functions[i].name);
    if (function == NULL) return;
    memcpy(functions[i].place, &function, sizeof function);
  }
  is_there = 1;
}

int rr_postgres_is_there(void) {
  pthread_once(&once, load);
  return is_there;
}

struct rr_postgres {
  void *connection;
  void *row;
  char *error;
};

static void note(rr_postgres *self, const char *text) {
  free(self->error);
  self->error = strdup(text == NULL || *text == 0 ? "no reason given" : text);
}

// A database that answers nothing ends no test: libpq waits ten seconds, the server works at most five minutes.
static const char settings[] =
    "SET default_transaction_read_only = on; SET TimeZone = 'UTC'; SET DateStyle = 'ISO'; SET bytea_output = 'hex';"
    "SET statement_timeout = '5min'";

rr_postgres *rr_postgres_open(const char *place) {
  rr_postgres *self = calloc(1, sizeof *self);
  if (self == NULL) return NULL;
  if (!rr_postgres_is_there()) {
    note(self, "libpq.so.5 is missing");
    return self;
  }
  const char *keywords[] = {"connect_timeout", "client_encoding", "application_name", "dbname", NULL};
  const char *values[] = {"10", "UTF8", "rollingroad", place, NULL};
  self->connection = pq.connect(keywords, values, 1);
  if (pq.status(self->connection) != connection_ok) {
    note(self, pq.error(self->connection));
    return self;
  }
  void *result = pq.exec(self->connection, settings);
  if (pq.result_status(result) != commands_ok) note(self, pq.result_error(result));
  pq.clear(result);
  return self;
}

void rr_postgres_close(rr_postgres *self) {
  if (self == NULL) return;
  if (self->row != NULL) pq.clear(self->row);
  if (self->connection != NULL) pq.finish(self->connection);
  free(self->error);
  free(self);
}

int rr_postgres_ask(rr_postgres *self, const char *sql, const char *value) {
  const char *values[] = {value};
  int sent = pq.send(self->connection, sql, value == NULL ? 0 : 1, NULL, values, NULL, NULL, 0);
  if (sent != 1) note(self, pq.error(self->connection));
  if (sent == 1) pq.single_row(self->connection);
  return sent;
}

int rr_postgres_step(rr_postgres *self) {
  for (;;) {
    if (self->row != NULL) pq.clear(self->row);
    self->row = pq.result(self->connection);
    if (self->row == NULL) return 0;
    switch (pq.result_status(self->row)) {
      case single_tuple: return 1;
      case tuples_ok:
      case commands_ok: continue;
      default: note(self, pq.result_error(self->row)); return -1;
    }
  }
}

int rr_postgres_columns(const rr_postgres *self) { return pq.columns(self->row); }
const char *rr_postgres_name(const rr_postgres *self, int column) { return pq.name(self->row, column); }
uint32_t rr_postgres_type(const rr_postgres *self, int column) { return pq.type(self->row, column); }

const char *rr_postgres_value(const rr_postgres *self, int column) {
  return pq.is_null(self->row, 0, column) ? NULL : pq.value(self->row, 0, column);
}

const char *rr_postgres_error(const rr_postgres *self) { return self->error == NULL ? "" : self->error; }
