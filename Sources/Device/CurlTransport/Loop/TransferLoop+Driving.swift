import Base
import CCurl
import CLinux

extension TransferLoop {
  /// The loop behind the pointer that it gave to libcurl.
  static func of(_ pointer: UnsafeMutableRawPointer?) -> TransferLoop {
    guard let pointer = unsafe pointer else { preconditionFailure("a handle knows its loop") }
    return unsafe Unmanaged<TransferLoop>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// libcurl says what it waits for.
  func watch(_ socket: Int32, _ what: Int32) -> Int32 {
    switch what {
    case CURL_POLL_IN: sockets.use(socket, EPOLLIN.rawValue)
    case CURL_POLL_OUT: sockets.use(socket, EPOLLOUT.rawValue)
    case CURL_POLL_INOUT: sockets.use(socket, EPOLLIN.rawValue | EPOLLOUT.rawValue)
    default: sockets.release(socket, now: now)
    }
    return 0
  }

  /// libcurl says when it wants to be called at the latest.
  func setTimer(_ milliseconds: Int) -> Int32 {
    deadline = milliseconds < 0 ? nil : now + .milliseconds(Int64(milliseconds))
    return 0
  }

  /// An event that was reported for a socket which was closed meanwhile, and whose number was given out again, does no
  /// harm: libcurl's sockets do not block.
  func advance(_ socket: Int32, _ events: UInt32) {
    if lines.has(socket) { return advanceLine(socket, events) }
    guard sockets.isAwaited(socket) else { return }
    var mask: Int32 = 0
    if events & (EPOLLIN.rawValue | EPOLLHUP.rawValue) != 0 { mask |= CURL_CSELECT_IN }
    if events & EPOLLOUT.rawValue != 0 { mask |= CURL_CSELECT_OUT }
    if events & EPOLLERR.rawValue != 0 { mask |= CURL_CSELECT_ERR }
    act(socket, mask)
  }

  func fireTimer() {
    guard let due = deadline, due <= now else { return }
    deadline = nil
    act(CURL_SOCKET_TIMEOUT, 0)
  }

  private func act(_ socket: Int32, _ mask: Int32) {
    var running: Int32 = 0
    let code = unsafe curl_multi_socket_action(multi, socket, mask, &running)
    precondition(code == CURLM_OK, "curl_multi_socket_action failed with \(code.rawValue)")
  }
}
