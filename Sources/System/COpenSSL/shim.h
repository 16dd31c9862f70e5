// The functions used from OpenSSL: HMAC-SHA256, SHA-256, random bytes, comparison in constant time, signatures (signature.h),
// TLS (tls.h), certificates (x509.h) and OCSP (ocsp.h).
#pragma once
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <limits.h>
#include <stdint.h>
#include "ocsp.h"
#include "signature.h"
#include "tls.h"
#include "x509.h"

enum { rr_sha256_length = 32 };

/// 1 when `out` (32 bytes) was filled. OpenSSL counts keys and random bytes in int; longer ones are refused.
static inline int rr_hmac_sha256(const void *key, size_t key_length, const void *bytes, size_t length, uint8_t *out) {
  unsigned int written = 0;
  return key_length <= INT_MAX &&
         HMAC(EVP_sha256(), key, (int)key_length, (const unsigned char *)bytes, length, out, &written) != NULL &&
         written == rr_sha256_length;
}

/// 1 when `out` (32 bytes) was filled.
static inline int rr_sha256(const void *bytes, size_t length, uint8_t *out) {
  unsigned int written = 0;
  return EVP_Digest(bytes, length, out, &written, EVP_sha256(), NULL) == 1 && written == rr_sha256_length;
}

/// 1 when `out` was filled from the system's generator.
static inline int rr_random_bytes(uint8_t *out, size_t length) {
  return length <= INT_MAX && RAND_bytes(out, (int)length) == 1;
}

/// 1 when equal; the time taken does not depend on where the first difference is.
static inline int rr_equal_constant_time(const void *a, const void *b, size_t length) {
  return CRYPTO_memcmp(a, b, length) == 0;
}
