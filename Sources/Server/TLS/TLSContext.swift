internal import COpenSSL

/// A certificate with its key, and what is offered to clients beside it. May be used by all threads at once.
@safe
final class TLSContext: @unchecked Sendable {
  let pointer: OpaquePointer

  /// Forward secrecy and authenticated encryption only (RFC 9325 §4.2).
  private static let suites = """
    ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:\
    ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305
    """
  /// Those of TLS 1.3, the quickest first as above.
  private static let newSuites = "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"
  private static let groups = "X25519:P-256:P-384"

  /// How long a session with a client's certificate can be resumed: nothing looks at the certificate again before.
  private static let certifiedSeconds = 300

  /// Lives as long as the context.
  private let staple: Staple?

  private init(staple: Staple?) throws(TLSError) {
    guard let pointer = unsafe SSL_CTX_new(TLS_server_method()) else {
      throw TLSError("OpenSSL cannot make a context: \(TLSError.reason)")
    }
    // What fails from here on frees it, because the object is complete.
    unsafe self.pointer = pointer
    self.staple = staple
    try limit()
    unsafe SSL_CTX_set_alpn_select_cb(pointer, rr_choose_protocol, nil)
    unsafe SSL_CTX_set_client_hello_cb(pointer, rr_greeted, nil)
  }

  convenience init(_ files: TLSFiles) throws(TLSError) {
    try self.init(staple: nil)
    try load(files)
    if let authorities = files.clientAuthorities { try askForCertificates(of: authorities) }
  }

  /// With a certificate that is in no file, and what the server says of it.
  convenience init(_ certificate: Certificate, _ key: PrivateKey, _ staple: Staple?) throws(TLSError) {
    try self.init(staple: staple)
    guard unsafe SSL_CTX_use_certificate(pointer, certificate.pointer) == 1,
      unsafe SSL_CTX_use_PrivateKey(pointer, key.pointer) == 1
    else { throw TLSError("OpenSSL does not take its own certificate: \(TLSError.reason)") }
    guard let staple else { return }
    unsafe rr_ssl_staple(pointer, staple.pointer)
    // Clients look in the chain for the authority that the answer is about (curl --cert-status).
    let authority = unsafe UnsafeMutableRawPointer(staple.signer.pointer)
    guard unsafe SSL_CTX_ctrl(pointer, SSL_CTRL_CHAIN_CERT, 1, authority) == 1 else {
      throw TLSError("OpenSSL does not take its own authority: \(TLSError.reason)")
    }
  }

  deinit { unsafe SSL_CTX_free(pointer) }

  /// Nil when there is none yet.
  var certificate: Certificate? {
    unsafe SSL_CTX_get0_certificate(pointer).map { unsafe Certificate(sharing: $0) }
  }

  /// The end of the certificate.
  var expiry: TLSExpiry { unsafe TLSExpiry(of: SSL_CTX_get0_certificate(pointer)) }

  private func load(_ files: TLSFiles) throws(TLSError) {
    // Without this OpenSSL asks for the password of a key at the terminal.
    unsafe SSL_CTX_set_default_passwd_cb(pointer) { _, _, _, _ in 0 }
    ERR_clear_error()
    guard unsafe SSL_CTX_use_certificate_chain_file(pointer, files.certificate) == 1 else {
      throw TLSError("\(files.certificate) is not a certificate in PEM form: \(TLSError.reason)")
    }
    guard unsafe SSL_CTX_use_PrivateKey_file(pointer, files.key, SSL_FILETYPE_PEM) == 1,
      unsafe SSL_CTX_check_private_key(pointer) == 1
    else {
      throw TLSError("\(files.key) is not an unencrypted private key of \(files.certificate): \(TLSError.reason)")
    }
  }

