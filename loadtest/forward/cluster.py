"""The cluster of Kafka that librdkafka brings for tests of clients, in a process: prints its address, and takes `down` and `up`, a line each.
It keeps 5 MB of a partition, so that a reader has to follow it."""

import ctypes
import sys

kafka = ctypes.CDLL("librdkafka.so.1")
for name, result, kinds in [
    ("conf_new", ctypes.c_void_p, []), ("conf_set", ctypes.c_int, [ctypes.c_void_p, *[ctypes.c_char_p] * 3, ctypes.c_size_t]),
    ("new", ctypes.c_void_p, [ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t]),
    ("mock_cluster_new", ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_int]),
    ("mock_cluster_bootstraps", ctypes.c_char_p, [ctypes.c_void_p]),
    ("mock_topic_create", ctypes.c_int, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_int]),
    ("mock_broker_set_down", ctypes.c_int, [ctypes.c_void_p, ctypes.c_int32]),
    ("mock_broker_set_up", ctypes.c_int, [ctypes.c_void_p, ctypes.c_int32]),
]:
    function = getattr(kafka, f"rd_kafka_{name}")
    function.restype, function.argtypes = result, kinds

settings = kafka.rd_kafka_conf_new()
kafka.rd_kafka_conf_set(settings, b"log_level", b"0", None, 0)
cluster = kafka.rd_kafka_mock_cluster_new(kafka.rd_kafka_new(0, settings, None, 0), 1)
kafka.rd_kafka_mock_topic_create(cluster, b"road", 4, 1)
print(kafka.rd_kafka_mock_cluster_bootstraps(cluster).decode(), flush=True)
for line in sys.stdin:
    (kafka.rd_kafka_mock_broker_set_down if line.strip() == "down" else kafka.rd_kafka_mock_broker_set_up)(cluster, 1)
