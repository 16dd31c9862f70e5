// TLS functions that Swift cannot express: a BIO over a socket. OpenSSL's own one calls write(2), which raises SIGPIPE when the
// peer is gone, and a library must not change the signal handling of its process.
#pragma once
#include <errno.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdint.h>
#include <sys/socket.h>

enum { rr_greeting_passes, rr_greeting_stops, rr_greeting_read };

/// The socket of a session, and counts of what has passed through it.
struct rr_socket {
  int number;
  /// The bytes that may still be read in this call: OpenSSL would continue as long as there are any.
  int left;
  /// The errno that ended the connection; 0 before.
  int failure;
  /// Whether the peer has closed its side of the connection.
  int is_at_end;
  /// The number of TLS protocol messages, in both directions.
  int messages;
  /// `rr_greeting_stops`: the handshake stops after the client's first message.
  int greeting;
  /// The host that the client requests; NULL when it names none, and when the handshake does not stop.
  char *name;
  /// Whether the certificate was selected by the requested name.
  int is_named;
  uint64_t received;
  uint64_t sent;
};

/// Far more than a handshake and the key updates of a long connection need. A peer could send them endlessly without any data
/// (RFC 8446 §4.6.3).
enum { rr_messages_max = 256 };

static inline int rr_bio_write(BIO *bio, const char *bytes, int length) {
  BIO_clear_retry_flags(bio);
  struct rr_socket *socket = BIO_get_data(bio);
  ssize_t count = send(socket->number, bytes, (size_t)length, MSG_NOSIGNAL);
  if (count > 0) socket->sent += (uint64_t)count;
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) {
    BIO_set_retry_write(bio);
  } else if (count < 0) {
    socket->failure = errno;
  }
  return (int)count;
}

static inline int rr_bio_read(BIO *bio, char *bytes, int length) {
  BIO_clear_retry_flags(bio);
  struct rr_socket *socket = BIO_get_data(bio);
  if (socket->left <= 0) {
    BIO_set_retry_read(bio);
    return -1;
  }
  ssize_t count = recv(socket->number, bytes, (size_t)(length < socket->left ? length : socket->left), 0);
  if (count > 0) {
    socket->received += (uint64_t)count;
    socket->left -= (int)count;
  } else if (count == 0) {
    socket->is_at_end = 1;
    BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
  } else if (errno == EAGAIN || errno == EINTR) {
    BIO_set_retry_read(bio);
  } else {
    socket->failure = errno;
  }
  return (int)count;
}

static inline long rr_bio_control(BIO *bio, int command, long number, void *pointer) {
  (void)number, (void)pointer;
  if (command == BIO_CTRL_EOF) return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0;
  return command == BIO_CTRL_FLUSH;
}

static inline int rr_bio_destroy(BIO *bio) {
  struct rr_socket *socket = BIO_get_data(bio);
  if (socket != NULL) OPENSSL_free(socket->name);
  OPENSSL_free(socket);
  return 1;
}

/// Returns NULL when memory has run out.
static inline BIO_METHOD *rr_bio_method(void) {
  BIO_METHOD *method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket without SIGPIPE");
  if (method == NULL) return NULL;
  BIO_meth_set_write(method, rr_bio_write);
  BIO_meth_set_read(method, rr_bio_read);
  BIO_meth_set_ctrl(method, rr_bio_control);
  BIO_meth_set_destroy(method, rr_bio_destroy);
  return method;
}

static inline void rr_ssl_count(int is_sent, int version, int type, const void *bytes, size_t length, SSL *ssl, void *of) {
  (void)is_sent, (void)version, (void)bytes, (void)length, (void)ssl;
  struct rr_socket *socket = of;
  if (type != SSL3_RT_HANDSHAKE && type != SSL3_RT_ALERT) return;
  if (++socket->messages > rr_messages_max) socket->left = 0;
}

/// Makes a TLS session over a non-blocking socket, which is not closed with it. Returns NULL when memory has run out.
static inline SSL *rr_ssl_new(SSL_CTX *context, const BIO_METHOD *method, int number) {
  SSL *ssl = SSL_new(context);
  BIO *bio = BIO_new(method);
  struct rr_socket *socket = OPENSSL_zalloc(sizeof *socket);
  if (ssl == NULL || bio == NULL || socket == NULL) {
    SSL_free(ssl);
    BIO_free(bio);
    OPENSSL_free(socket);
    return NULL;
  }
  socket->number = number;
  BIO_set_data(bio, socket);
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl, bio, bio);
  SSL_set_msg_callback(ssl, rr_ssl_count);
  SSL_set_msg_callback_arg(ssl, socket);
  return ssl;
}

/// Valid as long as the session.
static inline struct rr_socket *rr_ssl_socket(const SSL *ssl) { return BIO_get_data(SSL_get_rbio(ssl)); }

