#include "CNATS.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ok = 0 };

// The functions that are used. Status values are compared only with zero, or by their text: their numbers are not guaranteed.
static struct {
  int (*make_options)(void **);
  void (*free_options)(void *);
  int (*set_url)(void *, const char *);
  int (*set_token)(void *, const char *);
  int (*set_name)(void *, const char *);
  int (*set_secure)(void *, bool);
  int (*set_host)(void *, const char *);
  int (*set_authorities)(void *, const char *);
  int (*set_timeout)(void *, int64_t);
  int (*set_reconnect)(void *, bool);
  int (*connect)(void **, void *);
  void (*close)(void *);
  bool (*is_closed)(void *);
  int64_t (*max_payload)(void *);
  int (*make_inbox)(char **);
  void (*free_inbox)(char *);
  int (*subscribe)(void **, void *, const char *);
  int (*set_limits)(void *, int, int);
  void (*unsubscribe)(void *);
  int (*next)(void **, void *, int64_t);
  int (*make_message)(void **, const char *, const char *, const char *, int);
  int (*set_header)(void *, const char *, const char *);
  int (*publish)(void *, void *);
  const char *(*subject)(const void *);
  const char *(*data)(const void *);
  int (*data_length)(const void *);
  void (*free_message)(void *);
  const char *(*text)(int);
  const char *(*last_error)(int *);
} nats;
static int is_there;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// The newest first; Debian 12 has 3.4, which already has all functions used here.
static void *open_library(void) {
  for (int minor = 20; minor >= 4; minor--) {
    char name[32];
    snprintf(name, sizeof name, "libnats.so.3.%d", minor);
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library != NULL) return library;
  }
  return NULL;
}

static void load(void) {
  void *library = open_library();
  if (library == NULL) return;
  const struct {
    void *place;
    const char *name;
  } functions[] = {
      {&nats.make_options, "natsOptions_Create"},
      {&nats.free_options, "natsOptions_Destroy"},
      {&nats.set_url, "natsOptions_SetURL"},
      {&nats.set_token, "natsOptions_SetToken"},
      {&nats.set_name, "natsOptions_SetName"},
      {&nats.set_secure, "natsOptions_SetSecure"},
      {&nats.set_host, "natsOptions_SetExpectedHostname"},
      {&nats.set_authorities, "natsOptions_LoadCATrustedCertificates"},
      {&nats.set_timeout, "natsOptions_SetTimeout"},
      {&nats.set_reconnect, "natsOptions_SetAllowReconnect"},
      {&nats.connect, "natsConnection_Connect"},
      {&nats.close, "natsConnection_Destroy"},
      {&nats.is_closed, "natsConnection_IsClosed"},
      {&nats.max_payload, "natsConnection_GetMaxPayload"},
      {&nats.make_inbox, "natsInbox_Create"},
      {&nats.free_inbox, "natsInbox_Destroy"},
      {&nats.subscribe, "natsConnection_SubscribeSync"},
      {&nats.set_limits, "natsSubscription_SetPendingLimits"},
      {&nats.unsubscribe, "natsSubscription_Destroy"},
      {&nats.next, "natsSubscription_NextMsg"},
      {&nats.make_message, "natsMsg_Create"},
      {&nats.set_header, "natsMsgHeader_Set"},
      {&nats.publish, "natsConnection_PublishMsg"},
      {&nats.subject, "natsMsg_GetSubject"},
      {&nats.data, "natsMsg_GetData"},
      {&nats.data_length, "natsMsg_GetDataLength"},
      {&nats.free_message, "natsMsg_Destroy"},
      {&nats.text, "natsStatus_GetText"},
      {&nats.last_error, "nats_GetLastError"},
  };
  for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++) {
    void *function = dlsym(library, functions[i].name);
    if (function == NULL) return;
    memcpy(functions[i].place, &function, sizeof function);
  }
  is_there = 1;
}

int rr_nats_is_there(void) {
  pthread_once(&once, load);
  return is_there;
}

struct rr_nats {
  void *connection;
  void *subscription;
  char *inbox;
  void *answer;
  char error[512];
};

// The library's detail begins with its file and line.
static int fail(rr_nats *self, int status) {
  const char *detail = nats.last_error(NULL);
  const char *words = detail == NULL ? NULL : strstr(detail, "): ");
  snprintf(self->error, sizeof self->error, "%s", words == NULL || words[3] == 0 ? nats.text(status) : words + 3);
  return rr_nats_failed;
}

