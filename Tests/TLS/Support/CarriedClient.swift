import COpenSSL
import Support

/// A client without a socket: the test carries its bytes, and so decides what arrives in one piece.
@safe final class CarriedClient {
  private let context: OpaquePointer
  private let ssl: OpaquePointer
  private let incoming: OpaquePointer
  private let outgoing: OpaquePointer

  init(_ wishes: TestClient.Wishes) throws {
    guard let context = unsafe SSL_CTX_new(TLS_client_method()), let ssl = unsafe SSL_new(context),
      let incoming = unsafe BIO_new(BIO_s_mem()), let outgoing = unsafe BIO_new(BIO_s_mem())
    else { throw TestClient.Failure(description: "memory") }
    unsafe (self.context, self.ssl, self.incoming, self.outgoing) = (context, ssl, incoming, outgoing)
    unsafe SSL_set_bio(ssl, incoming, outgoing)
    unsafe try wishes.apply(to: ssl, SSL_CTX_get_cert_store(context))
  }

  deinit {
    unsafe SSL_free(ssl)
    unsafe SSL_CTX_free(context)
  }

  var isResumed: Bool { unsafe SSL_session_reused(ssl) == 1 }
  /// In TLS 1.3 it comes with what is read first.
  var session: TestClient.Session? { unsafe SSL_get1_session(ssl).map { unsafe TestClient.Session($0) } }
  /// How long the server says that the session can be resumed, in seconds.
  var sessionSeconds: Int { unsafe Int(SSL_SESSION_get_ticket_lifetime_hint(SSL_get_session(ssl))) }

  /// Goes on with the handshake as far as it can; true when it is done.
  func handshake() -> Bool { unsafe SSL_connect(ssl) == 1 }

  func write(_ text: String) throws {
    let bytes = Array(text.utf8)
    guard unsafe SSL_write(ssl, bytes, Int32(bytes.count)) == bytes.count else { throw TestClient.Failure.ofOpenSSL }
  }

  /// What can be read now.
  func read() throws -> String {
    var text = ""
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while true {
      ERR_clear_error()
      let count = unsafe SSL_read(ssl, &bytes, Int32(bytes.count))
      if count > 0 {
        text += String(decoding: bytes[..<Int(count)], as: UTF8.self)
      } else if unsafe SSL_get_error(ssl, count) == SSL_ERROR_WANT_READ {
        return text
      } else {
        throw TestClient.Failure.ofOpenSSL
      }
    }
  }

  /// Messages of TLS 1.3 without data.
  func changeKeys(_ count: Int) {
    for _ in 0..<count {
      unsafe SSL_key_update(ssl, SSL_KEY_UPDATE_NOT_REQUESTED)
      unsafe SSL_do_handshake(ssl)
    }
  }

  func endOutput() { unsafe SSL_shutdown(ssl) }

  /// What is to be sent to the server.
  func takeOutput() -> [UInt8] {
    var start: UnsafePointer<UInt8>?
    let count = unsafe rr_bio_contents(outgoing, &start)
    defer { _ = unsafe BIO_ctrl(outgoing, BIO_CTRL_RESET, 0, nil) }
    return unsafe Array(UnsafeBufferPointer(start: start, count: count))
  }

  /// What the server has sent.
  func take(_ bytes: [UInt8]) { unsafe BIO_write(incoming, bytes, Int32(bytes.count)) }

  /// Makes the handshake over a socket, without the client's last flight: `takeOutput` has it.
  func handshake(over raw: LoopbackClient) throws {
    for _ in 0..<10 {
      guard !handshake() else { return }
      try raw.send(takeOutput())
      take(try raw.receiveSome(atMost: 65_536))
    }
    throw TestClient.Failure.ofOpenSSL
  }
}
