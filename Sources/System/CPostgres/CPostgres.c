#include "CPostgres.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { connection_ok = 0, commands_ok = 1, tuples_ok = 2, single_tuple = 9, pipeline_sync = 10, pipeline_aborted = 11 };

// PGnotify.
struct notification {
  char *channel;
  int sender;
  char *payload;
  void *next;
};

// The functions of libpq that are used, with the types of libpq-fe.h: its interface has been stable since version 8.
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
  int (*rows)(const void *);
  int (*length)(const void *, int, int);
  char *(*tag)(void *);
  char *(*field)(const void *, int);
  int (*enter_pipeline)(void *);
  int (*exit_pipeline)(void *);
  int (*sync)(void *);
  int (*set_nonblocking)(void *, int);
  int (*flush)(void *);
  int (*prepare)(void *, const char *, const char *, int, const uint32_t *);
  int (*execute)(void *, const char *, int, const char *const *, const int *, const int *, int);
  void *(*set_receiver)(void *, void (*)(void *, const void *), void *);
  struct notification *(*notification)(void *);
  void (*free)(void *);
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
      {&pq.rows, "PQntuples"},            {&pq.length, "PQgetlength"},
      {&pq.tag, "PQcmdStatus"},           {&pq.field, "PQresultErrorField"},
      {&pq.enter_pipeline, "PQenterPipelineMode"}, {&pq.exit_pipeline, "PQexitPipelineMode"},
      {&pq.sync, "PQpipelineSync"},       {&pq.set_nonblocking, "PQsetnonblocking"},
      {&pq.flush, "PQflush"},             {&pq.prepare, "PQsendPrepare"},
      {&pq.execute, "PQsendQueryPrepared"}, {&pq.set_receiver, "PQsetNoticeReceiver"},
      {&pq.notification, "PQnotifies"},   {&pq.free, "PQfreemem"},
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
  char state[6];
  char *payload;
  int silence;
  int was_warned;
  int is_pipelining;
  // Whether the server was given up: then nothing more is sent to it.
  int is_lost;
};

static void note(rr_postgres *self, const char *text) {
  free(self->error);
  self->error = strdup(text == NULL || *text == 0 ? "no reason given" : text);
  self->state[0] = 0;
}

static void note_result(rr_postgres *self, const void *result) {
  note(self, pq.result_error(result));
  const char *state = pq.field(result, 'C');
  if (state != NULL) snprintf(self->state, sizeof self->state, "%s", state);
}

// Otherwise libpq would print notices.
static void receive(void *self, const void *result) {
  const char *severity = pq.field(result, 'V');
  if (severity != NULL && strcmp(severity, "WARNING") == 0) ((rr_postgres *)self)->was_warned = 1;
}

static int lose(rr_postgres *self, const char *text) {
  note(self, text);
  self->is_lost = 1;
  return -1;
}

// Settings that end with the transaction: with a pooler the session is shared with others.
static const char begin[] =
    "BEGIN READ ONLY; SET LOCAL TimeZone = 'UTC'; SET LOCAL DateStyle = 'ISO'; SET LOCAL bytea_output = 'hex';"
    "SET LOCAL statement_timeout = '5min'";

rr_postgres *rr_postgres_open(const char *place, int silence, int writes) {
  rr_postgres *self = calloc(1, sizeof *self);
  if (self == NULL) return NULL;
  self->silence = silence;
  if (!rr_postgres_is_there()) {
    note(self, "libpq.so.5 is missing");
    return self;
  }
  // The parameters of the place override these.
  const char *keywords[] = {"connect_timeout",  "keepalives_idle",      "tcp_user_timeout", "client_encoding",
                            "application_name", "target_session_attrs", "dbname",           NULL};
  const char *values[] = {"10", "30", "30000", "UTF8", "rollingroad", writes ? "read-write" : "any", place, NULL};
  self->connection = pq.connect(keywords, values, 1);
  if (pq.status(self->connection) != connection_ok) {
    lose(self, pq.error(self->connection));
  } else {
    pq.set_receiver(self->connection, receive, self);
  }
  return self;
}

void rr_postgres_close(rr_postgres *self) {
  if (self == NULL) return;
  if (self->row != NULL) pq.clear(self->row);
  if (self->connection != NULL) pq.finish(self->connection);
  free(self->error);
  free(self->payload);
  free(self);
}

// Returns the next result, or null after the last. PQgetResult alone would wait forever for a vanished host. -1: an error.
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

