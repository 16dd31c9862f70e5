#include "CKafka.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The beginning of `rd_kafka_message_t`, unchanged since the first version of librdkafka.so.1.
typedef struct {
  int error;
  void *topic;
  int32_t partition;
  void *bytes;
  size_t count;
  void *key;
  size_t key_count;
  int64_t offset;
  void *number;
} message;

// `rd_kafka_metadata_topic_t` and `rd_kafka_metadata_t`, also unchanged since the first version.
typedef struct {
  char *name;
  int partition_count;
  void *partitions;
  int error;
} topic_metadata;

typedef struct {
  int broker_count;
  void *brokers;
  int topic_count;
  topic_metadata *topics;
} metadata;

enum {
  producer_type = 0,
  consumer_type = 1,
  any_partition = -1,
  copies = 2,
  of_queue = 1,
  of_flight = 2,
  accepted = 0,
  from_beginning = -2,
  end_of_partition = -191,
  message_too_large = 10,
};

static struct {
  void *(*make_settings)(void);
  void (*free_settings)(void *);
  int (*set)(void *, const char *, const char *, char *, size_t);
  void (*set_opaque)(void *, void *);
  void (*set_report)(void *, void (*)(void *, const message *, void *));
  void (*set_problem)(void *, void (*)(void *, int, const char *, void *));
  void (*set_log)(void *, void (*)(const void *, int, const char *, const char *));
  void *(*make)(int, void *, char *, size_t);
  void (*free)(void *);
  void *(*make_topic)(void *, const char *, void *);
  void (*free_topic)(void *);
  int (*produce)(void *, int32_t, int, void *, size_t, const void *, size_t, void *);
  int (*poll)(void *, int);
  int (*purge)(void *, int);
  int (*metadata)(void *, int, void *, const metadata **, int);
  void (*free_metadata)(const metadata *);
  int (*watermarks)(void *, const char *, int32_t, int64_t *, int64_t *, int);
  int (*start)(void *, int32_t, int64_t);
  int (*stop)(void *, int32_t);
  message *(*consume)(void *, int32_t, int);
  void (*free_message)(message *);
  int (*last_error)(void);
  const char *(*text)(int);
} kafka;
static int is_there;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
  void *library = dlopen("librdkafka.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return;
  const struct {
    void *place;
    const char *name;
  } functions[] = {
      {&kafka.make_settings, "rd_kafka_conf_new"},
      {&kafka.free_settings, "rd_kafka_conf_destroy"},
      {&kafka.set, "rd_kafka_conf_set"},
      {&kafka.set_opaque, "rd_kafka_conf_set_opaque"},
      {&kafka.set_report, "rd_kafka_conf_set_dr_msg_cb"},
      {&kafka.set_problem, "rd_kafka_conf_set_error_cb"},
      {&kafka.set_log, "rd_kafka_conf_set_log_cb"},
      {&kafka.make, "rd_kafka_new"},
      {&kafka.free, "rd_kafka_destroy"},
      {&kafka.make_topic, "rd_kafka_topic_new"},
      {&kafka.free_topic, "rd_kafka_topic_destroy"},
      {&kafka.produce, "rd_kafka_produce"},
      {&kafka.poll, "rd_kafka_poll"},
      {&kafka.purge, "rd_kafka_purge"},
      {&kafka.metadata, "rd_kafka_metadata"},
      {&kafka.free_metadata, "rd_kafka_metadata_destroy"},
      {&kafka.watermarks, "rd_kafka_query_watermark_offsets"},
      {&kafka.start, "rd_kafka_consume_start"},
      {&kafka.stop, "rd_kafka_consume_stop"},
      {&kafka.consume, "rd_kafka_consume"},
      {&kafka.free_message, "rd_kafka_message_destroy"},
      {&kafka.last_error, "rd_kafka_last_error"},
      {&kafka.text, "rd_kafka_err2str"},
  };
  for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++) {
    void *function = dlsym(library, functions[i].name);
    if (function == NULL) return;
    memcpy(functions[i].place, &function, sizeof function);
  }
  is_there = 1;
}

int rr_kafka_is_there(void) {
  pthread_once(&once, load);
  return is_there;
}

// Reports wait in a ring between the library, which delivers several at once, and the caller, who takes one.
struct rr_kafka {
  void *settings;
  void *client;
  void *topic;
  char *topic_name;
  message *read;
  // The end of the partition being read, as of the beginning of reading.
  int64_t end;
  rr_kafka_report *reports;
  size_t size;
  size_t first;
  size_t waiting;
  char error[512];
};

static void note(rr_kafka *self, const char *text) { snprintf(self->error, sizeof self->error, "%s", text); }

static void grow(rr_kafka *self) {
  size_t size = self->size == 0 ? 1024 : self->size * 2;
  rr_kafka_report *reports = malloc(size * sizeof *reports);
  if (reports == NULL) abort();
  for (size_t i = 0; i < self->waiting; i++) reports[i] = self->reports[(self->first + i) % self->size];
  free(self->reports);
  self->reports = reports;
  self->size = size;
  self->first = 0;
}

// Called on the thread that calls `poll`, like `problem`.
static void report(void *producer, const message *sent, void *opaque) {
  (void)producer;
  rr_kafka *self = opaque;
  if (self->waiting == self->size) grow(self);
  rr_kafka_report *place = &self->reports[(self->first + self->waiting) % self->size];
  *place = (rr_kafka_report){
      .number = (int64_t)(intptr_t)sent->number,
      .code = sent->error,
      .text = sent->error == accepted ? "" : kafka.text(sent->error)};
  self->waiting++;
}

