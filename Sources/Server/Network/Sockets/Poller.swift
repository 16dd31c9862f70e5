internal import CLinux

/// The descriptors that a loop waits for. Level-triggered: input that is not read in this turn is reported again in the next,
/// so a turn may stop after a fair share without losing anything. Measured against edge-triggering, which saves no call when a
/// read that did not fill its buffer ends the turn; see loadtest/network.
struct Poller: ~Copyable, Sendable {
  static let readable = EPOLLIN.rawValue
  static let writable = EPOLLOUT.rawValue
  /// Always reported, requested or not.
  static let gone = EPOLLHUP.rawValue | EPOLLERR.rawValue
  /// Combined with others: reported once, and not again before the next `modify`.
  static let once = EPOLLONESHOT.rawValue

  /// The most events that a wait returns.
  static let eventsMax = 256

  private let set: FileDescriptor
  private var ready = [rr_epoll_event](repeating: rr_epoll_event(), count: Poller.eventsMax)

  init() throws(SystemError) { set = try Syscalls.pollSet() }

  /// Fails when the kernel's memory or its limit of watches is exhausted.
  borrowing func add(_ descriptor: Int32, _ events: UInt32, token: ConnectionToken) throws(SystemError) {
    try Syscalls.pollAdd(set.number, descriptor, events: events, token: token.word)
  }

  borrowing func modify(_ descriptor: Int32, _ events: UInt32, token: ConnectionToken) {
    Syscalls.pollModify(set.number, descriptor, events: events, token: token.word)
  }

  /// Returns the number of events, which the subscript reads. A negative timeout waits forever.
  mutating func wait(timeoutMilliseconds: Int32) -> Int {
    Syscalls.pollWait(set.number, into: &ready, timeoutMilliseconds: timeoutMilliseconds)
  }

  subscript(index: Int) -> (token: ConnectionToken, events: UInt32) {
    (ConnectionToken(word: ready[index].token), ready[index].events)
  }
}
