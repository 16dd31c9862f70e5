import CCurl
import Glibc
import Upload

extension TransportFailure {
  /// libcurl's codes, https://curl.se/libcurl/c/libcurl-errors.html. `hasSent` tells a request that got as far as its first
  /// byte from one that never could be sent.
  init(_ code: CURLcode, systemError: Int, hasSent: Bool) {
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: self = .unresolvable
    case CURLE_COULDNT_CONNECT: self = systemError == Int(ECONNREFUSED) ? .refused : .unreachable
    case CURLE_INTERFACE_FAILED: self = .unreachable
    case CURLE_OPERATION_TIMEDOUT: self = .timeout
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
      CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED,
      CURLE_USE_SSL_FAILED, CURLE_SSL_SHUTDOWN_FAILED, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR,
      CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT:
      self = .tls
    // Without an error of the system, a frame of the answer was malformed.
    case CURLE_SEND_ERROR, CURLE_RECV_ERROR: self = systemError == 0 ? .protocolError : .reset
    case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING: self = .incomplete
    case CURLE_URL_MALFORMAT: self = .invalidURL
    // Also what libcurl says to an answer without a status line, which it takes for HTTP/0.9.
    case CURLE_UNSUPPORTED_PROTOCOL: self = hasSent ? .protocolError : .invalidURL
    default: self = .protocolError
    }
  }
}
