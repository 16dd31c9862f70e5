// Certificates of a development authority.
#pragma once
#include <openssl/asn1.h>
#include <openssl/bn.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <stdint.h>

static inline int rr_x509_extend(X509 *certificate, X509 *issuer, int kind, const char *value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
  X509_EXTENSION *extension = X509V3_EXT_nconf_nid(NULL, &context, kind, value);
  int done = extension != NULL && X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
  return done;
}

static inline int rr_x509_begin(X509 *certificate, const char *name, EVP_PKEY *key, int from_day, int to_day) {
  unsigned char serial[8];
  BIGNUM *number = RAND_bytes(serial, sizeof serial) == 1 ? BN_bin2bn(serial, sizeof serial, NULL) : NULL;
  int done = number != NULL && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != NULL &&
             X509_set_version(certificate, 2) && X509_set_pubkey(certificate, key) &&
             X509_time_adj_ex(X509_getm_notBefore(certificate), from_day, 0, NULL) != NULL &&
             X509_time_adj_ex(X509_getm_notAfter(certificate), to_day, 0, NULL) != NULL &&
             X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_UTF8,
                                        (const unsigned char *)name, -1, -1, 0);
  BN_free(number);
  return done;
}

/// Copies the names and addresses of another certificate, if it has any.
static inline int rr_x509_copy_names(X509 *certificate, const X509 *model) {
  int place = X509_get_ext_by_NID(model, NID_subject_alt_name, -1);
  return place < 0 || X509_add_ext(certificate, X509_get_ext(model, place), -1);
}

/// Issues a certificate for `key`, valid between two days counted from now. Without `issuer` it is an authority's own;
/// otherwise it is for `usage` ("serverAuth") and `alternatives`, such as "DNS:localhost,IP:127.0.0.1", or the names of
/// `model`. NULL when OpenSSL refuses a value.
static inline X509 *rr_x509_issue(const char *name, EVP_PKEY *key, int from_day, int to_day, const char *usage,
                                  const char *alternatives, const X509 *model, X509 *issuer, EVP_PKEY *issuer_key) {
  X509 *certificate = X509_new();
  if (certificate == NULL) return NULL;
  X509 *signer = issuer == NULL ? certificate : issuer;
  int done = rr_x509_begin(certificate, name, key, from_day, to_day) &&
             X509_set_issuer_name(certificate, X509_get_subject_name(signer)) &&
             rr_x509_extend(certificate, signer, NID_subject_key_identifier, "hash") &&
             rr_x509_extend(certificate, signer, NID_authority_key_identifier, "keyid");
  if (issuer == NULL) {
    done = done && rr_x509_extend(certificate, signer, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
           rr_x509_extend(certificate, signer, NID_key_usage, "critical,keyCertSign,cRLSign");
  } else {
    done = done && rr_x509_extend(certificate, signer, NID_basic_constraints, "critical,CA:FALSE") &&
           rr_x509_extend(certificate, signer, NID_key_usage, "critical,digitalSignature") &&
           rr_x509_extend(certificate, signer, NID_ext_key_usage, usage) &&
           (alternatives == NULL ? rr_x509_copy_names(certificate, model)
                                 : rr_x509_extend(certificate, signer, NID_subject_alt_name, alternatives));
  }
  if (done && X509_sign(certificate, issuer == NULL ? key : issuer_key, EVP_sha256()) > 0) return certificate;
  X509_free(certificate);
  return NULL;
}

/// Returns whether a client that supports RSA and elliptic curves can be offered either: the same names, and keys of different
/// kinds.
static inline int rr_x509_are_alternatives(const X509 *a, const X509 *b) {
  int first = X509_get_ext_by_NID(a, NID_subject_alt_name, -1), second = X509_get_ext_by_NID(b, NID_subject_alt_name, -1);
  return first >= 0 && second >= 0 &&
         ASN1_OCTET_STRING_cmp(X509_EXTENSION_get_data(X509_get_ext(a, first)),
                               X509_EXTENSION_get_data(X509_get_ext(b, second))) == 0 &&
         EVP_PKEY_get_base_id(X509_get0_pubkey(a)) != EVP_PKEY_get_base_id(X509_get0_pubkey(b));
}

/// Returns the content of a memory BIO; valid until the BIO is freed.
static inline size_t rr_bio_contents(BIO *bio, const uint8_t **start) {
  char *bytes = NULL;
  long count = BIO_get_mem_data(bio, &bytes);
  *start = (const uint8_t *)bytes;
  return count < 0 ? 0 : (size_t)count;
}
