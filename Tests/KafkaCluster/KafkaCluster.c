#include "KafkaCluster.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// As in Sources/System/CKafka.
typedef struct {
  int error;
  void *topic;
  int32_t partition;
  void *bytes;
  size_t count;
  void *key;
  size_t key_count;
  int64_t offset;
  void *opaque;
} message;

enum { producer_type = 0, consumer_type = 1, produce_request = 0, broker = 1, from_beginning = -2, end_of_partition = -191 };

static void *function(const char *name) {
  static void *library;
  if (library == NULL) library = dlopen("librdkafka.so.1", RTLD_NOW | RTLD_LOCAL);
  void *found = library == NULL ? NULL : dlsym(library, name);
  if (library != NULL && found == NULL) abort();
  return found;
}

#define KAFKA(result, name, ...) ((result(*)(__VA_ARGS__))function("rd_kafka_" #name))

struct rr_cluster {
  void *client;
  void *cluster;
};

static void set(void *settings, const char *name, const char *value) {
  char error[256];
  if (KAFKA(int, conf_set, void *, const char *, const char *, char *, size_t)(settings, name, value, error, sizeof error) != 0) abort();
}

static void *client(int type, const char *address) {
  void *settings = KAFKA(void *, conf_new, void)();
  set(settings, "log_level", "0");
  if (address != NULL) {
    set(settings, "bootstrap.servers", address);
    set(settings, "enable.partition.eof", "true");
  }
  char error[256];
  return KAFKA(void *, new, int, void *, char *, size_t)(type, settings, error, sizeof error);
}

rr_cluster *rr_cluster_open(void) {
  if (function("rd_kafka_conf_new") == NULL) return NULL;
  rr_cluster *self = calloc(1, sizeof *self);
  self->client = client(producer_type, NULL);
  self->cluster = KAFKA(void *, mock_cluster_new, void *, int)(self->client, 1);
  return self;
}

void rr_cluster_close(rr_cluster *self) {
  KAFKA(void, mock_cluster_destroy, void *)(self->cluster);
  KAFKA(void, destroy, void *)(self->client);
  free(self);
}

const char *rr_cluster_address(const rr_cluster *self) {
  return KAFKA(const char *, mock_cluster_bootstraps, const void *)(self->cluster);
}

void rr_cluster_make_topic(rr_cluster *self, const char *topic, int partitions) {
  KAFKA(int, mock_topic_create, void *, const char *, int, int)(self->cluster, topic, partitions, 1);
}

void rr_cluster_deny_topic(rr_cluster *self, const char *topic, int error) {
  KAFKA(void, mock_topic_set_error, void *, const char *, int)(self->cluster, topic, error);
}

void rr_cluster_refuse_next(rr_cluster *self, int error) {
  KAFKA(void, mock_push_request_errors_array, void *, int16_t, size_t, const int *)(self->cluster, produce_request, 1, &error);
}

void rr_cluster_set_reachable(rr_cluster *self, int is_reachable) {
  if (is_reachable) KAFKA(int, mock_broker_set_up, void *, int32_t)(self->cluster, broker);
  else KAFKA(int, mock_broker_set_down, void *, int32_t)(self->cluster, broker);
}

char *rr_cluster_copy_messages(rr_cluster *self, const char *topic, int partition) {
  char *text;
  size_t count;
  FILE *lines = open_memstream(&text, &count);
  void *reader = client(consumer_type, rr_cluster_address(self));
  void *source = KAFKA(void *, topic_new, void *, const char *, void *)(reader, topic, NULL);
  KAFKA(int, consume_start, void *, int32_t, int64_t)(source, partition, from_beginning);
  for (int is_over = 0; !is_over;) {
    message *next = KAFKA(message *, consume, void *, int32_t, int)(source, partition, 1000);
    if (next == NULL) continue;
    is_over = next->error == end_of_partition;
    if (next->error == 0) {
      fprintf(lines, "%.*s\t%.*s\n", (int)next->key_count, (char *)next->key, (int)next->count, (char *)next->bytes);
    }
    KAFKA(void, message_destroy, message *)(next);
  }
  KAFKA(int, consume_stop, void *, int32_t)(source, partition);
  KAFKA(void, topic_destroy, void *)(source);
  KAFKA(void, destroy, void *)(reader);
  fclose(lines);
  return text;
}
