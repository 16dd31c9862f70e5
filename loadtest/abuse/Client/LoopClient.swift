import Base
import CLinux

/// One connection after the other, driven by a `ClientLoop`. Both calls return when the client wants to be woken next; nil
/// leaves that to its socket.
protocol LoopClient: AnyObject {
  /// The time has come; the first call comes when the loop begins.
  func wake(_ loop: ClientLoop<Self>, _ now: MonotonicInstant) -> MonotonicInstant?
  /// The socket can do more than it could. Nothing is reported again that was not used up.
  func ready(_ events: UInt32, _ loop: ClientLoop<Self>, _ now: MonotonicInstant) -> MonotonicInstant?
}

/// What epoll says about a socket.
enum SocketEvents {
  static let all = EPOLLIN.rawValue | EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | EPOLLET.rawValue
  static let readable = EPOLLIN.rawValue
  static let writable = EPOLLOUT.rawValue
  /// The server has said its last word.
  static let ended = EPOLLRDHUP.rawValue
  /// There is no connection any more.
  static let gone = EPOLLHUP.rawValue | EPOLLERR.rawValue
}
