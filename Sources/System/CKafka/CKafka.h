// Kafka's client library, loaded when records are forwarded to Kafka: neither its header nor the library is needed to build or
// start. https://docs.confluent.io/platform/current/clients/librdkafka/html/rdkafka_8h.html
#pragma once
#include <stddef.h>
#include <stdint.h>

/// A producer of one topic, or a consumer.
typedef struct rr_kafka rr_kafka;

/// A message read. The bytes are valid until the next one.
typedef struct {
  const uint8_t *bytes;
  size_t count;
} rr_kafka_message;

/// The result of a message.
typedef struct {
  int64_t number;
  /// An error of Kafka (https://kafka.apache.org/protocol#protocol_error_codes), or a negative one of the library; 0 when it is
  /// stored.
  int code;
  /// The name of the error; valid while the library is loaded.
  const char *text;
} rr_kafka_report;

enum { rr_kafka_failed = -1, rr_kafka_nothing = 0, rr_kafka_done = 1, rr_kafka_too_large = 2 };

/// Returns whether the library is available; it stays loaded.
int rr_kafka_is_there(void);
/// Returns null when memory has run out.
rr_kafka *rr_kafka_make(void);
/// Must be called before the client begins: rr_kafka_done or rr_kafka_failed.
int rr_kafka_set(rr_kafka *producer, const char *name, const char *value);
/// Starts a producer, which connects by itself: rr_kafka_done or rr_kafka_failed.
int rr_kafka_begin(rr_kafka *producer, const char *topic);
/// Gives up unacknowledged messages; they may be stored nevertheless.
void rr_kafka_close(rr_kafka *producer);
/// Queues a message, which will be reported under this number. rr_kafka_done, rr_kafka_too_large or rr_kafka_failed.
int rr_kafka_publish(
    rr_kafka *producer, int64_t number, const uint8_t *key, size_t key_count, const uint8_t *bytes, size_t count);
/// Waits for the next report: rr_kafka_done, or rr_kafka_nothing at the timeout.
int rr_kafka_next(rr_kafka *producer, int milliseconds, rr_kafka_report *report);
/// Starts a consumer and returns the number of the topic's partitions, or rr_kafka_failed.
int rr_kafka_begin_reading(rr_kafka *consumer, const char *topic, int milliseconds);
/// Begins with the first message of the partition: rr_kafka_done, rr_kafka_nothing when it is empty, or rr_kafka_failed.
int rr_kafka_read_partition(rr_kafka *consumer, int32_t partition, int milliseconds);
/// Reads the next message: rr_kafka_done, rr_kafka_nothing after the last message that existed at the beginning, or
/// rr_kafka_failed.
int rr_kafka_read(rr_kafka *consumer, int32_t partition, int milliseconds, rr_kafka_message *next);
/// The last error, including those of the connection.
const char *rr_kafka_error(const rr_kafka *producer);
