import Base
import CLinux
import Glibc

/// The sockets that libcurl has open, by their numbers.
///
/// A socket stays registered while its connection is unused: a request on a reused connection then costs no system call
/// for being waited for. When an unused socket was idle for too long, it is shut down, which the server sees at once; libcurl
/// finds the connection dead when it looks at it the next time, and closes it.
struct SocketTable: ~Copyable {
  private struct Socket {
    /// What epoll waits for; 0 when it is not registered.
    var events: UInt32 = 0
    var isInUse = false
    /// Neither closed nor shut down.
    var isOpen = false
    /// For whom it was opened; -1: for none.
    var device: Int32 = -1
    var idleTimer: TimerToken?
  }

  let epoll: Int32
  private let idleTime: Nanoseconds
  private var sockets: [Socket] = []
  private var idle = TimerQueue<Int32>()
  /// How many are open.
  private(set) var openCount = 0

  init(idleTime: Nanoseconds) throws(TransportError) {
    epoll = rr_epoll_create()
    guard epoll >= 0 else { throw TransportError(call: "epoll_create1", code: Int(errno)) }
    self.idleTime = idleTime
  }

  deinit { _ = Glibc.close(epoll) }

  var nextDeadline: MonotonicInstant? { idle.nextDeadline }

  /// A new socket, -1 when there is none to be had. A number that libcurl still waits for belonged to an attempt to connect
  /// that it has given up: such a socket it closes without a word, and when it gets the number again it will not say either
  /// that it waits for it.
  mutating func open(family: Int32, type: Int32, protocol number: Int32, device: Int) -> Int32 {
    let socket = Glibc.socket(family, type | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), number)
    guard socket >= 0 else { return -1 }
    makeRoom(for: socket)
    let former = sockets[Int(socket)]
    if let timer = former.idleTimer { idle.cancel(timer) }
    replace(socket, with: Socket(isOpen: true, device: Int32(truncatingIfNeeded: device)))
    if former.isInUse { use(socket, former.events) }
    return socket
  }

  /// A request waits for these events.
  mutating func use(_ socket: Int32, _ events: UInt32) {
    makeRoom(for: socket)
    let index = Int(socket)
    sockets[index].isInUse = true
    if let timer = sockets[index].idleTimer.take() { idle.cancel(timer) }
    let isOpen = register(socket, events)
    precondition(isOpen, "libcurl waits for a socket that is none")
  }

  /// No request waits for it any more; it may be that it is about to be closed.
  mutating func release(_ socket: Int32, now: MonotonicInstant) {
    let index = Int(socket)
    guard index < sockets.count && sockets[index].isInUse else { return }
    // A socket that was closed without a word was still waiting to be connected.
    if sockets[index].events & EPOLLOUT.rawValue != 0 && !register(socket, EPOLLIN.rawValue) {
      replace(socket, with: Socket())
      return
    }
    sockets[index].isInUse = false
    sockets[index].idleTimer = idle.schedule(at: now + idleTime, socket)
  }

  /// Whether a request waits for what was just reported. An unused connection reports its end, and is not listened to further.
  mutating func isAwaited(_ socket: Int32) -> Bool {
    let index = Int(socket)
    guard index < sockets.count else { return false }
    if !sockets[index].isInUse { _ = register(socket, 0) }
    return sockets[index].isInUse
  }

  /// Closes the socket, which ends its registration.
  mutating func close(_ socket: Int32) -> Int32 {
    if Int(socket) < sockets.count {
      if let timer = sockets[Int(socket)].idleTimer { idle.cancel(timer) }
      replace(socket, with: Socket())
    }
    return Glibc.close(socket)
  }

  /// The socket goes on elsewhere.
  mutating func forget(_ socket: Int32) {
    guard Int(socket) < sockets.count else { return }
    if let timer = sockets[Int(socket)].idleTimer { idle.cancel(timer) }
    _ = register(socket, 0)
    replace(socket, with: Socket())
  }

  /// Ends the connections that were idle for too long.
  mutating func expire(_ now: MonotonicInstant) {
    while let (_, socket) = idle.popDue(now) { end(socket) }
  }

  /// Ends the connections that a device has and does not use.
  mutating func endUnused(of device: Int) {
    for index in sockets.indices where sockets[index].device == device {
      guard let timer = sockets[index].idleTimer else { continue }
      idle.cancel(timer)
      end(Int32(index))
    }
  }

  private mutating func end(_ socket: Int32) {
    sockets[Int(socket)].idleTimer = nil
    _ = register(socket, 0)
    if sockets[Int(socket)].isOpen { openCount -= 1 }
    sockets[Int(socket)].isOpen = false
    // Fails when the server was faster.
    _ = shutdown(socket, Int32(SHUT_RDWR))
  }

  private mutating func replace(_ socket: Int32, with other: Socket) {
    if sockets[Int(socket)].isOpen { openCount -= 1 }
    if other.isOpen { openCount += 1 }
    sockets[Int(socket)] = other
  }

  private mutating func makeRoom(for socket: Int32) {
    let missing = Int(socket) + 1 - sockets.count
    if missing > 0 { sockets.append(contentsOf: repeatElement(Socket(), count: missing)) }
  }

  /// False when the socket is not open any more: its number is free, or of a file that is not registered here, or of
  /// one that cannot be (EPERM: a regular file).
  private mutating func register(_ socket: Int32, _ events: UInt32) -> Bool {
    let old = sockets[Int(socket)].events
    guard old != events else { return true }
    sockets[Int(socket)].events = events
    let result =
      if events == 0 {
        rr_epoll_remove(epoll, socket)
      } else if old == 0 {
        rr_epoll_add(epoll, socket, events, UInt64(socket))
      } else {
        rr_epoll_modify(epoll, socket, events, UInt64(socket))
      }
    let code = errno
    precondition(
      result == 0 || code == EBADF || code == ENOENT || code == EPERM, "epoll_ctl failed with errno \(code)")
    return result == 0
  }
}
