package import Base
import CCurl
import Glibc
import Upload

/// A connection from this side, with TLS where the URL says https, for callers that decide byte by byte what is sent and
/// when. Every call that waits ends by its deadline.
@safe
package final class ByteConnection {
  /// What came, or why nothing did.
  package enum Arrival: Equatable, Sendable {
    case bytes([UInt8])
    /// The peer has ended its output.
    case end
    /// The peer has broken the connection off.
    case reset
    case timeout
  }

  /// Why there is no connection, as a sentence.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  private let handle: EasyHandle
  private let socket: Int32
  private let isSecure: Bool
  private var buffer = [UInt8](repeating: 0, count: 65_536)
  private let clock = SystemClock()

  /// Connects to the host of the URL; whatever else it holds is not looked at.
  package init(to url: String, _ configuration: TransportConfiguration, within span: Nanoseconds) throws(Failure) {
    guard EasyHandle.library == CURLE_OK, let handle = EasyHandle(configuration) else {
      throw Failure(description: "libcurl has no memory")
    }
    TransferLoop.blockBrokenPipes()
    handle.setWay(configuration)
    isSecure = url.prefix(6).lowercased() == "https:"
    if configuration.readsEnvironment, configuration.proxy == nil { handle.askEnvironmentForProxy(isSecure) }
    handle.set(CURLOPT_URL, url)
    handle.set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
    handle.set(CURLOPT_CONNECT_ONLY, 1)
    handle.set(CURLOPT_TIMEOUT_MS, Int(span.wholeMilliseconds))
    let code = unsafe curl_easy_perform(handle.easy)
    guard code == CURLE_OK else { throw Failure(description: handle.message(code)) }
    let number = handle.long(CURLINFO_ACTIVESOCKET)
    guard number >= 0 else { throw Failure(description: "the connection ended when it stood") }
    (self.handle, socket) = (handle, Int32(number))
  }

  /// False when the peer takes no more, or not by the deadline.
  package func send(_ bytes: [UInt8], by deadline: MonotonicInstant) -> Bool {
    var sent = 0
    while sent < bytes.count {
      var count = 0
      let code = unsafe bytes.withUnsafeBytes { bytes in
        unsafe curl_easy_send(handle.easy, bytes.baseAddress?.advanced(by: sent), bytes.count - sent, &count)
      }
      sent += count
      if code == CURLE_OK { continue }
      guard code == CURLE_AGAIN, wait(for: POLLOUT, by: deadline) else { return false }
    }
    return true
  }

  /// The next piece of what the peer sends.
  package func receive(by deadline: MonotonicInstant) -> Arrival {
    while true {
      var count = 0
      let code = unsafe buffer.withUnsafeMutableBytes { bytes in
        unsafe curl_easy_recv(handle.easy, bytes.baseAddress, bytes.count, &count)
      }
      switch code {
      case CURLE_OK: return count == 0 ? .end : .bytes(Array(buffer[..<count]))
      case CURLE_AGAIN: guard wait(for: POLLIN, by: deadline) else { return .timeout }
      default: return isSecure && isAtEnd ? .end : .reset
      }
    }
  }

  /// Many servers end a connection without the word of TLS for it (RFC 8446 §6.1), which OpenSSL calls an error. Others say the
  /// word, and close a moment later: behind it nothing comes, and the connection still stands.
  private var isAtEnd: Bool {
    var byte: UInt8 = 0
    let count = unsafe recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
    return count == 0 || count < 0 && errno == EAGAIN
  }

  /// Nothing more is sent; what comes can still be received.
  package func endOutput() {
    if isSecure { unsafe rr_curl_say_end(handle.easy) }
    shutdown(socket, Int32(SHUT_WR))
  }

  /// The end of this object breaks the connection off, instead of closing it.
  package func resetAtTheEnd() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    let code = unsafe setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    precondition(code == 0, "an open socket has this option")
  }

  private func wait(for events: Int32, by deadline: MonotonicInstant) -> Bool {
    while true {
      let left = (deadline - clock.monotonicNow).wholeMilliseconds
      var set = pollfd(fd: socket, events: Int16(events), revents: 0)
      let count = unsafe poll(&set, 1, Int32(clamping: max(0, left + 1)))
      if count > 0 { return true }
      if count < 0, errno == EINTR { continue }
      if left <= 0 { return false }
    }
  }
}
