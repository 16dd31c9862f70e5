import COpenSSL
import Support

/// A client that blocks, over a socket that the test may also write to past the TLS.
@safe final class TestClient {
  struct Failure: Error, CustomStringConvertible {
    let description: String
    /// What the check of the server's certificate came to, where it was made.
    var verifyResult: Int?

    /// The last error of the library.
    static var ofOpenSSL: Failure {
      let text = unsafe ERR_reason_error_string(ERR_get_error())
      return Failure(description: unsafe text.map { unsafe String(cString: $0) } ?? "no reason is known")
    }
  }

  /// What a client asks for.
  struct Wishes {
    var authority: String?
    /// Whose name the certificate must have.
    var host = "localhost"
    /// In the first message too (RFC 6066 §3).
    var asksForHost = false
    var version: Int32 = TLS1_3_VERSION
    var certificate: (certificate: String, key: String)?
    var session: Session?
    var protocols: [UInt8] = []

    func apply(to ssl: OpaquePointer, _ store: OpaquePointer?) throws(Failure) {
      _ = unsafe SSL_ctrl(ssl, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(version), nil)
      if let authority {
        guard unsafe X509_STORE_load_file(store, authority) == 1 else { throw Failure(description: authority) }
        unsafe SSL_set_verify(ssl, SSL_VERIFY_PEER, nil)
        // An address is no name (RFC 9525 §6.2).
        if unsafe X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) != 1 { unsafe SSL_set1_host(ssl, host) }
      }
      if asksForHost {
        var name = Array(host.utf8CString)
        let kind = Int(TLSEXT_NAMETYPE_host_name)
        _ = unsafe SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_HOSTNAME, kind, &name)
      }
      if let own = certificate {
        guard unsafe SSL_use_certificate_file(ssl, own.certificate, SSL_FILETYPE_PEM) == 1,
          unsafe SSL_use_PrivateKey_file(ssl, own.key, SSL_FILETYPE_PEM) == 1
        else { throw Failure(description: own.certificate) }
      }
      if let session { unsafe SSL_set_session(ssl, session.pointer) }
      if !protocols.isEmpty { unsafe SSL_set_alpn_protos(ssl, protocols, UInt32(protocols.count)) }
    }
  }

  /// A ticket of an earlier connection.
  @safe final class Session {
    let pointer: OpaquePointer
    init(_ pointer: OpaquePointer) { unsafe self.pointer = pointer }
    deinit { unsafe SSL_SESSION_free(pointer) }
  }

  let raw: LoopbackClient
  private let context: OpaquePointer
  private let ssl: OpaquePointer

  init(port: UInt16, _ wishes: Wishes = Wishes()) throws(Failure) {
    do throws(LoopbackClient.Failure) {
      raw = try LoopbackClient(port: port, overIPv6: wishes.host == "::1")
    } catch { throw Failure(description: "\(error)") }
    guard let context = unsafe SSL_CTX_new(TLS_client_method()), let ssl = unsafe SSL_new(context) else {
      throw Failure(description: "memory")
    }
    unsafe (self.context, self.ssl) = (context, ssl)
    unsafe try wishes.apply(to: ssl, SSL_CTX_get_cert_store(context))
    unsafe SSL_set_fd(ssl, raw.number)
    guard unsafe SSL_connect(ssl) == 1 else {
      var failure = Failure.ofOpenSSL
      failure.verifyResult = unsafe SSL_get_verify_result(ssl)
      throw failure
    }
  }

  deinit {
    unsafe SSL_free(ssl)
    unsafe SSL_CTX_free(context)
  }

  var isResumed: Bool { unsafe SSL_session_reused(ssl) == 1 }
  var version: Int32 { unsafe SSL_version(ssl) }
  /// In TLS 1.3 it comes with what is read first.
  var session: Session? { unsafe SSL_get1_session(ssl).map { unsafe Session($0) } }
  /// The name in the server's certificate.
  var serverName: String {
    var text = [CChar](repeating: 0, count: 256)
    unsafe X509_NAME_oneline(X509_get_subject_name(SSL_get0_peer_certificate(ssl)), &text, 256)
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  func isShown(for host: String) -> Bool {
    unsafe X509_check_host(SSL_get0_peer_certificate(ssl), host, host.utf8.count, 0, nil) == 1
  }

  /// The public key in it, in DER.
  var serverKey: [UInt8] {
    let key = unsafe X509_get0_pubkey(SSL_get0_peer_certificate(ssl))
    var bytes = [UInt8](repeating: 0, count: unsafe Int(i2d_PUBKEY(key, nil)))
    unsafe bytes.withUnsafeMutableBufferPointer { buffer in
      var end = buffer.baseAddress
      unsafe i2d_PUBKEY(key, &end)
    }
    return bytes
  }

  /// That of HTTP; empty where none was agreed upon.
  var chosenProtocol: String {
    var (start, count): (UnsafePointer<UInt8>?, UInt32) = (nil, 0)
    unsafe SSL_get0_alpn_selected(ssl, &start, &count)
    return unsafe String(decoding: UnsafeBufferPointer(start: start, count: Int(count)), as: UTF8.self)
  }

  func send(_ text: String) throws {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      var count = 0
      let done = unsafe rest.withUnsafeBytes { unsafe SSL_write_ex(ssl, $0.baseAddress, $0.count, &count) }
      guard done == 1 else { throw Failure(description: "SSL_write") }
      rest = rest.dropFirst(count)
    }
  }

  /// What comes next; empty at the end, which must be one of TLS.
  func receive() throws -> String {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    var count = 0
    let result = unsafe SSL_read_ex(ssl, &bytes, bytes.count, &count)
    if result == 1 { return String(decoding: bytes[..<count], as: UTF8.self) }
    guard unsafe SSL_get_error(ssl, result) == SSL_ERROR_ZERO_RETURN else { throw Failure(description: "SSL_read") }
    return ""
  }

  /// Until the text has come whose end is `end`.
  func receive(until end: String) throws -> String {
    var text = ""
    while !text.hasSuffix(end) {
      let piece = try receive()
      guard !piece.isEmpty else { throw Failure(description: "the end came behind \(text.suffix(80))") }
      text += piece
    }
    return text
  }

  func get(_ path: String) throws -> String {
    try send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
    return try receive(until: "}")
  }
}
