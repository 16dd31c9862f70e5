// Signatures of JSON Web Tokens (RFC 7518 §3, RFC 8037 §3.1), and their keys. A failing function leaves nothing in OpenSSL's
// error queue, which a TLS session of the same thread would take for its own.
#pragma once
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <stdint.h>
#include <string.h>

enum { rr_rs256, rr_ps256, rr_es256, rr_eddsa };
enum { rr_es256_length = 64, rr_p256_point_length = 65, rr_ed25519_length = 32 };

static inline EVP_PKEY *rr_public_key(const char *type, OSSL_PARAM_BLD *builder) {
  EVP_PKEY *key = NULL;
  OSSL_PARAM *parameters = OSSL_PARAM_BLD_to_param(builder);
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
  if (parameters == NULL || context == NULL || EVP_PKEY_fromdata_init(context) != 1 ||
      EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) != 1) {
    key = NULL;
  }
  EVP_PKEY_CTX_free(context);
  OSSL_PARAM_free(parameters);
  ERR_clear_error();
  return key;
}

/// Returns NULL when the numbers do not form a key.
static inline EVP_PKEY *rr_rsa_public(const uint8_t *n, size_t n_length, const uint8_t *e, size_t e_length) {
  BIGNUM *modulus = BN_bin2bn(n, (int)n_length, NULL), *exponent = BN_bin2bn(e, (int)e_length, NULL);
  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  EVP_PKEY *key = NULL;
  if (modulus != NULL && exponent != NULL && builder != NULL &&
      OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, modulus) &&
      OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, exponent)) {
    key = rr_public_key("RSA", builder);
  }
  OSSL_PARAM_BLD_free(builder);
  BN_free(modulus);
  BN_free(exponent);
  return key;
}

/// Makes a key from an uncompressed point (SEC 1 §2.3.3); NULL when it is not on the curve.
static inline EVP_PKEY *rr_p256_public(const uint8_t *point) {
  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  EVP_PKEY *key = NULL;
  if (builder != NULL && OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0) &&
      OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, rr_p256_point_length)) {
    key = rr_public_key("EC", builder);
  }
  OSSL_PARAM_BLD_free(builder);
  return key;
}

static inline EVP_PKEY *rr_ed25519_public(const uint8_t *bytes) {
  return EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, bytes, rr_ed25519_length);
}

static inline const EVP_MD *rr_digest(int algorithm) { return algorithm == rr_eddsa ? NULL : EVP_sha256(); }

static inline int rr_pad(EVP_PKEY_CTX *context, int algorithm) {
  if (algorithm != rr_ps256) return 1;
  return EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1 &&
         EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) == 1;
}

/// Converts the two concatenated numbers of JSON Web Algorithms to OpenSSL's form; NULL when memory has run out.
static inline uint8_t *rr_der_of_es256(const uint8_t *raw, int *length) {
  BIGNUM *r = BN_bin2bn(raw, rr_es256_length / 2, NULL), *s = BN_bin2bn(raw + rr_es256_length / 2, rr_es256_length / 2, NULL);
  ECDSA_SIG *pair = ECDSA_SIG_new();
  uint8_t *der = NULL;
  if (r != NULL && s != NULL && pair != NULL && ECDSA_SIG_set0(pair, r, s) == 1) {
    r = s = NULL;
    *length = i2d_ECDSA_SIG(pair, &der);
    if (*length <= 0) der = NULL;
  }
  BN_free(r);
  BN_free(s);
  ECDSA_SIG_free(pair);
  return der;
}

/// Returns 1 when the key has made this signature. The key must be one for the algorithm.
static inline int rr_verify(EVP_PKEY *key, int algorithm, const uint8_t *signature, size_t length, const uint8_t *bytes,
                            size_t count) {
  uint8_t *der = NULL;
  if (algorithm == rr_es256) {
    int der_length = 0;
    if (length != rr_es256_length || (der = rr_der_of_es256(signature, &der_length)) == NULL) return 0;
    length = (size_t)der_length;
  }
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  EVP_PKEY_CTX *padding = NULL;
  int done = context != NULL && EVP_DigestVerifyInit(context, &padding, rr_digest(algorithm), NULL, key) == 1 &&
             rr_pad(padding, algorithm) &&
             EVP_DigestVerify(context, der == NULL ? signature : der, length, bytes, count) == 1;
  EVP_MD_CTX_free(context);
  OPENSSL_free(der);
  ERR_clear_error();
  return done;
}

