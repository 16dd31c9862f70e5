// A cluster of Kafka in the process of the tests: the one that librdkafka brings for tests of clients. It listens on a port of the
// loopback interface and keeps messages in memory.
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef struct rr_cluster rr_cluster;

/// One broker. Null when librdkafka is not installed.
rr_cluster *_Nullable rr_cluster_open(void);
void rr_cluster_close(rr_cluster *_Nonnull cluster);
/// HOST:PORT.
const char *_Nonnull rr_cluster_address(const rr_cluster *_Nonnull cluster);
void rr_cluster_make_topic(rr_cluster *_Nonnull cluster, const char *_Nonnull topic, int partitions);
/// What is said of this topic from now on: an error of Kafka.
void rr_cluster_deny_topic(rr_cluster *_Nonnull cluster, const char *_Nonnull topic, int error);
/// The answer to the next request that brings messages.
void rr_cluster_refuse_next(rr_cluster *_Nonnull cluster, int error);
void rr_cluster_set_reachable(rr_cluster *_Nonnull cluster, int is_reachable);
/// The messages of a partition, in order: lines of key, tabulator, bytes. The caller frees it.
char *_Nonnull rr_cluster_copy_messages(rr_cluster *_Nonnull cluster, const char *_Nonnull topic, int partition);
