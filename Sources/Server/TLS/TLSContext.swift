internal import COpenSSL
internal import Glibc
internal import Synchronization

/// A certificate with its key, or one for each kind of key, and the TLS parameters offered to clients. Safe to use from several
/// threads at once.
@safe
final class TLSContext: @unchecked Sendable {
  let pointer: OpaquePointer

  /// Forward secrecy and authenticated encryption only (RFC 9325 §4.2).
  private static let suites = """
    ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:\
    ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305
    """
  /// The suites of TLS 1.3, the fastest first as above.
  private static let newSuites = "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"
  private static let groups = "X25519:P-256:P-384"

  /// How long a session with a client certificate can be resumed: the certificate is not verified again during that time.
  private static let certifiedSeconds = 300

  /// Kept as long as the context.
  private let staple: Staple?
  /// The certificates shown to clients, by their files.
  private var certificates: [(file: String, certificate: Certificate)] = []
  /// The contexts for other host names.
  private var others: [TLSContext] = []
  /// The list that OpenSSL selects from.
  private var choice: UnsafeMutablePointer<OpaquePointer?>?
  /// Contexts for faults.
  let faulty = Mutex(FaultyContexts())

  private init(staple: Staple?) throws(TLSError) {
    guard let pointer = unsafe SSL_CTX_new(TLS_server_method()) else {
      throw TLSError("OpenSSL cannot make a context: \(TLSError.reason)")
    }
    // From here on the object is complete and frees it on failure.
    unsafe self.pointer = pointer
    self.staple = staple
    try limit()
    unsafe SSL_CTX_set_alpn_select_cb(pointer, rr_choose_protocol, nil)
    unsafe SSL_CTX_set_client_hello_cb(pointer, rr_greeted, nil)
  }

  /// Creates the context of the first pair, which refers to the others.
  convenience init(_ files: TLSFiles) throws(TLSError) {
    try self.init(files.pairs[0], files.clientAuthorities)
    for pair in files.pairs.dropFirst() { try add(TLSContext(pair, files.clientAuthorities)) }
    if !others.isEmpty { chooseByName() }
  }

  private convenience init(_ pair: TLSFiles.Pair, _ clientAuthorities: String?) throws(TLSError) {
    try self.init(staple: nil)
    try load(pair)
    if let clientAuthorities { try askForCertificates(of: clientAuthorities) }
  }

  /// Uses a certificate that is in no file, and its OCSP response.
  convenience init(_ certificate: Certificate, _ key: PrivateKey, _ staple: Staple?) throws(TLSError) {
    try self.init(staple: staple)
    guard unsafe SSL_CTX_use_certificate(pointer, certificate.pointer) == 1,
      unsafe SSL_CTX_use_PrivateKey(pointer, key.pointer) == 1
    else { throw TLSError("OpenSSL rejects its own certificate: \(TLSError.reason)") }
    guard let staple else { return }
    unsafe rr_ssl_staple(pointer, staple.pointer)
    // Clients search the chain for the authority that the response is about (curl --cert-status).
    let authority = unsafe UnsafeMutableRawPointer(staple.signer.pointer)
    guard unsafe SSL_CTX_ctrl(pointer, SSL_CTRL_CHAIN_CERT, 1, authority) == 1 else {
      throw TLSError("OpenSSL rejects its own authority: \(TLSError.reason)")
    }
  }

  deinit {
    unsafe SSL_CTX_free(pointer)
    unsafe choice?.deallocate()
  }

  /// This context and those of other names, in the order of selection.
  var all: [TLSContext] { [self] + others }

  /// The certificate; nil when it comes from no file.
  var certificate: Certificate? { certificates.first?.certificate }

  /// The expiry of all certificates, by file.
  var expiries: [(file: String, expiry: TLSExpiry)] {
    all.flatMap(\.certificates).map { unsafe ($0.file, TLSExpiry(of: $0.certificate.pointer)) }
  }

  private func add(_ other: TLSContext) throws(TLSError) {
    guard let like = all.first(where: { $0.hasRoom(for: other) }) else { return others.append(other) }
    guard unsafe rr_ssl_add_certificate(like.pointer, other.pointer) == 1 else {
      throw TLSError("\(other.certificates[0].file) cannot be used: \(TLSError.reason)")
    }
    like.certificates += other.certificates
  }

  /// A client that supports both kinds of keys gets the first kind in OpenSSL's order, which is elliptic curves.
  private func hasRoom(for other: TLSContext) -> Bool {
    certificates.allSatisfy { $0.certificate.isAlternative(to: other.certificates[0].certificate) }
  }

  private func chooseByName() {
    let contexts = all
    let choice = UnsafeMutablePointer<OpaquePointer?>.allocate(capacity: contexts.count + 1)
    for (index, context) in contexts.enumerated() { unsafe choice[index] = context.pointer }
    unsafe choice[contexts.count] = nil
    unsafe self.choice = choice
    unsafe rr_ssl_choose_by_name(choice)
  }

  private func load(_ files: TLSFiles.Pair) throws(TLSError) {
    // Otherwise OpenSSL would ask for the password of a key on the terminal.
    unsafe SSL_CTX_set_default_passwd_cb(pointer) { _, _, _, _ in 0 }
    ERR_clear_error()
    guard unsafe SSL_CTX_use_certificate_chain_file(pointer, files.certificate) == 1 else {
      throw TLSError(of: files.certificate, "is not a certificate in PEM form")
    }
    guard unsafe SSL_CTX_use_PrivateKey_file(pointer, files.key, SSL_FILETYPE_PEM) == 1,
      unsafe SSL_CTX_check_private_key(pointer) == 1
    else { throw TLSError(of: files.key, "is not an unencrypted private key of \(files.certificate)") }
    guard let loaded = unsafe SSL_CTX_get0_certificate(pointer) else { preconditionFailure("a certificate was loaded") }
    unsafe certificates = [(files.certificate, Certificate(sharing: loaded))]
  }

