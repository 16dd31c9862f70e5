import Base
import CCurl
import Glibc
import Upload

/// A handle that only connects (https://curl.se/libcurl/c/CURLOPT_CONNECT_ONLY.html), and whose connections stay open when
/// libcurl is done with them.
extension Transfer {
  func configureAsConnector() {
    set(CURLOPT_CONNECT_ONLY, 1)
    set(CURLOPT_FRESH_CONNECT, 1)
    // Done with a connection, libcurl closes it at once instead of keeping it for another request.
    set(CURLOPT_FORBID_REUSE, 1)
  }

  /// libcurl closes the sockets of attempts that came to nothing first, and the one that is connected last.
  func keepSockets() {
    unsafe set(CURLOPT_CLOSESOCKETDATA, pointer: Unmanaged.passUnretained(self).toOpaque())
    let close = unsafe rr_curl_set_close_callback(easy) { user, socket in
      unsafe Transfer.of(user).keep(socket)
      return 0
    }
    accepted(CURLOPT_CLOSESOCKETFUNCTION, close)
  }

  func prepareConnection(for exchange: LineExchange, from source: String?, now: MonotonicInstant) {
    (self.exchange, device) = (exchange, exchange.device)
    handedOver = -1
    unsafe errorText.pointee = 0
    set(CURLOPT_URL, "http://\(String(decoding: exchange.form.authority, as: UTF8.self))/")
    set(CURLOPT_TIMEOUT_MS, max(1, Int((exchange.deadline - now).wholeMilliseconds)))
    if let source { set(CURLOPT_INTERFACE, "host!\(source)") }
  }

  /// Gives the socket that is connected, if one is.
  func endConnection() -> Int32 {
    defer { (exchange, handedOver) = (nil, -1) }
    return handedOver
  }

  private func keep(_ socket: Int32) {
    loop.sockets.forget(socket)
    if handedOver >= 0 { _ = Glibc.close(handedOver) }
    handedOver = socket
  }
}
