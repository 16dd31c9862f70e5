internal import COpenSSL
internal import Glibc

/// TLS over one non-blocking socket, which belongs to the caller. Used by one thread at a time.
@safe
package final class TLSChannel {
  /// The progress of a handshake.
  package enum Progress: Sendable {
    case done
    case wantsToRead
    case wantsToWrite
    /// The client has sent its first message, which may request a host. The next call continues.
    case clientHello(host: String?)
    case failed(HandshakeFailure)
  }

  /// The result of a read or a write.
  package enum Outcome: Equatable, Sendable {
    case bytes(Int)
    /// The socket has no data, or no room, now.
    case later
    /// The peer has ended its output. Only reads return this.
    case end
    /// The socket failed with this errno.
    case lost(Int32)
    /// The data is not a valid record, or consists of endless TLS messages.
    case invalid
  }

  /// The maximum that one call reads from the socket, of any content.
  private static let callBytes: Int32 = 65_536

  private let ssl: OpaquePointer
  /// The contexts that OpenSSL's callbacks for the session use.
  private let context: TLSContext
  private var shown: TLSContext?
  private let socket: UnsafeMutablePointer<rr_socket>
  /// Why nothing more can be read, and, unless the peer has only ended its output, nothing written.
  private var ended: Outcome?
  /// Whether the peer has closed its side without a TLS alert, and was sent nothing since.
  private var isDeserted: Bool { unsafe socket.pointee.is_at_end == 1 && sentAtEnd == bytesSent }
  private var sentAtEnd = -1
  /// Whether the next read returns something, although the socket may report nothing more.
  package private(set) var hasUnread = false

  /// Returns nil when memory has run out.
  init?(server context: TLSContext, socket number: Int32, stopsAtGreeting: Bool = false) {
    guard let method = unsafe SocketFunctions.shared.method,
      let ssl = unsafe rr_ssl_new(context.pointer, method, number)
    else { return nil }
    unsafe (self.ssl, socket, self.context) = (ssl, rr_ssl_socket(ssl), context)
    if stopsAtGreeting { unsafe socket.pointee.greeting = Int32(rr_greeting_stops) }
  }

  deinit { unsafe SSL_free(ssl) }

  /// The bytes that the socket has received and sent, including those of incomplete records.
  package var bytesReceived: Int { unsafe Int(socket.pointee.received) }
  package var bytesSent: Int { unsafe Int(socket.pointee.sent) }

  package func handshake() -> Progress {
    unsafe socket.pointee.left = TLSChannel.callBytes
    ERR_clear_error()
    let result = unsafe SSL_accept(ssl)
    if isFlooded { return .failed(.malformed) }
    if result == 1 { return .done }
    switch unsafe SSL_get_error(ssl, result) {
    case SSL_ERROR_WANT_READ: return .wantsToRead
    case SSL_ERROR_WANT_WRITE: return .wantsToWrite
    case SSL_ERROR_WANT_CLIENT_HELLO_CB:
      return .clientHello(host: unsafe socket.pointee.name.map { unsafe String(cString: $0) })
    case SSL_ERROR_SSL: return .failed(HandshakeFailure(errorCode: ERR_peek_error()))
    default: return .failed(.cut)
    }
  }

  /// The context for the host name that the client requests, once it has sent its first message.
  var chosen: TLSContext { context.all.first { unsafe $0.pointer == SSL_get_SSL_CTX(ssl) } ?? context }

  /// Must be called before the client is answered.
  func change(to context: TLSContext) {
    shown = context
    unsafe rr_ssl_change_context(ssl, context.pointer)
  }

  /// Available after the handshake.
  package var facts: TLSFacts { facts(at: time(nil)) }

  func facts(at second: Int) -> TLSFacts {
    var facts = TLSFacts()
    facts.isResumed = unsafe SSL_session_reused(ssl) == 1
    facts.hasClientCertificate = unsafe SSL_get_verify_result(ssl) == X509_V_OK && hasValidCertificate(at: second)
    return facts
  }

  /// A resumed session has the certificate, and the verification result of when the session began.
  private func hasValidCertificate(at second: Int) -> Bool {
    guard let certificate = unsafe SSL_get0_peer_certificate(ssl) else { return false }
    var second = second
    return unsafe X509_cmp_time(X509_get0_notAfter(certificate), &second) > 0
  }

  /// Whether bytes arrived together with the end of the handshake.
  package var hasPending: Bool { unsafe SSL_has_pending(ssl) == 1 }

  /// Fills the beginning of `buffer` with the records received, as far as there is room.
  package func read(into buffer: inout [UInt8], atMost limit: Int) -> Outcome {
    precondition(limit > 0 && limit <= buffer.count, "a read must fit into its buffer")
    hasUnread = false
    if let ended { return ended }
    unsafe socket.pointee.left = TLSChannel.callBytes
    var filled = 0
    repeat {
      ERR_clear_error()
      var count = 0
      let result = unsafe buffer.withUnsafeMutableBytes { bytes in
        unsafe SSL_read_ex(ssl, bytes.baseAddress?.advanced(by: filled), limit - filled, &count)
      }
      filled += count
      if isFlooded { return stopped(.invalid, behind: filled) }
      guard result == 1 else { return stopped(outcome(result, atEnd: .end), behind: filled) }
    } while unsafe filled < limit && SSL_has_pending(ssl) == 1
    hasUnread = unsafe SSL_has_pending(ssl) == 1
    return .bytes(filled)
  }

  /// Bytes that the socket does not accept must be passed again, with whatever follows them.
  package func write(_ bytes: RawSpan) -> Outcome {
    if let ended, ended != .end { return ended }
    var sent = 0
    while sent < bytes.byteCount {
      ERR_clear_error()
      var count = 0
      let result = unsafe bytes.withUnsafeBytes { bytes in
        unsafe SSL_write_ex(ssl, bytes.baseAddress?.advanced(by: sent), bytes.count - sent, &count)
      }
      guard result == 1 else { return stopped(outcome(result, atEnd: .lost(EPIPE)), behind: sent) }
      sent += count
    }
    return .bytes(sent)
  }

  /// Returns the bytes transferred before the outcome first, and an end with the next call.
  private func stopped(_ outcome: Outcome, behind count: Int) -> Outcome {
    if outcome != .later { ended = outcome }
    if outcome == .end { sentAtEnd = bytesSent }
    guard count > 0 else { return outcome }
    if outcome != .later { hasUnread = true }
    return .bytes(count)
  }

  private var isFlooded: Bool { unsafe socket.pointee.messages > rr_messages_max }

  /// Sends close_notify (RFC 8446 §6.1), as far as the socket has room for it. A peer that has closed without one would only
  /// reject it, and is not owed it.
  package func endOutput() {
    guard !isDeserted, unsafe SSL_is_init_finished(ssl) == 1 else { return }
    ERR_clear_error()
    _ = unsafe SSL_shutdown(ssl)
  }

  private func outcome(_ result: Int32, atEnd end: Outcome) -> Outcome {
    switch unsafe SSL_get_error(ssl, result) {
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .later
    case SSL_ERROR_ZERO_RETURN: return end
    case SSL_ERROR_SYSCALL:
      let code = unsafe socket.pointee.failure
      return code == 0 ? end : .lost(code)
    default: return .invalid
    }
  }
}