static int set_options(
    void *options, const char *url, const char *token, const char *host, const char *authorities, int64_t milliseconds) {
  int status = nats.set_url(options, url);
  if (status == ok) status = nats.set_name(options, "rollingroad");
  // A broken connection has lost acknowledgements: the sink opens the next one, and sends pending messages again.
  if (status == ok) status = nats.set_reconnect(options, false);
  if (status == ok) status = nats.set_timeout(options, milliseconds);
  if (status == ok && token != NULL) status = nats.set_token(options, token);
  if (status == ok && host != NULL) status = nats.set_secure(options, true);
  if (status == ok && host != NULL) status = nats.set_host(options, host);
  if (status == ok && host != NULL && authorities != NULL) status = nats.set_authorities(options, authorities);
  return status;
}

rr_nats *rr_nats_open(
    const char *url, const char *token, const char *host, const char *authorities, int64_t milliseconds) {
  rr_nats *self = calloc(1, sizeof *self);
  if (self == NULL) return NULL;
  if (!rr_nats_is_there()) {
    snprintf(self->error, sizeof self->error, "libnats is missing");
    return self;
  }
  void *options = NULL;
  int status = nats.make_options(&options);
  if (status == ok) status = set_options(options, url, token, host, authorities, milliseconds);
  if (status == ok) status = nats.connect(&self->connection, options);
  if (options != NULL) nats.free_options(options);
  if (status == ok) status = nats.make_inbox(&self->inbox);
  char subject[256] = "";
  if (status == ok) snprintf(subject, sizeof subject, "%s.*", self->inbox);
  if (status == ok) status = nats.subscribe(&self->subscription, self->connection, subject);
  if (status == ok) status = nats.set_limits(self->subscription, -1, -1);
  if (status != ok) fail(self, status);
  return self;
}

void rr_nats_close(rr_nats *self) {
  if (self == NULL) return;
  if (self->answer != NULL) nats.free_message(self->answer);
  if (self->subscription != NULL) nats.unsubscribe(self->subscription);
  if (self->inbox != NULL) nats.free_inbox(self->inbox);
  if (self->connection != NULL) nats.close(self->connection);
  free(self);
}

int rr_nats_publish(
    rr_nats *self, const char *subject, int64_t number, const char *id, const uint8_t *bytes, size_t count) {
  // The server's limit includes the headers.
  size_t header = id == NULL ? 0 : strlen(id) + 64;
  if ((int64_t)(count + header) > nats.max_payload(self->connection)) return rr_nats_too_large;
  char reply[256];
  snprintf(reply, sizeof reply, "%s.%" PRId64, self->inbox, number);
  void *message = NULL;
  int status = nats.make_message(&message, subject, reply, (const char *)bytes, (int)count);
  if (status == ok && id != NULL) status = nats.set_header(message, "Nats-Msg-Id", id);
  if (status == ok) status = nats.publish(self->connection, message);
  if (message != NULL) nats.free_message(message);
  return status == ok ? rr_nats_done : fail(self, status);
}

int rr_nats_next(rr_nats *self, int64_t milliseconds, rr_nats_answer *answer) {
  if (self->answer != NULL) nats.free_message(self->answer);
  self->answer = NULL;
  int status = nats.next(&self->answer, self->subscription, milliseconds < 1 ? 1 : milliseconds);
  if (status != ok) {
    if (nats.is_closed(self->connection)) return fail(self, status);
    const char *text = nats.text(status);
    if (strstr(text, "imeout") != NULL) return rr_nats_nothing;
    if (strstr(text, "esponders") == NULL) return fail(self, status);
    *answer = (rr_nats_answer){.number = -1, .is_unheard = 1};
    return rr_nats_done;
  }
  const char *subject = nats.subject(self->answer);
  const char *dot = strrchr(subject, '.');
  answer->number = dot == NULL ? -1 : strtoll(dot + 1, NULL, 10);
  answer->bytes = nats.data(self->answer);
  answer->count = answer->bytes == NULL ? 0 : (size_t)nats.data_length(self->answer);
  answer->is_unheard = 0;
  return rr_nats_done;
}

const char *rr_nats_error(const rr_nats *self) { return self->error; }