  private func limit() throws(TLSError) {
    unsafe rr_ssl_set_options(pointer)
    control(SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION))
    let modes = SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER
    control(SSL_CTRL_MODE, Int(modes))
    // A record then costs one system call instead of two; data read beyond it must be asked for (`hasPending`).
    control(SSL_CTRL_SET_READ_AHEAD, 1)
    // Clients keep the state needed to resume (RFC 8446 §4.6.1, RFC 5077): the server stores none. A phone has one connection
    // and needs one ticket.
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

  /// A client without a certificate may connect: a request that requires one is refused in HTTP, with a readable message.
  private func askForCertificates(of authorities: String) throws(TLSError) {
    guard unsafe SSL_CTX_load_verify_file(pointer, authorities) == 1,
      let names = unsafe SSL_load_client_CA_file(authorities)
    else { throw TLSError(of: authorities, "has no certificates in PEM form") }
    unsafe SSL_CTX_set_client_CA_list(pointer, names)
    unsafe SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
    unsafe SSL_CTX_set_timeout(pointer, TLSContext.certifiedSeconds)
  }

  /// Accepts the same client certificates: OpenSSL takes names and authorities from the current context.
  func askForCertificates(like own: TLSContext) throws(TLSError) {
    guard unsafe SSL_CTX_get_verify_mode(own.pointer) & SSL_VERIFY_PEER != 0 else { return }
    guard let names = unsafe SSL_dup_CA_list(SSL_CTX_get_client_CA_list(own.pointer)) else {
      throw TLSError("OpenSSL does not copy the names of authorities: \(TLSError.reason)")
    }
    unsafe SSL_CTX_set_client_CA_list(pointer, names)
    unsafe SSL_CTX_set1_cert_store(pointer, SSL_CTX_get_cert_store(own.pointer))
    unsafe SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
    unsafe SSL_CTX_set_timeout(pointer, TLSContext.certifiedSeconds)
  }

  private func control(_ command: Int32, _ value: Int) { _ = unsafe SSL_CTX_ctrl(pointer, command, value, nil) }
}

/// The server's certificates, keys and client authorities, as PEM files.
package struct TLSFiles: Equatable, Sendable {
  /// A certificate with its key.
  package struct Pair: Equatable, Sendable {
    /// The certificate, followed by its chain up to the authority.
    package let certificate: String
    package let key: String

    package init(certificate: String, key: String) { (self.certificate, self.key) = (certificate, key) }
  }

  /// A client gets the first pair for the requested name, or the first of all. At least one is required.
  package let pairs: [Pair]
  /// The authorities of client certificates; nil to request none.
  package var clientAuthorities: String?

  package init(_ pairs: [Pair], clientAuthorities: String? = nil) {
    precondition(!pairs.isEmpty, "TLS needs a certificate")
    (self.pairs, self.clientAuthorities) = (pairs, clientAuthorities)
  }

  package init(certificate: String, key: String, clientAuthorities: String? = nil) {
    self.init([Pair(certificate: certificate, key: key)], clientAuthorities: clientAuthorities)
  }

  /// Throws when the files cannot be used.
  package func check() throws(TLSError) { _ = try TLSContext(self) }

  var all: [String] { pairs.flatMap { [$0.certificate, $0.key] } + (clientAuthorities.map { [$0] } ?? []) }
}

/// A sentence that tells why TLS is unavailable and names the file.
package struct TLSError: Error, Equatable, CustomStringConvertible, Sendable {
  package let description: String

  init(_ description: String) { self.description = description }

  /// OpenSSL's reason for the last failure with this file: it cannot be read, or has other content.
  init(of file: String, _ problem: String) {
    let code = ERR_peek_error()
    // OpenSSL has no text for the kernel's errors.
    let isUnreadable = unsafe code != 0 && ERR_reason_error_string(code) == nil
    self.init("\(file) \(isUnreadable ? "cannot be read" : problem): \(TLSError.reason)")
  }

  /// OpenSSL's reason for the last failure.
  static var reason: String {
    let code = ERR_get_error()
    if let text = unsafe ERR_reason_error_string(code) { return unsafe String(cString: text) }
    return code == 0 ? "unknown reason" : unsafe String(cString: strerror(ERR_GET_REASON(code)))
  }
}

/// The expiry of a certificate.
package struct TLSExpiry: Equatable, Sendable {
  /// The remaining seconds; negative when it has expired.
  package let secondsLeft: Int
  /// Whether it is not valid yet.
  package let isAhead: Bool

  init(of certificate: OpaquePointer?) {
    var (days, seconds): (Int32, Int32) = (0, 0)
    let end = unsafe certificate.flatMap { unsafe X509_get0_notAfter($0) }
    let isKnown = unsafe ASN1_TIME_diff(&days, &seconds, nil, end) == 1
    secondsLeft = isKnown ? Int(days) * 86_400 + Int(seconds) : 0
    isAhead = unsafe certificate.map { unsafe X509_cmp_time(X509_get0_notBefore($0), nil) > 0 } ?? false
  }
}
