import Base
import CCurl
import Glibc
import Upload

/// A handle of libcurl: its options, trust settings and error messages.
@safe
class EasyHandle {
  let easy: UnsafeMutableRawPointer
  let errorText: UnsafeMutablePointer<CChar>
  private var resolvedNames: UnsafeMutablePointer<curl_slist>?
  private let trustSetting: String?

  /// Initialized once in a process, before any other call of libcurl.
  static let library: CURLcode = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

  /// Nil when out of memory.
  init?(_ configuration: TransportConfiguration) {
    guard let easy = unsafe curl_easy_init() else { return nil }
    unsafe self.easy = easy
    unsafe errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    unsafe errorText.pointee = 0
    trustSetting = configuration.trustSetting
  }

  /// The handle must not belong to a multi handle any more.
  deinit {
    unsafe curl_easy_cleanup(easy)
    unsafe curl_slist_free_all(resolvedNames)
    unsafe errorText.deallocate()
  }

  /// Sets the options that depend on the configuration only: the route and the trust.
  func setWay(_ configuration: TransportConfiguration) {
    unsafe set(CURLOPT_ERRORBUFFER, pointer: errorText)
    set(CURLOPT_NOSIGNAL, 1)
    // Otherwise abandoning a request would wait for the answer of a name server.
    set(CURLOPT_QUICK_EXIT, 1)
    set(CURLOPT_PROTOCOLS_STR, "http,https")
    set(CURLOPT_PROXY, configuration.proxy ?? "")
    set(CURLOPT_TCP_NODELAY, 1)
    if let authorities = configuration.authorities { set(CURLOPT_CAINFO, authorities) }
    // With a directory beside the file libcurl would reload all roots for each handshake.
    unsafe precondition(rr_curl_set_string(easy, CURLOPT_CAPATH, nil) == CURLE_OK, "CAPATH can be unset")
    // Handles move between devices, but TLS sessions must not; a device's share keeps them.
    set(CURLOPT_SSL_SESSIONID_CACHE, configuration.connections == .mobile ? 1 : 0)
    if !configuration.checksServer {
      set(CURLOPT_SSL_VERIFYPEER, 0)
      set(CURLOPT_SSL_VERIFYHOST, 0)
    } else {
      accepted(CURLOPT_SSL_CTX_FUNCTION, unsafe rr_curl_refuse_revoked(easy))
    }
    if let key = configuration.pinnedKey { set(CURLOPT_PINNEDPUBLICKEY, key) }
    if let certificate = configuration.clientCertificate { set(CURLOPT_SSLCERT, certificate) }
    if let key = configuration.clientKey { set(CURLOPT_SSLKEY, key) }
    setResolvedNames(configuration.resolvedNames)
  }

  private func setResolvedNames(_ names: [String]) {
    guard !names.isEmpty else { return }
    for name in names {
      guard let longer = unsafe curl_slist_append(resolvedNames, name) else {
        preconditionFailure("out of memory")
      }
      unsafe resolvedNames = unsafe longer
    }
    accepted(CURLOPT_RESOLVE, unsafe rr_curl_set_list(easy, CURLOPT_RESOLVE, resolvedNames))
  }

  /// Takes the proxy for https from the environment when the configuration names none.
  func askEnvironmentForProxy(_ isSecure: Bool) {
    // Unset, libcurl reads the environment; empty means no proxy.
    let proxy = isSecure ? nil : ""
    unsafe precondition(rr_curl_set_string(easy, CURLOPT_PROXY, proxy) == CURLE_OK, "PROXY can be set")
  }

  func set(_ option: CURLoption, _ value: Int) { accepted(option, unsafe rr_curl_set_long(easy, option, value)) }

  func set(_ option: CURLoption, _ value: String) { accepted(option, unsafe rr_curl_set_string(easy, option, value)) }

  func set(_ option: CURLoption, pointer: UnsafeMutableRawPointer?) {
    accepted(option, unsafe rr_curl_set_pointer(easy, option, pointer))
  }

  /// An option is refused when it does not exist, when its value is out of range, and when memory is exhausted.
  func accepted(_ option: CURLoption, _ code: CURLcode) {
    precondition(code == CURLE_OK, "libcurl refuses option \(option.rawValue) with code \(code.rawValue)")
  }

  func long(_ info: CURLINFO) -> Int {
    var value = 0
    let code = unsafe rr_curl_get_long(easy, info, &value)
    precondition(code == CURLE_OK, "libcurl does not know \(info.rawValue)")
    return value
  }

  func offset(_ info: CURLINFO) -> Int64 {
    var value: curl_off_t = 0
    let code = unsafe rr_curl_get_offset(easy, info, &value)
    precondition(code == CURLE_OK, "libcurl does not know \(info.rawValue)")
    return Int64(value)
  }

  /// Returns the error message, with the remedy if there is one.
  func message(_ code: CURLcode) -> String {
    // The buffer is more precise than the code, but may be empty.
    let text = unsafe String(cString: errorText)
    let message = text.isEmpty ? unsafe String(cString: curl_easy_strerror(code)) : text
    return remedy(code, message).map { "\(message); \($0)" } ?? message
  }

  private func remedy(_ code: CURLcode, _ message: String) -> String? {
    // OpenSSL's message when `rr_look_at_staple` fails.
    if code == CURLE_SSL_CONNECT_ERROR, message.hasSuffix("invalid status response") {
      return "the server says that its certificate is revoked"
    }
    switch code {
    case CURLE_PEER_FAILED_VERIFICATION:
      let problem = CertificateProblem(verifyResult: long(CURLINFO_SSL_VERIFYRESULT))
      return problem?.remedy(trustSetting: trustSetting)
    case CURLE_SSL_CACERT_BADFILE: return "it must hold certificates in PEM form"
    case CURLE_SSL_CERTPROBLEM where message.contains("private key"):
      return "the key belongs into the file of the certificate, or into one that is named beside it"
    // OpenSSL's message for a server that answers in plain HTTP.
    case CURLE_SSL_CONNECT_ERROR where message.contains("wrong version number"):
      return "no TLS is spoken there; use http://"
    default: return nil
    }
  }
}

extension TransportConfiguration {
  /// The order of curl (https://curl.se/docs/sslcerts.html).
  fileprivate var authorities: String? {
    guard certificateAuthorities == nil, readsEnvironment else { return certificateAuthorities }
    for name in ["CURL_CA_BUNDLE", "SSL_CERT_FILE"] {
      if let path = unsafe getenv(name).map({ unsafe String(cString: $0) }), !path.isEmpty { return path }
    }
    return nil
  }
}