  private func limit() throws(TLSError) {
    unsafe rr_ssl_set_options(pointer)
    control(SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION))
    let modes = SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER
    control(SSL_CTRL_MODE, Int(modes))
    // A record costs one call of the kernel instead of two; what was read beyond it is asked for (`hasPending`).
    control(SSL_CTRL_SET_READ_AHEAD, 1)
    // Clients keep what is needed to resume (RFC 8446 §4.6.1, RFC 5077): the server remembers nothing. A phone has one
    // connection and needs one ticket.
    control(SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_OFF))
    unsafe SSL_CTX_set_num_tickets(pointer, 1)
    var name = Array("rollingroad".utf8)
    unsafe SSL_CTX_set_session_id_context(pointer, &name, UInt32(name.count))
    guard unsafe SSL_CTX_set_cipher_list(pointer, TLSContext.suites) == 1,
      unsafe SSL_CTX_set_ciphersuites(pointer, TLSContext.newSuites) == 1,
      unsafe TLSContext.groups.withCString({ text in
        unsafe SSL_CTX_ctrl(pointer, SSL_CTRL_SET_GROUPS_LIST, 0, UnsafeMutableRawPointer(mutating: text))
      }) == 1
    else { throw TLSError("OpenSSL lacks suites or curves: \(TLSError.reason)") }
  }

  /// Those who have none are let in: what needs one says so in HTTP, where a person can read it.
  private func askForCertificates(of authorities: String) throws(TLSError) {
    guard unsafe SSL_CTX_load_verify_file(pointer, authorities) == 1,
      let names = unsafe SSL_load_client_CA_file(authorities)
    else { throw TLSError("\(authorities) has no certificates in PEM form: \(TLSError.reason)") }
    unsafe SSL_CTX_set_client_CA_list(pointer, names)
    unsafe SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
    unsafe SSL_CTX_set_timeout(pointer, TLSContext.certifiedSeconds)
  }

  private func control(_ command: Int32, _ value: Int) { _ = unsafe SSL_CTX_ctrl(pointer, command, value, nil) }
}

/// Where the server's certificate and what belongs to it are, as files in PEM form.
package struct TLSFiles: Equatable, Sendable {
  /// The certificate, and behind it the chain up to the authority.
  package var certificate: String
  package var key: String
  /// Whose certificates of clients are accepted; nil: none is asked for.
  package var clientAuthorities: String?

  package init(certificate: String, key: String, clientAuthorities: String? = nil) {
    (self.certificate, self.key, self.clientAuthorities) = (certificate, key, clientAuthorities)
  }

  /// Throws when they cannot be used.
  package func check() throws(TLSError) { _ = try TLSContext(self) }

  var all: [String] { [certificate, key] + (clientAuthorities.map { [$0] } ?? []) }
}

/// Why there is no TLS, as a sentence that names the file.
package struct TLSError: Error, Equatable, CustomStringConvertible, Sendable {
  package let description: String

  init(_ description: String) { self.description = description }

  /// What OpenSSL says about the last failure.
  static var reason: String {
    let code = ERR_get_error()
    guard let text = unsafe ERR_reason_error_string(code) else {
      // The kernel's errors have no text in OpenSSL.
      return code == 0 ? "unknown reason" : "the file cannot be read (errno \(ERR_GET_REASON(code)))"
    }
    return unsafe String(cString: text)
  }
}

/// The last second of a certificate.
package struct TLSExpiry: Equatable, Sendable {
  /// From the present; negative when it is over.
  package let secondsLeft: Int
  /// It is not valid yet.
  package let isAhead: Bool

  init(of certificate: OpaquePointer?) {
    var (days, seconds): (Int32, Int32) = (0, 0)
    let end = unsafe certificate.flatMap { unsafe X509_get0_notAfter($0) }
    let isKnown = unsafe ASN1_TIME_diff(&days, &seconds, nil, end) == 1
    secondsLeft = isKnown ? Int(days) * 86_400 + Int(seconds) : 0
    isAhead = unsafe certificate.map { unsafe X509_cmp_time(X509_get0_notBefore($0), nil) > 0 } ?? false
  }
}