/// The I/O functions of all sessions; they live as long as the process.
@safe
private final class SocketFunctions: @unchecked Sendable {
  static let shared = SocketFunctions()
  let method: OpaquePointer?

  private init() { unsafe method = rr_bio_method() }
}

/// The results of a handshake.
package struct TLSFacts: Equatable, Sendable {
  /// Whether the client had a ticket of an earlier connection.
  package var isResumed = false
  /// Whether the client has shown a certificate that an authority of the server's has signed.
  package var hasClientCertificate = false

  package init() {}
}

/// Why a handshake failed.
package enum HandshakeFailure: String, Sendable, CaseIterable {
  /// A request in plain HTTP.
  case plainHTTP = "plain_http"
  /// Other data that is not TLS.
  case notTLS = "not_tls"
  /// No common version, suite, curve or application protocol.
  case unsupported
  /// The client's certificate is not accepted.
  case clientCertificate = "client_certificate"
  /// The client rejected the server's certificate, or sent another alert.
  case refusedByClient = "refused_by_client"
  case malformed
  /// The client closed the connection.
  case cut
  case timeout
  /// A newer handshake began while too many were in progress; this was the oldest.
  case crowded
  /// Memory has run out.
  case exhausted
  /// A fault rule has cut it.
  case fault

  /// Classifies the first entry of OpenSSL's error queue.
  init(errorCode: UInt) {
    let reason = ERR_GET_REASON(errorCode)
    self =
      switch reason {
      case SSL_R_NO_SHARED_CIPHER, SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_NO_SUITABLE_KEY_SHARE,
        SSL_R_NO_SUITABLE_SIGNATURE_ALGORITHM, SSL_R_NO_SHARED_SIGNATURE_ALGORITHMS, SSL_R_VERSION_TOO_LOW,
        SSL_R_UNSUPPORTED_SSL_VERSION, SSL_R_INAPPROPRIATE_FALLBACK, SSL_R_NO_SHARED_GROUPS,
        SSL_R_NO_APPLICATION_PROTOCOL:
        .unsupported
      case SSL_R_CERTIFICATE_VERIFY_FAILED, SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE: .clientCertificate
      case SSL_AD_REASON_OFFSET...(SSL_AD_REASON_OFFSET + 255): .refusedByClient
      default: .malformed
      }
  }
}
