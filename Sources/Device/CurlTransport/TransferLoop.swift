import Base
import CCurl
import CLinux
import Glibc
import HTTP1
import Threads
import Upload

/// A multi handle of libcurl and its event loop (https://curl.se/libcurl/c/curl_multi_socket_action.html): libcurl
/// registers sockets and a deadline by callbacks, and is called when one of them is due.
@safe
final class TransferLoop {
  /// The identity of a pending request.
  struct RequestKey: Hashable {
    let device: Int
    let id: UInt64
  }

  let multi: UnsafeMutableRawPointer
  let configuration: TransportConfiguration
  var sockets: SocketTable
  var shares = ConnectionShares()
  var deadline: MonotonicInstant?
  var inFlight: [RequestKey: Transfer] = [:]
  var free: [Transfer] = []
  /// The handles that make direct connections.
  var connectors: [Transfer] = []
  var connections = DirectConnections()
  /// The last form of each device.
  var forms: [DirectForm?] = []
  /// The sockets of direct requests in flight.
  var socketOf: [RequestKey: Int32] = [:]
  /// The input buffer shared by all connections.
  var input = [UInt8](repeating: 0, count: 16_384)
  var answerHead = ResponseHead()
  var completions: [TransportCompletion] = []

  private let mailbox: TransportMailbox
  private let deliver: ([TransportCompletion]) -> Void
  private let clock = SystemClock()
  private var ready = [rr_epoll_event](repeating: rr_epoll_event(), count: 256)
  private var calls: [TransportCall] = []

  init(
    _ configuration: TransportConfiguration, _ mailbox: TransportMailbox,
    _ deliver: @escaping ([TransportCompletion]) -> Void
  ) throws(TransportError) {
    let code = EasyHandle.library
    guard code == CURLE_OK else { throw TransportError(call: "curl_global_init", code: Int(code.rawValue)) }
    sockets = try SocketTable(idleTime: configuration.idleTime)
    guard let multi = unsafe curl_multi_init() else { throw TransportError(call: "curl_multi_init", code: 0) }
    unsafe self.multi = multi
    self.configuration = configuration
    self.mailbox = mailbox
    self.deliver = deliver
    try setUp()
  }

  var now: MonotonicInstant { clock.monotonicNow }

  /// Runs until `stop`.
  func run() {
    while turn(until: nil) {
      if !completions.isEmpty { deliver(takeCompletions()) }
    }
    finish()
    if !completions.isEmpty { deliver(takeCompletions()) }
  }

  /// Performs one turn, which ends at the latest at `limit` or after an event. Returns false after `stop`.
  func turn(until limit: MonotonicInstant?) -> Bool {
    let count = wait(until: completions.isEmpty ? limit : now)
    for index in 0..<count {
      let event = ready[index]
      if event.token != UInt64(mailbox.wakeUp) { advance(Int32(event.token), event.events) }
    }
    let isRunning = takeCalls()
    fireTimer()
    collectEnded()
    sockets.expire(now)
    expireConnections()
    return isRunning
  }

  /// Returns the completions since the last call.
  func takeCompletions() -> [TransportCompletion] {
    let taken = completions
    completions = []
    return taken
  }

  private func takeCalls() -> Bool {
    var isRunning = true
    mailbox.collect(into: &calls)
    for call in calls {
      switch call {
      case .submit(let request, let device): begin(request, device: device)
      case .cancel(let id, let device): cancel(RequestKey(device: device, id: id))
      case .stop: isRunning = false
      }
    }
    calls.removeAll(keepingCapacity: true)
    return isRunning
  }

