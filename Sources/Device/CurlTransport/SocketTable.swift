import Base
import CLinux
import Glibc

/// The sockets that libcurl uses, by number.
///
/// A socket stays registered with epoll while its connection is unused, so a request on a reused connection needs no
/// system call to wait for it. After its idle timeout an unused socket is shut down, which the server sees at once;
/// libcurl finds the connection dead at its next check, and closes it.
struct SocketTable: ~Copyable {
  private struct Socket {
    /// The events registered with epoll; 0 when not registered.
    var events: UInt32 = 0
    var isInUse = false
    /// Whether it is neither closed nor shut down.
    var isOpen = false
    /// The device for which it was opened; -1 for none.
    var device: Int32 = -1
    var idleTimer: TimerToken?
  }

  let epoll: Int32
  private let idleTime: Nanoseconds
  private var sockets: [Socket] = []
  /// The sockets opened for each device: a change of its network concerns one or two of thousands.
  private var socketsOf: [Int32: [Int32]] = [:]
  private var idle = TimerQueue<Int32>()
  /// The number of open sockets.
  private(set) var openCount = 0

  init(idleTime: Nanoseconds) throws(TransportError) {
    epoll = rr_epoll_create()
    guard epoll >= 0 else { throw TransportError(call: "epoll_create1", code: Int(errno)) }
    self.idleTime = idleTime
  }

  deinit { _ = Glibc.close(epoll) }

  var nextDeadline: MonotonicInstant? { idle.nextDeadline }

  /// Opens a socket; returns -1 on failure. If the number is still in use, it belonged to a connection attempt that
  /// libcurl has abandoned: libcurl closes such a socket without a callback, and does not report its interest again
  /// when the same number returns.
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

  /// Registers the events that a request waits for.
  mutating func use(_ socket: Int32, _ events: UInt32) {
    makeRoom(for: socket)
    let index = Int(socket)
    sockets[index].isInUse = true
    if let timer = sockets[index].idleTimer.take() { idle.cancel(timer) }
    let isOpen = register(socket, events)
    precondition(isOpen, "libcurl waits for a socket that is none")
  }

  /// Marks the socket as unused; it may be about to be closed.
  mutating func release(_ socket: Int32, now: MonotonicInstant) {
    let index = Int(socket)
    guard index < sockets.count && sockets[index].isInUse else { return }
    // libcurl closes a socket of its own, as that of its resolver, without a callback: the number may be anyone's then.
    guard sockets[index].isOpen else {
      _ = register(socket, 0)
      return replace(socket, with: Socket())
    }
    // A socket closed without a callback was still connecting.
    if sockets[index].events & EPOLLOUT.rawValue != 0 && !register(socket, EPOLLIN.rawValue) {
      replace(socket, with: Socket())
      return
    }
    sockets[index].isInUse = false
    sockets[index].idleTimer = idle.schedule(at: now + idleTime, socket)
  }

  /// Reports whether a request waits for the reported event. An unused connection only reports its end, and is then
  /// deregistered.
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

  /// Forgets a socket that is handed over.
  mutating func forget(_ socket: Int32) {
    guard Int(socket) < sockets.count else { return }
    if let timer = sockets[Int(socket)].idleTimer { idle.cancel(timer) }
    _ = register(socket, 0)
    replace(socket, with: Socket())
  }

  /// Shuts down the connections whose idle timeout has passed.
  mutating func expire(_ now: MonotonicInstant) {
    while let (_, socket) = idle.popDue(now) { end(socket) }
  }

  /// Shuts down the unused connections of a device.
  mutating func endUnused(of device: Int) {
    for socket in socketsOf[Int32(truncatingIfNeeded: device)] ?? [] {
      guard let timer = sockets[Int(socket)].idleTimer else { continue }
      idle.cancel(timer)
      end(socket)
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
    let former = sockets[Int(socket)].device
    if former >= 0 {
      socketsOf[former]?.removeAll { $0 == socket }
      if socketsOf[former]?.isEmpty ?? false { socketsOf[former] = nil }
    }
    if other.device >= 0 { socketsOf[other.device, default: []].append(socket) }
    sockets[Int(socket)] = other
  }

  private mutating func makeRoom(for socket: Int32) {
    let missing = Int(socket) + 1 - sockets.count
    if missing > 0 { sockets.append(contentsOf: repeatElement(Socket(), count: missing)) }
  }

  /// Returns false when the socket is no longer open: its number is free, or names a file that is not registered here
  /// or cannot be (EPERM: a regular file).
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