static void problem(void *client, int code, const char *reason, void *opaque) {
  (void)client;
  rr_kafka *self = opaque;
  note(self, reason == NULL || *reason == 0 ? kafka.text(code) : reason);
}

// Otherwise the library would write to the server's standard error.
static void be_silent(const void *client, int level, const char *facility, const char *text) {
  (void)client, (void)level, (void)facility, (void)text;
}

rr_kafka *rr_kafka_make(void) {
  rr_kafka *self = calloc(1, sizeof *self);
  if (self == NULL) return NULL;
  if (rr_kafka_is_there()) self->settings = kafka.make_settings();
  else note(self, "librdkafka is missing");
  return self;
}

int rr_kafka_set(rr_kafka *self, const char *name, const char *value) {
  if (self->settings == NULL) return rr_kafka_failed;
  int status = kafka.set(self->settings, name, value, self->error, sizeof self->error);
  return status == accepted ? rr_kafka_done : rr_kafka_failed;
}

// Fails with the library's error text.
static int fail(rr_kafka *self, int code) {
  note(self, kafka.text(code));
  return rr_kafka_failed;
}

static int begin(rr_kafka *self, int type, const char *topic) {
  if (self->settings == NULL) return rr_kafka_failed;
  kafka.set_opaque(self->settings, self);
  if (type == producer_type) kafka.set_report(self->settings, report);
  kafka.set_problem(self->settings, problem);
  kafka.set_log(self->settings, be_silent);
  self->client = kafka.make(type, self->settings, self->error, sizeof self->error);
  if (self->client == NULL) return rr_kafka_failed;
  // The client now owns them.
  self->settings = NULL;
  self->error[0] = 0;
  self->topic = kafka.make_topic(self->client, topic, NULL);
  return self->topic == NULL ? fail(self, kafka.last_error()) : rr_kafka_done;
}

int rr_kafka_begin(rr_kafka *self, const char *topic) { return begin(self, producer_type, topic); }

int rr_kafka_begin_reading(rr_kafka *self, const char *topic, int milliseconds) {
  if (begin(self, consumer_type, topic) != rr_kafka_done) return rr_kafka_failed;
  self->topic_name = strdup(topic);
  const metadata *found = NULL;
  int code = kafka.metadata(self->client, 0, self->topic, &found, milliseconds);
  // `problem` is called with the reason why no broker answers.
  kafka.poll(self->client, 0);
  if (code != accepted) return self->error[0] != 0 ? rr_kafka_failed : fail(self, code);
  int count = found->topic_count == 1 ? found->topics[0].partition_count : 0;
  if (found->topic_count == 1) code = found->topics[0].error;
  kafka.free_metadata(found);
  return code == accepted ? count : fail(self, code);
}

int rr_kafka_read_partition(rr_kafka *self, int32_t partition, int milliseconds) {
  int64_t first = 0;
  int code = kafka.watermarks(self->client, self->topic_name, partition, &first, &self->end, milliseconds);
  if (code != accepted) return fail(self, code);
  if (first >= self->end) return rr_kafka_nothing;
  if (kafka.start(self->topic, partition, from_beginning) != 0) return fail(self, kafka.last_error());
  return rr_kafka_done;
}

int rr_kafka_read(rr_kafka *self, int32_t partition, int milliseconds, rr_kafka_message *next) {
  int is_last = self->read != NULL && self->read->offset + 1 >= self->end;
  if (self->read != NULL) kafka.free_message(self->read);
  self->read = NULL;
  if (!is_last) {
    self->read = kafka.consume(self->topic, partition, milliseconds);
    if (self->read == NULL) return fail(self, kafka.last_error());
    // A partition may end with entries that are not messages, such as the markers of transactions.
    is_last = self->read->error == end_of_partition || (self->read->error == accepted && self->read->offset >= self->end);
    if (!is_last && self->read->error != accepted) return fail(self, self->read->error);
  }
  if (is_last) {
    if (self->read != NULL) kafka.free_message(self->read);
    self->read = NULL;
    kafka.stop(self->topic, partition);
    return rr_kafka_nothing;
  }
  *next = (rr_kafka_message){.bytes = self->read->bytes, .count = self->read->count};
  return rr_kafka_done;
}

void rr_kafka_close(rr_kafka *self) {
  if (self == NULL) return;
  if (self->settings != NULL) kafka.free_settings(self->settings);
  if (self->read != NULL) kafka.free_message(self->read);
  if (self->client != NULL) {
    // A consumer has nothing to purge.
    kafka.purge(self->client, of_queue | of_flight);
    // Reports of purged messages must be delivered before the end.
    kafka.poll(self->client, 0);
    if (self->topic != NULL) kafka.free_topic(self->topic);
    kafka.free(self->client);
  }
  free(self->topic_name);
  free(self->reports);
  free(self);
}

int rr_kafka_publish(
    rr_kafka *self, int64_t number, const uint8_t *key, size_t key_count, const uint8_t *bytes, size_t count) {
  int status = kafka.produce(
      self->topic, any_partition, copies, (void *)bytes, count, key, key_count, (void *)(intptr_t)number);
  if (status == 0) return rr_kafka_done;
  int code = kafka.last_error();
  if (code == message_too_large) return rr_kafka_too_large;
  note(self, kafka.text(code));
  return rr_kafka_failed;
}

int rr_kafka_next(rr_kafka *self, int milliseconds, rr_kafka_report *next) {
  if (self->waiting == 0) kafka.poll(self->client, milliseconds);
  if (self->waiting == 0) return rr_kafka_nothing;
  *next = self->reports[self->first];
  self->first = (self->first + 1) % self->size;
  self->waiting--;
  return rr_kafka_done;
}

const char *rr_kafka_error(const rr_kafka *self) { return self->error; }
