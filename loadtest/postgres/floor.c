// What straight C gets out of the same server: the same rows in the same table, each by a prepared INSERT, in libpq's pipeline mode,
// and one commit for as many rows as a group of the store has; then its devices are updated, as the store does.
// cc -O2 floor.c -lpq; floor PLACE RECORDS PER_GROUP PER_DEVICE
#include <endian.h>
#include <libpq-fe.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static const char record[] =
    "{\"event\":\"motionchange\",\"is_moving\":true,\"uuid\":\"3F2504E0-4F89-41D3-9A0C-0305E82C3301\",\"timestamp\":\"2026-07-28T18:34:22.563Z\",\"age\":12,\"odometer\":5230.7,\"coords\":{\"latitude\":45.519091234567,\"longitude\":-73.616934567891,\"accuracy\":5.2,\"speed\":13.4,\"speed_accuracy\":0.8,\"heading\":187.3,\"heading_accuracy\":4.1,\"altitude\":41.7,\"altitude_accuracy\":3.0},\"activity\":{\"type\":\"in_vehicle\",\"confidence\":92},\"battery\":{\"level\":0.83,\"is_charging\":false},\"extras\":{}}";

static void check(int done, PGconn *connection) {
  if (done) return;
  fprintf(stderr, "%s\n", PQerrorMessage(connection));
  exit(1);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec / 1e9;
}

static uint64_t mix(uint64_t word) {
  word *= 0x9E3779B97F4A7C15;
  word = (word ^ word >> 33) * 0xFF51AFD7ED558CCD;
  word = (word ^ word >> 33) * 0xC4CEB9FE1A85EC53;
  return word ^ word >> 33;
}

static void queue(PGconn *c, int64_t number, int64_t at, int64_t device) {
  double numbers[5] = {45.5, -73.6, 5.2, 13.4, 187.3};
  uint64_t words[7];
  for (int i = 0; i < 5; i++) {
    memcpy(&words[i], &numbers[i], 8);
    words[i] = htobe64(words[i]);
  }
  uint64_t time = htobe64(at), id = htobe64(device), uuid[2] = {htobe64(mix(number)), htobe64(number)};
  uint32_t n = htobe32(number % 8000);
  char moving = 1;
  const char *values[] = {(char *)&time, (char *)&id, (char *)&time, (char *)&words[0], (char *)&words[1], (char *)&words[2],
                          (char *)&words[3], (char *)&words[4], (char *)uuid, (char *)&n, &moving, "motionchange", record};
  int lengths[] = {8, 8, 8, 8, 8, 8, 8, 8, 16, 4, 1, 12, sizeof record - 1};
  int formats[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  check(PQsendQueryPrepared(c, "i", 13, values, lengths, formats, 1), c);
}

static void drain(PGconn *c) {
  for (;;) {
    PGresult *result = PQgetResult(c);
    if (result == NULL) continue;
    ExecStatusType status = PQresultStatus(result);
    PQclear(result);
    if (status == PGRES_PIPELINE_SYNC) return;
    check(status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK, c);
  }
}

static void flush(PGconn *c) {
  check(PQpipelineSync(c), c);
  while (PQflush(c) == 1) {
    struct pollfd set = {.fd = PQsocket(c), .events = POLLIN | POLLOUT};
    poll(&set, 1, -1);
    if (set.revents & POLLIN) check(PQconsumeInput(c), c);
  }
  drain(c);
}

int main(int count, char **words) {
  if (count != 5) return 2;
  long records = atol(words[2]), per_group = atol(words[3]), per_device = atol(words[4]);
  PGconn *c = PQconnectdb(words[1]);
  check(PQstatus(c) == CONNECTION_OK, c);
  PQclear(PQexec(c, "SET jit = off; SET plan_cache_mode = force_generic_plan"));
  PQclear(PQprepare(c, "i", "INSERT INTO points(recorded_at, device, received_at, arrived_in, latitude, longitude, accuracy, speed, heading, uuid, n, is_moving, event, record) VALUES($1::int8, $2::int8, $3::int8, pg_current_xact_id()::text::int8, $4::float8, $5::float8, $6::float8, $7::float8, $8::float8, $9::uuid, $10::int4, $11::bool, $12::text, $13::bytea) ON CONFLICT DO NOTHING", 0, NULL));
  PQclear(PQprepare(c, "u", "UPDATE devices SET points = points + $2::int8, last_seen = $3::int8, latest_at = $3, latitude = 45.5, longitude = -73.6 WHERE id = $1::int8", 0, NULL));
  check(PQsetnonblocking(c, 1) == 0 && PQenterPipelineMode(c), c);
  struct timespec wall;
  clock_gettime(CLOCK_REALTIME, &wall);
  int64_t start = wall.tv_sec * 1000;
  double begun = now();
  for (long number = 0; number < records;) {
    check(PQsendQueryParams(c, "BEGIN", 0, NULL, NULL, NULL, NULL, 0), c);
    for (long i = 0; i < per_group; i += per_device) {
      int64_t device = (number + i) / per_device % 5000 + 1;
      for (long k = 0; k < per_device; k++) queue(c, number + i + k, start + number + i + k, device);
      uint64_t id = htobe64(device), points = htobe64(per_device), seen = htobe64(start + number);
      const char *values[] = {(char *)&id, (char *)&points, (char *)&seen};
      int lengths[] = {8, 8, 8}, formats[] = {1, 1, 1};
      check(PQsendQueryPrepared(c, "u", 3, values, lengths, formats, 1), c);
    }
    number += per_group;
    check(PQsendQueryParams(c, "COMMIT", 0, NULL, NULL, NULL, NULL, 0), c);
    flush(c);
  }
  double seconds = now() - begun;
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  printf("%.0f %.1f\n", records / seconds,
         (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6) / records * 1e6);
  return 0;
}