  private func wait(until limit: MonotonicInstant?) -> Int {
    var timeout: Int32 = -1
    if let next = [limit, deadline, sockets.nextDeadline, connections.timers.nextDeadline].compactMap({ $0 }).min() {
      // Rounded up: an early turn would find nothing to do.
      timeout = Int32(clamping: max(0, ((next - now).count + 999_999) / 1_000_000))
    }
    let count = unsafe ready.withUnsafeMutableBufferPointer { buffer in
      unsafe rr_epoll_wait(sockets.epoll, buffer.baseAddress, Int32(buffer.count), timeout)
    }
    precondition(count >= 0, "epoll_wait failed with errno \(errno)")
    return Int(count)
  }

  private func setUp() throws(TransportError) {
    let this = unsafe Unmanaged.passUnretained(self).toOpaque()
    let codes = unsafe [
      rr_curl_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, this),
      rr_curl_multi_set_pointer(multi, CURLMOPT_TIMERDATA, this),
      rr_curl_multi_set_socket_callback(multi) { _, socket, what, user, _ in
        unsafe TransferLoop.of(user).watch(socket, what)
      },
      rr_curl_multi_set_timer_callback(multi) { _, milliseconds, user in
        unsafe TransferLoop.of(user).setTimer(milliseconds)
      },
      // Idle connections are ended by their age; libcurl's limit is their number.
      rr_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, 1_000_000),
    ]
    precondition(codes.allSatisfy { $0 == CURLM_OK }, "libcurl refuses an option of its multi handle")
    if case .shared(let limit) = configuration.connections {
      let code = unsafe rr_curl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, limit)
      precondition(code == CURLM_OK, "libcurl takes every number of connections")
    }
    guard rr_epoll_add(sockets.epoll, mailbox.wakeUp, EPOLLIN.rawValue, UInt64(mailbox.wakeUp)) == 0 else {
      let code = Int(errno)
      close()
      throw TransportError(call: "epoll_ctl", code: code)
    }
  }

  /// Ends all requests and closes all connections.
  func finish() {
    end()
    close()
  }

  private func close() {
    for socket in connections.sockets { hangUp(socket) }
    free = []
    connectors = []
    let code = unsafe curl_multi_cleanup(multi)
    precondition(code == CURLM_OK, "no request is left")
    shares.close()
  }
}

extension TransferLoop {
  /// Blocks SIGPIPE in the calling thread: a write to a reset connection is then an ordinary error, whatever TLS library writes.
  static func blockBrokenPipes() {
    var broken = sigset_t()
    unsafe sigemptyset(&broken)
    unsafe sigaddset(&broken, SIGPIPE)
    let masked = unsafe pthread_sigmask(SIG_BLOCK, &broken, nil)
    precondition(masked == 0, "a signal can be blocked")
  }
}

extension TransferLoop {
  /// The loop behind the pointer that it gave to libcurl.
  static func of(_ pointer: UnsafeMutableRawPointer?) -> TransferLoop {
    guard let pointer = unsafe pointer else { preconditionFailure("a handle knows its loop") }
    return unsafe Unmanaged<TransferLoop>.fromOpaque(pointer).takeUnretainedValue()
  }

  /// Callback of libcurl for the events of a socket.
  func watch(_ socket: Int32, _ what: Int32) -> Int32 {
    switch what {
    case CURL_POLL_IN: sockets.use(socket, EPOLLIN.rawValue)
    case CURL_POLL_OUT: sockets.use(socket, EPOLLOUT.rawValue)
    case CURL_POLL_INOUT: sockets.use(socket, EPOLLIN.rawValue | EPOLLOUT.rawValue)
    default: sockets.release(socket, now: now)
    }
    return 0
  }

  /// Callback of libcurl for its deadline.
  func setTimer(_ milliseconds: Int) -> Int32 {
    deadline = milliseconds < 0 ? nil : now + .milliseconds(Int64(milliseconds))
    return 0
  }

  /// An event for a socket that was closed meanwhile, and whose number was reused, is harmless: libcurl's sockets do not block.
  func advance(_ socket: Int32, _ events: UInt32) {
    if connections.has(socket) { return advanceConnection(socket, events) }
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