// Returns 0 when all statements were executed.
static int run(rr_postgres *self, const char *sql) {
  if (!pq.send_simple(self->connection, sql)) return lose(self, pq.error(self->connection));
  int failed = 0;
  for (;;) {
    void *result = NULL;
    if (next(self, &result) != 0) return -1;
    if (result == NULL) return failed;
    if (pq.result_status(result) != commands_ok && pq.result_status(result) != tuples_ok) {
      note_result(self, result);
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
        // An error of ROLLBACK must not replace the reason.
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
        note_result(self, self->row);
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
const char *rr_postgres_state(const rr_postgres *self) { return self->state; }

int rr_postgres_is_lost(const rr_postgres *self) {
  return self->is_lost || self->connection == NULL || pq.status(self->connection) != connection_ok;
}

int rr_postgres_run(rr_postgres *self, const char *sql) { return self->is_lost ? -1 : run(self, sql); }

// A pipeline lasts from the first queued statement until its end has been received. Sending must not block meanwhile: the
// server could also be blocked, by results that are not consumed
// (https://www.postgresql.org/docs/15/libpq-pipeline-mode.html#LIBPQ-PIPELINE-SENDING).
static int begin_pipeline(rr_postgres *self) {
  if (self->is_lost) return 0;
  if (self->is_pipelining) return 1;
  if (!pq.enter_pipeline(self->connection) || pq.set_nonblocking(self->connection, 1) != 0) {
    lose(self, pq.error(self->connection));
    return 0;
  }
  self->is_pipelining = 1;
  return 1;
}

static int queued(rr_postgres *self, int is_queued) {
  if (is_queued != 1) lose(self, pq.error(self->connection));
  return is_queued == 1;
}

int rr_postgres_prepare(rr_postgres *self, const char *name, const char *sql) {
  return begin_pipeline(self) && queued(self, pq.prepare(self->connection, name, sql, 0, NULL));
}

int rr_postgres_execute(
    rr_postgres *self, const char *name, int count, const uint8_t *bytes, const int32_t *lengths) {
  enum { most = 64 };
  const char *values[most];
  int formats[most];
  if (count > most || !begin_pipeline(self)) return 0;
  for (int i = 0; i < count; i++) {
    values[i] = lengths[i] < 0 ? NULL : (const char *)bytes;
    formats[i] = 1;
    if (lengths[i] > 0) bytes += lengths[i];
  }
  return queued(self, pq.execute(self->connection, name, count, values, lengths, formats, 1));
}

int rr_postgres_sync(rr_postgres *self) {
  if (!begin_pipeline(self) || !queued(self, pq.sync(self->connection))) return 0;
  for (;;) {
    int remains = pq.flush(self->connection);
    if (remains == 0) return 1;
    struct pollfd set = {.fd = pq.socket(self->connection), .events = POLLIN | POLLOUT};
    int count = remains < 0 ? -1 : poll(&set, 1, self->silence);
    if (count < 0 && remains > 0 && errno == EINTR) continue;
    if (count == 0) {
      lose(self, "the server takes nothing");
      return 0;
    }
    if (count < 0 || ((set.revents & ~POLLOUT) && !pq.consume(self->connection))) {
      lose(self, pq.error(self->connection));
      return 0;
    }
  }
}

int rr_postgres_next(rr_postgres *self, rr_postgres_result **out) {
  void *result = NULL;
  *out = NULL;
  // The results of each statement are followed by a null.
  for (int i = 0; i < 2 && result == NULL; i++) {
    if (self->is_lost || next(self, &result) != 0) return rr_postgres_lost;
  }
  if (result == NULL) {
    lose(self, "the pipeline is out of step");
    return rr_postgres_lost;
  }
  switch (pq.result_status(result)) {
    case commands_ok:
    case tuples_ok: *out = result; return rr_postgres_done;
    case pipeline_aborted: pq.clear(result); return rr_postgres_skipped;
    case pipeline_sync:
      pq.clear(result);
      self->is_pipelining = 0;
      if (pq.exit_pipeline(self->connection) && pq.set_nonblocking(self->connection, 0) == 0) return rr_postgres_end;
      lose(self, pq.error(self->connection));
      return rr_postgres_lost;
    default:
      note_result(self, result);
      pq.clear(result);
      if (!rr_postgres_is_lost(self)) return rr_postgres_failed;
      self->is_lost = 1;
      return rr_postgres_lost;
  }
}

int rr_postgres_was_warned(rr_postgres *self) {
  int was_warned = self->was_warned;
  self->was_warned = 0;
  return was_warned;
}

void rr_postgres_clear(rr_postgres_result *result) { pq.clear(result); }
int rr_postgres_rows(const rr_postgres_result *result) { return pq.rows(result); }
const char *rr_postgres_tag(const rr_postgres_result *result) { return pq.tag((void *)result); }

const uint8_t *rr_postgres_bytes(const rr_postgres_result *result, int row, int column, int *length) {
  if (pq.is_null(result, row, column)) return NULL;
  *length = pq.length(result, row, column);
  return (const uint8_t *)pq.value(result, row, column);
}

int rr_postgres_wait(rr_postgres *self, int milliseconds) {
  if (self->is_lost) return -1;
  struct notification *came = pq.notification(self->connection);
  if (came == NULL) {
    struct pollfd set = {.fd = pq.socket(self->connection), .events = POLLIN};
    int count = poll(&set, 1, milliseconds);
    if (count == 0 || (count < 0 && errno == EINTR)) return 0;
    if (count < 0 || !pq.consume(self->connection)) return lose(self, pq.error(self->connection));
    came = pq.notification(self->connection);
    if (came == NULL) return 0;
  }
  free(self->payload);
  self->payload = strdup(came->payload);
  pq.free(came);
  return 1;
}

const char *rr_postgres_payload(const rr_postgres *self) { return self->payload == NULL ? "" : self->payload; }
