package import Base
import CCurl
import Glibc
import Upload

/// A client connection, with TLS for https URLs, for callers that decide byte by byte what is sent and when. Every
/// blocking call ends by its deadline.
@safe
package final class ByteConnection {
  /// The result of a read.
  package enum Arrival: Equatable, Sendable {
    case bytes([UInt8])
    /// The peer has closed its output.
    case end
    /// The peer has reset the connection.
    case reset
    case timeout
  }

  /// The reason why there is no connection, as a sentence.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  private let handle: EasyHandle
  private let socket: Int32
  private let isSecure: Bool
  private var buffer = [UInt8](repeating: 0, count: 65_536)
  private let clock = SystemClock()

  /// Connects to the host of the URL; the rest of the URL is ignored.
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
    guard number >= 0 else { throw Failure(description: "the connection was closed right after it was established") }
    (self.handle, socket) = (handle, Int32(number))
  }

  /// Returns false when the peer accepts no more data, or not by the deadline.
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

  /// Returns the next data of the peer.
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

  /// Many servers close a connection without TLS's close_notify (RFC 8446 §6.1), which OpenSSL reports as an error.
  /// Others send it and close a moment later: no data follows, but the connection is still open.
  private var isAtEnd: Bool {
    var byte: UInt8 = 0
    let count = unsafe recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
    return count == 0 || count < 0 && errno == EAGAIN
  }

  /// Closes the output; input can still be received.
  package func endOutput() {
    if isSecure { unsafe rr_curl_say_end(handle.easy) }
    shutdown(socket, Int32(SHUT_WR))
  }

  /// Makes the end of this object reset the connection instead of closing it.
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
