// A server's statement about its own certificate: an OCSP response that it staples to the handshake (RFC 6066 §8, RFC 6960).
#pragma once
#include <openssl/ocsp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

static inline int rr_ocsp_add_revoked(OCSP_BASICRESP *answer, X509 *certificate, X509 *issuer) {
  OCSP_CERTID *identity = OCSP_cert_to_id(NULL, certificate, issuer);
  ASN1_TIME *revoked = X509_gmtime_adj(NULL, -86400);
  ASN1_TIME *next = X509_gmtime_adj(NULL, 366 * 86400L);
  int done = identity != NULL && revoked != NULL && next != NULL &&
             OCSP_basic_add1_status(answer, identity, V_OCSP_CERTSTATUS_REVOKED, OCSP_REVOKED_STATUS_KEYCOMPROMISE, revoked,
                                    revoked, next) != NULL;
  OCSP_CERTID_free(identity);
  ASN1_TIME_free(revoked);
  ASN1_TIME_free(next);
  return done;
}

/// Makes the response that this certificate is revoked, with the certificate of its signer, which clients need not have; in
/// DER, to be freed by OPENSSL_free. Returns its length, or 0 when OpenSSL fails.
static inline int rr_ocsp_revoked(X509 *certificate, X509 *issuer, EVP_PKEY *issuer_key, unsigned char **bytes) {
  OCSP_BASICRESP *answer = OCSP_BASICRESP_new();
  OCSP_RESPONSE *response = NULL;
  if (answer != NULL && rr_ocsp_add_revoked(answer, certificate, issuer) &&
      OCSP_basic_sign(answer, issuer, issuer_key, EVP_sha256(), NULL, 0)) {
    response = OCSP_response_create(OCSP_RESPONSE_STATUS_SUCCESSFUL, answer);
  }
  int length = response == NULL ? 0 : i2d_OCSP_RESPONSE(response, bytes);
  OCSP_RESPONSE_free(response);
  OCSP_BASICRESP_free(answer);
  return length > 0 ? length : 0;
}

/// A response that is stapled to handshakes.
struct rr_staple {
  unsigned char *bytes;
  int length;
};

/// OPENSSL_free is a macro.
static inline void rr_staple_free(struct rr_staple *staple) { OPENSSL_free(staple->bytes); }

static inline int rr_ssl_show_staple(SSL *ssl, void *of) {
  const struct rr_staple *staple = of;
  unsigned char *copy = OPENSSL_memdup(staple->bytes, (size_t)staple->length);
  if (copy == NULL) return SSL_TLSEXT_ERR_NOACK;
  SSL_set_tlsext_status_ocsp_resp(ssl, copy, staple->length);
  return SSL_TLSEXT_ERR_OK;
}

/// `staple` must live as long as the context.
static inline void rr_ssl_staple(SSL_CTX *context, struct rr_staple *staple) {
  SSL_CTX_set_tlsext_status_cb(context, rr_ssl_show_staple);
  SSL_CTX_set_tlsext_status_arg(context, staple);
}
