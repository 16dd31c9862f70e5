// curl_*_setopt and curl_easy_getinfo are variadic: one typed function for each type that an option takes.
#pragma once
#include <curl/curl.h>
#include <openssl/ocsp.h>
#include <openssl/ssl.h>
#include <stdint.h>

static inline CURLcode rr_curl_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode rr_curl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode rr_curl_set_string(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode rr_curl_set_pointer(CURL *easy, CURLoption option, void *value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode rr_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(easy, option, value);
}
/// CURLOPT_WRITEFUNCTION, CURLOPT_READFUNCTION and CURLOPT_HEADERFUNCTION share this shape.
typedef size_t (*rr_curl_bytes_callback)(char *bytes, size_t size, size_t count, void *user);
static inline CURLcode rr_curl_set_bytes_callback(CURL *easy, CURLoption option, rr_curl_bytes_callback callback) {
  return curl_easy_setopt(easy, option, callback);
}
static inline CURLcode rr_curl_set_open_callback(CURL *easy, curl_opensocket_callback callback) {
  return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, callback);
}
static inline CURLcode rr_curl_set_close_callback(CURL *easy, curl_closesocket_callback callback) {
  return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, callback);
}

static inline CURLcode rr_curl_get_long(CURL *easy, CURLINFO info, long *value) {
  return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode rr_curl_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
  return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode rr_curl_get_pointer(CURL *easy, CURLINFO info, void **value) {
  return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode rr_curl_get_string(CURL *easy, CURLINFO info, const char **value) {
  return curl_easy_getinfo(easy, info, value);
}

/// Returns whether a transfer's current connection has resumed an earlier TLS session. libcurl has no function for it.
static inline int rr_curl_has_resumed(CURL *easy) {
  struct curl_tlssessioninfo *session = NULL;
  return curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) == CURLE_OK && session != NULL &&
         session->backend == CURLSSLBACKEND_OPENSSL && session->internals != NULL &&
         SSL_session_reused(session->internals);
}

/// Sends close_notify to the peer of a connection (RFC 8446 §6.1); data from it can still be received.
static inline void rr_curl_say_end(CURL *easy) {
  struct curl_tlssessioninfo *session = NULL;
  if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) == CURLE_OK && session != NULL &&
      session->backend == CURLSSLBACKEND_OPENSSL && session->internals != NULL) {
    SSL_shutdown(session->internals);
  }
}

/// Returns whether an OCSP response states that a certificate is revoked. The responder is not verified: a forged response
/// keeps us from the server, which any attacker on the path can do anyway.
static inline int rr_ocsp_says_revoked(const unsigned char *bytes, long length) {
  OCSP_RESPONSE *response = d2i_OCSP_RESPONSE(NULL, &bytes, length);
  OCSP_BASICRESP *answer = response == NULL ? NULL : OCSP_response_get1_basic(response);
  int is_revoked = 0;
  for (int index = 0; answer != NULL && index < OCSP_resp_count(answer); index++) {
    is_revoked |= OCSP_single_get0_status(OCSP_resp_get0(answer, index), NULL, NULL, NULL, NULL) == V_OCSP_CERTSTATUS_REVOKED;
  }
  OCSP_BASICRESP_free(answer);
  OCSP_RESPONSE_free(response);
  return is_revoked;
}

static inline int rr_look_at_staple(SSL *ssl, void *argument) {
  (void)argument;
  unsigned char *bytes = NULL;
  long length = SSL_get_tlsext_status_ocsp_resp(ssl, &bytes);
  return length <= 0 || !rr_ocsp_says_revoked(bytes, length);
}

static inline CURLcode rr_ask_for_staple(CURL *easy, void *context, void *user) {
  (void)easy, (void)user;
  SSL_CTX_set_tlsext_status_type(context, TLSEXT_STATUSTYPE_ocsp);
  SSL_CTX_set_tlsext_status_cb(context, rr_look_at_staple);
  return CURLE_OK;
}

/// Asks servers whether their certificate is revoked (RFC 6066 §8); they need not answer.
static inline CURLcode rr_curl_refuse_revoked(CURL *easy) {
  return curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, rr_ask_for_staple);
}

static inline CURLMcode rr_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}
static inline CURLMcode rr_curl_multi_set_pointer(CURLM *multi, CURLMoption option, void *value) {
  return curl_multi_setopt(multi, option, value);
}
static inline CURLMcode rr_curl_multi_set_socket_callback(CURLM *multi, curl_socket_callback callback) {
  return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, callback);
}
static inline CURLMcode rr_curl_multi_set_timer_callback(CURLM *multi, curl_multi_timer_callback callback) {
  return curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, callback);
}

/// The data that the handles of a share have in common.
static inline CURLSHcode rr_curl_share_lock_data(CURLSH *share, curl_lock_data data) {
  return curl_share_setopt(share, CURLSHOPT_SHARE, data);
}
