// The client library of Kafka, which is loaded when records go on to it: neither its header nor the library has to be there
// before. https://docs.confluent.io/platform/current/clients/librdkafka/html/rdkafka_8h.html
#pragma once
#include <stddef.h>
#include <stdint.h>

/// A producer of one topic, or a consumer.
typedef struct rr_kafka rr_kafka;

/// What was read. The bytes are valid until the next one.
typedef struct {
  const uint8_t *bytes;
  size_t count;
} rr_kafka_message;

/// What became of a message.
typedef struct {
  int64_t number;
  /// An error of Kafka (https://kafka.apache.org/protocol#protocol_error_codes), or below zero of the library; 0 when it is stored.
  int code;
  /// The name of the error; as long as the library is loaded.
  const char *text;
} rr_kafka_report;

enum { rr_kafka_failed = -1, rr_kafka_nothing = 0, rr_kafka_done = 1, rr_kafka_too_large = 2 };

/// Whether the library is there; it stays loaded.
int rr_kafka_is_there(void);
/// Null without memory.
rr_kafka *rr_kafka_make(void);
/// Before it begins: rr_kafka_done or rr_kafka_failed.
int rr_kafka_set(rr_kafka *producer, const char *name, const char *value);
/// A producer connects by itself from now on: rr_kafka_done or rr_kafka_failed.
int rr_kafka_begin(rr_kafka *producer, const char *topic);
/// What is not acknowledged is given up; it may be stored nevertheless.
void rr_kafka_close(rr_kafka *producer);
/// Hands a message over, which will be reported under this number. rr_kafka_done, rr_kafka_too_large or rr_kafka_failed.
int rr_kafka_publish(
    rr_kafka *producer, int64_t number, const uint8_t *key, size_t key_count, const uint8_t *bytes, size_t count);
/// Waits for the next report: rr_kafka_done, or rr_kafka_nothing when the time is over.
int rr_kafka_next(rr_kafka *producer, int milliseconds, rr_kafka_report *report);
/// A consumer, which asks how many partitions the topic has: these, or rr_kafka_failed.
int rr_kafka_begin_reading(rr_kafka *consumer, const char *topic, int milliseconds);
/// Begins with the first message that the partition has: rr_kafka_done, rr_kafka_nothing when it is empty, or rr_kafka_failed.
int rr_kafka_read_partition(rr_kafka *consumer, int32_t partition, int milliseconds);
/// Reads on in it: rr_kafka_done, rr_kafka_nothing behind the last message that was there when it began, or rr_kafka_failed.
int rr_kafka_read(rr_kafka *consumer, int32_t partition, int milliseconds, rr_kafka_message *next);
/// The last thing that went wrong, with the connection among others.
const char *rr_kafka_error(const rr_kafka *producer);
