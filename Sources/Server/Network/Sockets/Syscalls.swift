internal import Base
internal import CLinux
internal import Glibc

/// All system calls of the module. Each is retried when a signal interrupts it, reads errno in the same never-inlined function,
/// and stops the process on an errno that only a bug can cause: EBADF on a closed number means that the next call hits the
/// connection of another client.
enum Syscalls {
  /// `takesAddress`: EINVAL may be due to a user's address. That of one link, as fe80::1, needs an interface (ipv6(7)).
  @inline(__always)
  private static func attempt<Result: FixedWidthInteger>(
    _ call: StaticString, takesAddress: Bool = false, _ body: () -> Result
  ) throws(SystemError) -> Result {
    while true {
      let result = body()
      if result >= 0 { return result }
      let code = errno
      if code == EINTR { continue }
      let isBug = code == EBADF || code == EFAULT || code == ENOTSOCK || code == EINVAL && !takesAddress
      if isBug { crash(call, code) }
      throw SystemError(call: "\(call)", code: code)
    }
  }

  /// For calls that cannot fail when their arguments are right.
  @inline(__always)
  private static func certain<Result: FixedWidthInteger>(_ call: StaticString, _ body: () -> Result) -> Result {
    do { return try attempt(call, body) } catch { crash(call, error.code) }
  }

  /// A release build prints no reason for a failed precondition, but an operator needs one.
  @inline(never)
  private static func crash(_ call: StaticString, _ code: Int32) -> Never {
    let message = "rollingroad: \(call) failed with \(text(of: code)) (errno \(code)), which must not happen\n"
    unsafe message.utf8.withContiguousStorageIfAvailable { _ = unsafe Glibc.write(2, $0.baseAddress, $0.count) }
    preconditionFailure("a system call failed in a way that only a mistake of ours explains")
  }

  static func text(of code: Int32) -> String {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
      guard let start = buffer.baseAddress else { return "" }
      return unsafe strerror_r(code, start, buffer.count) == 0 ? String(cString: start) : "unknown error"
    }
  }
}

// MARK: Descriptors

extension Syscalls {
  /// Not retried on EINTR: Linux has released the number by then (close(2)).
  @inline(never)
  static func close(_ descriptor: Int32) {
    if Glibc.close(descriptor) == -1, errno == EBADF { crash("close", EBADF) }
  }

  @inline(never)
  static func eventCounter() throws(SystemError) -> FileDescriptor {
    FileDescriptor(owning: try attempt("eventfd") { rr_eventfd() })
  }

  /// Adds one; EAGAIN means that the counter is at its maximum, and then its reader is awake anyway.
  @inline(never)
  static func signal(_ counter: borrowing FileDescriptor) {
    var one: UInt64 = 1
    let number = counter.number
    do { _ = try attempt("write") { unsafe Glibc.write(number, &one, MemoryLayout<UInt64>.size) } } catch {
      precondition(error.isWouldBlock, "an event counter takes a number or says EAGAIN")
    }
  }

  /// Resets the counter to zero.
  @inline(never)
  static func clear(_ counter: borrowing FileDescriptor) {
    var count: UInt64 = 0
    let number = counter.number
    do { _ = try attempt("read") { unsafe Glibc.read(number, &count, MemoryLayout<UInt64>.size) } } catch {
      precondition(error.isWouldBlock, "an event counter gives a number or says EAGAIN")
    }
  }

  /// Waits until one of the descriptors is readable and returns which.
  @inline(never)
  static func waitReadable(_ first: Int32, _ second: Int32) -> (first: Bool, second: Bool) {
    var set = [first, second].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    _ = certain("poll") { unsafe poll(&set, 2, -1) }
    return (set[0].revents != 0, set[1].revents != 0)
  }

  /// Raises the soft limit of open descriptors to the hard limit and returns it.
  @inline(never)
  static func raiseDescriptorLimit() throws(SystemError) -> Int {
    var limit = rlimit()
    _ = try attempt("getrlimit") { unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) }
    limit.rlim_cur = limit.rlim_max
    _ = try attempt("setrlimit") { unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) }
    return Int(clamping: limit.rlim_cur)
  }
}

// MARK: Polling

extension Syscalls {
  @inline(never)
  static func pollSet() throws(SystemError) -> FileDescriptor {
    FileDescriptor(owning: try attempt("epoll_create1") { rr_epoll_create() })
  }

  @inline(never)
  static func pollAdd(_ set: Int32, _ descriptor: Int32, events: UInt32, token: UInt64) throws(SystemError) {
    _ = try attempt("epoll_ctl") { rr_epoll_add(set, descriptor, events, token) }
  }

  @inline(never)
  static func pollModify(_ set: Int32, _ descriptor: Int32, events: UInt32, token: UInt64) {
    _ = certain("epoll_ctl") { rr_epoll_modify(set, descriptor, events, token) }
  }