/// Returns the length of the host that the client requests; 0 when it names none.
static inline size_t rr_asked_host(SSL *ssl, const char **name) {
  const unsigned char *bytes = NULL;
  size_t length = 0;
  // RFC 6066 §3: the length of the list, then the first name: its type, which is that of a host, and its length.
  if (!SSL_client_hello_get0_ext(ssl, TLSEXT_TYPE_server_name, &bytes, &length) || length <= 5 ||
      bytes[2] != TLSEXT_NAMETYPE_host_name) {
    return 0;
  }
  size_t count = (size_t)bytes[3] << 8 | bytes[4];
  *name = (const char *)bytes + 5;
  return count <= length - 5 && count <= TLSEXT_MAXLEN_host_name ? count : 0;
}

/// Binds a session to the name under which it began, the only one under which it may be resumed (RFC 6066 §3), ignoring case.
static inline int rr_bind_session(SSL *ssl, const char *name, size_t length) {
  char lower[TLSEXT_MAXLEN_host_name];
  for (size_t at = 0; at < length; at++) lower[at] = name[at] >= 'A' && name[at] <= 'Z' ? name[at] | 0x20 : name[at];
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int count = 0;
  return EVP_Digest(lower, length, digest, &count, EVP_sha256(), NULL) == 1 &&
         SSL_set_session_id_context(ssl, digest, count) == 1;
}

/// Selects the first context whose certificate is for that name. `contexts` ends with NULL; the first is the current one.
static inline void rr_choose_context(SSL *ssl, SSL_CTX *const *contexts, const char *name, size_t length) {
  for (; length > 0 && *contexts != NULL; contexts++) {
    if (X509_check_host(SSL_CTX_get0_certificate(*contexts), name, length, 0, NULL) != 1) continue;
    SSL_set_SSL_CTX(ssl, *contexts);
    rr_ssl_socket(ssl)->is_named = 1;
    return;
  }
}

/// Selects among several contexts, if there are. Stops a handshake once, if requested, so that the certificate can depend on
/// the host that the client requests.
static inline int rr_greeted(SSL *ssl, int *alert, void *contexts) {
  struct rr_socket *socket = rr_ssl_socket(ssl);
  int stops = socket->greeting == rr_greeting_stops;
  if (contexts == NULL && !stops) return SSL_CLIENT_HELLO_SUCCESS;
  const char *name = NULL;
  size_t length = rr_asked_host(ssl, &name);
  if (contexts != NULL) {
    if (!rr_bind_session(ssl, name, length)) {
      *alert = SSL_AD_INTERNAL_ERROR;
      return SSL_CLIENT_HELLO_ERROR;
    }
    rr_choose_context(ssl, contexts, name, length);
  }
  if (!stops) return SSL_CLIENT_HELLO_SUCCESS;
  socket->greeting = rr_greeting_read;
  if (length > 0) socket->name = OPENSSL_strndup(name, length);
  return SSL_CLIENT_HELLO_RETRY;
}

/// Tells a client that its name was used (RFC 6066 §3).
static inline int rr_named(SSL *ssl, int *alert, void *argument) {
  (void)alert, (void)argument;
  return rr_ssl_socket(ssl)->is_named ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

/// Makes sessions of the first of these contexts use the one for the name that the client requests. The contexts must live as
/// long as the sessions; NULL ends the list.
static inline void rr_ssl_choose_by_name(SSL_CTX *const *contexts) {
  SSL_CTX_set_client_hello_cb(contexts[0], rr_greeted, (void *)contexts);
  SSL_CTX_set_tlsext_servername_callback(contexts[0], rr_named);
}

/// Adds the certificate of another context: a certificate with another kind of key can be offered beside the first.
static inline int rr_ssl_add_certificate(SSL_CTX *context, SSL_CTX *from) {
  STACK_OF(X509) *chain = NULL;
  SSL_CTX_get0_chain_certs(from, &chain);
  return SSL_CTX_use_cert_and_key(context, SSL_CTX_get0_certificate(from), SSL_CTX_get0_privatekey(from), chain, 1);
}

/// Switches the session to another context. No session of the previous one is resumed, and none is offered.
static inline void rr_ssl_change_context(SSL *ssl, SSL_CTX *context) {
  SSL_set_SSL_CTX(ssl, context);
  SSL_set_options(ssl, SSL_OP_NO_TICKET);
  SSL_set_num_tickets(ssl, 0);
}

/// A client that offers only other protocols would misinterpret the data (RFC 7301 §3.2).
static inline int rr_choose_protocol(SSL *ssl, const unsigned char **chosen, unsigned char *length,
                                     const unsigned char *offered, unsigned int count, void *argument) {
  (void)ssl, (void)argument;
  static const unsigned char spoken[] = "\x08http/1.1\x08http/1.0";
  int result =
      SSL_select_next_proto((unsigned char **)chosen, length, spoken, sizeof spoken - 1, offered, count);
  return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

/// Macros in OpenSSL that Swift cannot import. A connection that ends without the peer's close_notify is treated like any
/// other: HTTP itself delimits its messages (RFC 9112 §9.8).
static inline void rr_ssl_set_options(SSL_CTX *context) {
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE |
                                   SSL_OP_PRIORITIZE_CHACHA | SSL_OP_IGNORE_UNEXPECTED_EOF);
}

/// Variadic in OpenSSL. Generates a key on the curve P-256.
static inline EVP_PKEY *rr_p256_key(void) { return EVP_EC_gen("P-256"); }
