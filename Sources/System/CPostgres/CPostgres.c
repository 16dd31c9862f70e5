#include "CPostgres.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { connection_ok = 0, commands_ok = 1, tuples_ok = 2, single_tuple = 9 };

// The functions of libpq that are called, with the types of libpq-fe.h: its interface has been stable since version 8.
static struct {
  void *(*connect)(const char *const *keywords, const char *const *values, int expand_dbname);
  int (*status)(const void *);
  char *(*error)(const void *);
  void (*finish)(void *);
  int (*send_simple)(void *, const char *);
  int (*send)(void *, const char *, int, const uint32_t *, const char *const *, const int *, const int *, int);
  int (*single_row)(void *);
  int (*socket)(const void *);
  int (*consume)(void *);
  int (*is_busy)(void *);
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
      {&pq.send_simple, "PQsendQuery"},   {&pq.send, "PQsendQueryParams"},
      {&pq.single_row, "PQsetSingleRowMode"}, {&pq.result, "PQgetResult"},
      {&pq.socket, "PQsocket"},           {&pq.consume, "PQconsumeInput"},
      {&pq.is_busy, "PQisBusy"},
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
  int silence;
  // The server has been given up: nothing is sent to it any more.
  int is_lost;
};

static void note(rr_postgres *self, const char *text) {
  free(self->error);
  self->error = strdup(text == NULL || *text == 0 ? "no reason given" : text);
}

static int lose(rr_postgres *self, const char *text) {
  note(self, text);
  self->is_lost = 1;
  return -1;
}

// Settings that end with the transaction: behind a pooler the session belongs to others, too.
static const char begin[] =
    "BEGIN READ ONLY; SET LOCAL TimeZone = 'UTC'; SET LOCAL DateStyle = 'ISO'; SET LOCAL bytea_output = 'hex';"
    "SET LOCAL statement_timeout = '5min'";

rr_postgres *rr_postgres_open(const char *place, int silence) {
  rr_postgres *self = calloc(1, sizeof *self);
  if (self == NULL) return NULL;
  self->silence = silence;
  if (!rr_postgres_is_there()) {
    note(self, "libpq.so.5 is missing");
    return self;
  }
  const char *keywords[] = {"connect_timeout", "keepalives_idle", "client_encoding", "application_name", "dbname", NULL};
  const char *values[] = {"10", "30", "UTF8", "rollingroad", place, NULL};
  self->connection = pq.connect(keywords, values, 1);
  if (pq.status(self->connection) != connection_ok) note(self, pq.error(self->connection));
  return self;
}

void rr_postgres_close(rr_postgres *self) {
  if (self == NULL) return;
  if (self->row != NULL) pq.clear(self->row);
  if (self->connection != NULL) pq.finish(self->connection);
  free(self->error);
  free(self);
}

// The next result, or null behind the last. PQgetResult alone would wait for ever for a host that has vanished. -1: an error.
static int next(rr_postgres *self, void **result) {
  while (pq.is_busy(self->connection)) {
    struct pollfd set = {.fd = pq.socket(self->connection), .events = POLLIN};
    int count = poll(&set, 1, self->silence);
    if (count < 0 && errno == EINTR) continue;
    if (count == 0) {
      char text[64];
      snprintf(text, sizeof text, "the server has sent nothing for %d s", self->silence / 1000);
      return lose(self, text);
    }
    if (count < 0 || !pq.consume(self->connection)) return lose(self, pq.error(self->connection));
  }
  *result = pq.result(self->connection);
  return 0;
}

// 0 when all of the statements were done.
static int run(rr_postgres *self, const char *sql) {
  if (!pq.send_simple(self->connection, sql)) return lose(self, pq.error(self->connection));
  int failed = 0;
  for (;;) {
    void *result = NULL;
    if (next(self, &result) != 0) return -1;
    if (result == NULL) return failed;
    if (pq.result_status(result) != commands_ok) {
      note(self, pq.result_error(result));
      failed = -1;
    }
    pq.clear(result);
  }
}

int rr_postgres_ask(rr_postgres *self, const char *sql, const char *value) {
  if (self->is_lost || run(self, begin) != 0) return 0;
  const char *values[] = {value};
  int sent = pq.send(self->connection, sql, value == NULL ? 0 : 1, NULL, values, NULL, NULL, 0);
  // In any other mode all rows would be in memory at once.
  if (sent == 1) sent = pq.single_row(self->connection);
  if (sent != 1) lose(self, pq.error(self->connection));
  return sent == 1;
}

int rr_postgres_step(rr_postgres *self) {
  int failed = 0;
  for (;;) {
    if (self->row != NULL) pq.clear(self->row);
    self->row = NULL;
    if (next(self, &self->row) != 0) return -1;
    if (self->row == NULL) {
      if (failed) {
        // What is said of the end must not take the place of the reason.
        char *reason = self->error;
        self->error = NULL;
        run(self, "ROLLBACK");
        free(self->error);
        self->error = reason;
        return -1;
      }
      return run(self, "ROLLBACK");
    }
    switch (pq.result_status(self->row)) {
      case single_tuple: return 1;
      case tuples_ok:
      case commands_ok: continue;
      default:
        note(self, pq.result_error(self->row));
        failed = 1;
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
