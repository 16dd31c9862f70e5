// NATS's client library, loaded when records are forwarded to NATS: neither its header nor the library is needed to build or
// start. Only functions with plain types are used. https://github.com/nats-io/nats.c
#pragma once
#include <stddef.h>
#include <stdint.h>

/// A connection, and the inbox for a stream's acknowledgements and the server's answers.
typedef struct rr_nats rr_nats;

/// A message in the inbox. Its bytes are valid until the next one.
typedef struct {
  /// The number of the message that it answers; -1 when unknown.
  int64_t number;
  const char *bytes;
  size_t count;
  /// Whether no stream accepts messages of this subject.
  int is_unheard;
} rr_nats_answer;

enum { rr_nats_failed = -1, rr_nats_nothing = 0, rr_nats_done = 1, rr_nats_too_large = 2 };

/// Returns whether the library is available; it stays loaded.
int rr_nats_is_there(void);
/// Connects to `url`, such as nats://host:4222 or tls://host:4222. `token` may be null; `host` is the name that the certificate
/// must have, null without TLS; `authorities` is a PEM file, null for those of the system. Returns null when memory has run
/// out. The text of `rr_nats_error` is empty after success.
rr_nats *rr_nats_open(const char *url, const char *token, const char *host, const char *authorities, int64_t milliseconds);
void rr_nats_close(rr_nats *connection);
/// Sends a message, whose acknowledgement will have this number; `id` may be null. rr_nats_done, rr_nats_too_large or
/// rr_nats_failed.
int rr_nats_publish(
    rr_nats *connection, const char *subject, int64_t number, const char *id, const uint8_t *bytes, size_t count);
/// Waits for the next acknowledgement: rr_nats_done, rr_nats_nothing at the timeout, or rr_nats_failed.
int rr_nats_next(rr_nats *connection, int64_t milliseconds, rr_nats_answer *answer);
const char *rr_nats_error(const rr_nats *connection);