static inline int rr_raw_of_der(const uint8_t *der, size_t length, uint8_t *out) {
  const uint8_t *start = der;
  ECDSA_SIG *pair = d2i_ECDSA_SIG(NULL, &start, (long)length);
  int done = pair != NULL && BN_bn2binpad(ECDSA_SIG_get0_r(pair), out, rr_es256_length / 2) > 0 &&
             BN_bn2binpad(ECDSA_SIG_get0_s(pair), out + rr_es256_length / 2, rr_es256_length / 2) > 0;
  ECDSA_SIG_free(pair);
  return done;
}

/// Writes the signature to `out`, which has room for `room` bytes, and returns its length; 0 when it could not be made.
static inline size_t rr_sign(EVP_PKEY *key, int algorithm, const uint8_t *bytes, size_t count, uint8_t *out, size_t room) {
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  EVP_PKEY_CTX *padding = NULL;
  uint8_t made[1024];
  size_t length = sizeof made;
  int done = context != NULL && EVP_DigestSignInit(context, &padding, rr_digest(algorithm), NULL, key) == 1 &&
             rr_pad(padding, algorithm) && EVP_DigestSign(context, made, &length, bytes, count) == 1;
  EVP_MD_CTX_free(context);
  ERR_clear_error();
  if (!done) return 0;
  if (algorithm == rr_es256) {
    return room >= rr_es256_length && rr_raw_of_der(made, length, out) ? rr_es256_length : 0;
  }
  if (length > room) return 0;
  memcpy(out, made, length);
  return length;
}

/// A macro in OpenSSL. Generates an RSA key with 2048 bits.
static inline EVP_PKEY *rr_rsa_key(void) { return EVP_RSA_gen(2048); }

/// Writes a number of a key, "n", "e", "qx" or "qy", as big-endian bytes; returns 0 when there is none or no room.
static inline size_t rr_key_number(const EVP_PKEY *key, const char *name, uint8_t *out, size_t room) {
  BIGNUM *number = NULL;
  if (EVP_PKEY_get_bn_param(key, name, &number) != 1) return 0;
  size_t length = (size_t)BN_num_bytes(number);
  // Coordinates have the length of the field (RFC 7518 §6.2.1.2).
  if (name[0] == 'q') length = rr_es256_length / 2;
  int written = length <= room ? BN_bn2binpad(number, out, (int)length) : -1;
  BN_free(number);
  return written < 0 ? 0 : (size_t)written;
}

/// Writes the private key as PKCS #8; the caller frees `out`. Returns 0 when memory has run out.
static inline size_t rr_key_bytes(const EVP_PKEY *key, uint8_t **out) {
  PKCS8_PRIV_KEY_INFO *info = EVP_PKEY2PKCS8(key);
  int length = info == NULL ? 0 : i2d_PKCS8_PRIV_KEY_INFO(info, out);
  PKCS8_PRIV_KEY_INFO_free(info);
  ERR_clear_error();
  return length > 0 ? (size_t)length : 0;
}

/// Returns NULL when the bytes are not a private key.
static inline EVP_PKEY *rr_key_of_bytes(const uint8_t *bytes, size_t length) {
  const uint8_t *start = bytes;
  EVP_PKEY *key = d2i_AutoPrivateKey(NULL, &start, (long)length);
  if (key != NULL && start != bytes + length) {
    EVP_PKEY_free(key);
    key = NULL;
  }
  ERR_clear_error();
  return key;
}

static inline void rr_free(void *bytes) { OPENSSL_free(bytes); }