  @inline(never)
  static func pollWait(_ set: Int32, into events: inout [rr_epoll_event], timeoutMilliseconds: Int32) -> Int {
    let count = unsafe rr_epoll_wait(set, &events, Int32(events.count), timeoutMilliseconds)
    guard count >= 0 else { crash("epoll_wait", errno) }
    return Int(count)
  }
}

// MARK: Sockets

extension Syscalls {
  @inline(never)
  static func streamSocket(_ family: Int32) throws(SystemError) -> FileDescriptor {
    FileDescriptor(owning: try attempt("socket") { rr_stream_socket(family) })
  }

  @inline(never)
  static func set(
    _ option: Int32, level: Int32, to value: Int32, on socket: borrowing FileDescriptor
  ) throws(SystemError) {
    var value = value
    let number = socket.number
    _ = try attempt("setsockopt") {
      unsafe setsockopt(number, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }
  }

  /// Makes a later close send an RST and discard the data that the kernel holds for the peer.
  @inline(never)
  static func resetOnClose(_ socket: Int32) {
    var value = linger(l_onoff: 1, l_linger: 0)
    _ = certain("setsockopt") {
      unsafe setsockopt(socket, SOL_SOCKET, SO_LINGER, &value, socklen_t(MemoryLayout<linger>.size))
    }
  }

  /// Starts to connect; the socket becomes writable when it has finished.
  @inline(never)
  static func connect(_ socket: borrowing FileDescriptor, to address: SocketAddress) throws(SystemError) {
    let number = socket.number
    do {
      _ = try attempt("connect", takesAddress: true) {
        unsafe address.withSystemAddress { unsafe Glibc.connect(number, $0, $1) }
      }
    } catch {
      guard error.code == EINPROGRESS else { throw error }
    }
  }

  /// Returns a connecting socket with the options that accepted ones have (`Listener`).
  static func outgoingSocket(to address: SocketAddress) throws(SystemError) -> FileDescriptor {
    let socket = try streamSocket(address.family)
    try set(TCP_NODELAY, level: Int32(IPPROTO_TCP), to: 1, on: socket)
    try set(SO_KEEPALIVE, level: SOL_SOCKET, to: 1, on: socket)
    try set(TCP_NOTSENT_LOWAT, level: Int32(IPPROTO_TCP), to: Listener.unsentInKernelMax, on: socket)
    try connect(socket, to: address)
    return socket
  }

  /// Returns the socket's pending error, as an errno; 0 for none.
  @inline(never)
  static func pendingError(of socket: borrowing FileDescriptor) -> Int32 {
    var code: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    let number = socket.number
    _ = certain("getsockopt") { unsafe getsockopt(number, SOL_SOCKET, SO_ERROR, &code, &length) }
    return code
  }

  /// Reports whether the peer's FIN has arrived, or the connection is gone, even if unread data is left.
  @inline(never)
  static func hasPeerEnded(_ socket: Int32) -> Bool {
    // The first byte of `struct tcp_info`.
    var state: UInt8 = 0
    var length = socklen_t(1)
    let established: UInt8 = 1
    let result = unsafe getsockopt(socket, Int32(IPPROTO_TCP), TCP_INFO, &state, &length)
    return result == 0 && state != established
  }

  /// Returns the number of bytes that have arrived and were not read yet.
  @inline(never)
  static func unreadCount(_ socket: Int32) -> Int {
    var count: Int32 = 0
    return unsafe ioctl(socket, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
  }

  /// Returns the resolver's first address of a name, with port 0.
  @inline(never)
  static func firstAddress(of name: String) -> SocketAddress? {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard unsafe getaddrinfo(name, nil, &hints, &list) == 0, let first = unsafe list else { return nil }
    defer { unsafe freeaddrinfo(first) }
    var storage = sockaddr_storage()
    let length = unsafe min(Int(first.pointee.ai_addrlen), MemoryLayout<sockaddr_storage>.size)
    unsafe withUnsafeMutableBytes(of: &storage) { bytes in
      unsafe bytes.copyMemory(from: UnsafeRawBufferPointer(start: first.pointee.ai_addr, count: length))
    }
    return SocketAddress(storage)
  }

  @inline(never)
  static func bind(_ socket: borrowing FileDescriptor, to address: SocketAddress) throws(SystemError) {
    let number = socket.number
    _ = try attempt("bind", takesAddress: true) {
      unsafe address.withSystemAddress { unsafe Glibc.bind(number, $0, $1) }
    }
  }

  @inline(never)
  static func listen(_ socket: borrowing FileDescriptor, backlog: Int32) throws(SystemError) {
    let number = socket.number
    _ = try attempt("listen") { Glibc.listen(number, backlog) }
  }

  @inline(never)
  static func localAddress(of socket: borrowing FileDescriptor) -> SocketAddress {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let number = socket.number
    _ = unsafe withUnsafeMutableBytes(of: &storage) { bytes in
      let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
      return certain("getsockname") { unsafe getsockname(number, start, &length) }
    }
    return SocketAddress(storage)
  }

  /// Accepts a connection, non-blocking and closed on exec.
  @inline(never)
  static func accept(_ listener: Int32) throws(SystemError) -> AcceptedSocket {
    var storage = sockaddr_storage()
    let number = try attempt("accept4") { unsafe rr_accept(listener, &storage) }
    return AcceptedSocket(descriptor: FileDescriptor(owning: number), peer: SocketAddress(storage))
  }

  /// Returns the number of bytes received; 0 is the end of the peer's output.
  @inline(never)
  static func receive(_ socket: Int32, into buffer: inout [UInt8], atMost limit: Int) throws(SystemError) -> Int {
    precondition(limit > 0 && limit <= buffer.count, "a read must fit into its buffer")
    return try attempt("recv") { unsafe recv(socket, &buffer, limit, 0) }
  }

  /// Returns the next byte without consuming it; nil at the end of the peer's output.
  @inline(never)
  static func peek(_ socket: Int32) throws(SystemError) -> UInt8? {
    var byte: UInt8 = 0
    let count = try attempt("recv") { unsafe recv(socket, &byte, 1, Int32(MSG_PEEK)) }
    return count == 0 ? nil : byte
  }

  /// Discards up to `limit` received bytes without copying them (tcp(7), MSG_TRUNC).
  @inline(never)
  static func discard(_ socket: Int32, atMost limit: Int) throws(SystemError) -> Int {
    try attempt("recv") { recv(socket, nil, limit, Int32(MSG_TRUNC)) }
  }

  /// MSG_NOSIGNAL: a closed peer is an error of this connection, not a signal for the process.
  @inline(never)
  static func send(_ socket: Int32, _ bytes: RawSpan) throws(SystemError) -> Int {
    try attempt("send") {
      unsafe bytes.withUnsafeBytes { unsafe Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }
  }

  /// Shuts down our output. ENOTCONN: the peer's RST arrived first, and its event follows.
  @inline(never)
  static func shutdownOutput(_ socket: Int32) {
    do { _ = try attempt("shutdown") { Glibc.shutdown(socket, Int32(SHUT_WR)) } } catch {
      precondition(error.code == ENOTCONN, "shutdown fails only on a connection that is gone")
    }
  }
}

// MARK: Signals

extension Syscalls {
  /// Blocks the signals in this thread and in those that it starts afterwards.
  @inline(never)
  static func signalDescriptor(_ signals: [Int32]) throws(SystemError) -> FileDescriptor {
    FileDescriptor(owning: try attempt("signalfd") { unsafe rr_signalfd(signals, Int32(signals.count)) })
  }

  /// Returns nil when no signal is pending.
  @inline(never)
  static func nextSignal(_ descriptor: borrowing FileDescriptor) -> Int32? {
    let number = descriptor.number
    let signal = certain("read") { rr_signalfd_read(number) }
    return signal == 0 ? nil : signal
  }

  /// Waits for input, possibly returning early: a signal handler ends the wait too.
  static func waitToRead(_ descriptor: borrowing FileDescriptor) { _ = rr_wait_readable(descriptor.number, -1) }
}

/// A system call that failed with an errno which a correct program can get.
package struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The name of the call, as in its manual page.
  package let call: String
  package let code: Int32

  package init(call: String, code: Int32) {
    self.call = call
    self.code = code
  }

  package var description: String { "\(call): \(Syscalls.text(of: code)) (errno \(code))" }

  /// Whether descriptors or kernel memory have run out: worth retrying when some are released.
  var isExhaustion: Bool { [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(code) }
  var isWouldBlock: Bool { code == EAGAIN }
  /// Whether the peer has reset the connection.
  var isReset: Bool { code == ECONNRESET || code == EPIPE }
  /// Whether invalid TLS data was received.
  var isInvalid: Bool { code == EPROTO }
}

/// The owner of an open descriptor: exactly one value holds it, and the descriptor is closed when that value ends.
package struct FileDescriptor: ~Copyable, Sendable {
  let number: Int32

  init(owning number: Int32) {
    precondition(number >= 0, "a failed call is not a descriptor")
    self.number = number
  }

  deinit { Syscalls.close(number) }
}

/// An accepted connection.
struct AcceptedSocket: ~Copyable {
  let descriptor: FileDescriptor
  let peer: SocketAddress
}

/// The processors of the machine.
package enum Processors {
  /// The number of processors that this process may use; at least 1.
  package static var count: Int { Int(rr_processors()) }
}
