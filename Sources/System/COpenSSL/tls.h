// What TLS needs and Swift cannot write: a BIO over a socket. OpenSSL's own calls write(2), which raises SIGPIPE when the
// peer is gone, and a library must not change how its process treats signals.
#pragma once
#include <errno.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdint.h>
#include <sys/socket.h>

static inline int rr_bio_write(BIO *bio, const char *bytes, int length) {
  BIO_clear_retry_flags(bio);
  ssize_t count = send((int)(intptr_t)BIO_get_data(bio), bytes, (size_t)length, MSG_NOSIGNAL);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_write(bio);
  return (int)count;
}

static inline int rr_bio_read(BIO *bio, char *bytes, int length) {
  BIO_clear_retry_flags(bio);
  ssize_t count = recv((int)(intptr_t)BIO_get_data(bio), bytes, (size_t)length, 0);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_read(bio);
  if (count == 0) BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
  return (int)count;
}

static inline long rr_bio_control(BIO *bio, int command, long number, void *pointer) {
  (void)number, (void)pointer;
  if (command == BIO_CTRL_EOF) return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0;
  return command == BIO_CTRL_FLUSH;
}

/// To be freed with BIO_meth_free; NULL when memory has run out.
static inline BIO_METHOD *rr_bio_method(void) {
  BIO_METHOD *method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "socket without SIGPIPE");
  if (method == NULL) return NULL;
  BIO_meth_set_write(method, rr_bio_write);
  BIO_meth_set_read(method, rr_bio_read);
  BIO_meth_set_ctrl(method, rr_bio_control);
  return method;
}

/// A TLS session over a socket that does not block; the socket is not closed with it. NULL when memory has run out.
static inline SSL *rr_ssl_new(SSL_CTX *context, const BIO_METHOD *method, int socket) {
  SSL *ssl = SSL_new(context);
  BIO *bio = BIO_new(method);
  if (ssl == NULL || bio == NULL) {
    SSL_free(ssl);
    BIO_free(bio);
    return NULL;
  }
  BIO_set_data(bio, (void *)(intptr_t)socket);
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl, bio, bio);
  return ssl;
}

/// Macros in OpenSSL that Swift cannot read. A connection that ends without the peer's last word is like any that ends: HTTP
/// says itself where a message ends (RFC 9112 §9.8).
static inline void rr_ssl_set_options(SSL_CTX *context) {
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE |
                                   SSL_OP_PRIORITIZE_CHACHA | SSL_OP_IGNORE_UNEXPECTED_EOF);
}

/// Variadic in OpenSSL. A key on the curve P-256.
static inline EVP_PKEY *rr_p256_key(void) { return EVP_EC_gen("P-256"); }
