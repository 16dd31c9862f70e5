import Base
import CLinux
import Synchronization

/// One thread's clients of one kind. Edge-triggered, so that a client that leaves its input unread costs nothing.
final class ClientLoop<Client: LoopClient> {
  let clock = SystemClock()
  /// Where clients read into; what is in it is theirs until they return.
  var buffer = [UInt8](repeating: 0, count: 65_536)
  private let epoll = rr_epoll_create()
  private var clients: [Client] = []
  private var timers = TimerQueue<Int>()
  /// The token of each client's present socket: its place, and a number that no earlier socket of it had.
  private var tokens: [UInt64] = []
  private var current = 0

  deinit { Sockets.close(epoll) }

  /// The client whose call is running has this socket from now on.
  func watch(_ socket: Int32) {
    tokens[current] += 1
    _ = rr_epoll_add(epoll, socket, SocketEvents.all, UInt64(current) << 32 | tokens[current])
  }

  /// Wakes the clients first, the n-th at `start(n)`, and returns when it has been told to stop.
  func run(_ clients: [Client], from start: (Int) -> MonotonicInstant, until stop: StopSign) {
    self.clients = clients
    tokens = Array(repeating: 0, count: clients.count)
    for index in clients.indices { timers.schedule(at: start(index), index) }
    var events = [rr_epoll_event](repeating: rr_epoll_event(), count: 512)
    while !stop.isSet {
      let count = unsafe rr_epoll_wait(epoll, &events, Int32(events.count), patience)
      let now = clock.monotonicNow
      for index in 0..<max(0, Int(count)) {
        current = Int(events[index].token >> 32)
        guard events[index].token & 0xFFFF_FFFF == tokens[current] else { continue }
        wakeLater(clients[current].ready(events[index].events, self, now))
      }
      while let due = timers.popDue(now) {
        current = due.payload
        wakeLater(clients[current].wake(self, now))
      }
    }
  }

  private func wakeLater(_ instant: MonotonicInstant?) {
    if let instant { timers.schedule(at: instant, current) }
  }

  /// Milliseconds, rounded up, and never so many that the stop sign is seen late.
  private var patience: Int32 {
    guard let next = timers.nextDeadline else { return 50 }
    return Int32(clamping: min(50, max(0, (next - clock.monotonicNow + .microseconds(999)).wholeMilliseconds)))
  }
}

/// Tells a loop of clients from another thread to end.
final class StopSign: Sendable {
  private let value = Atomic(false)

  var isSet: Bool { value.load(ordering: .relaxed) }

  func set() { value.store(true, ordering: .relaxed) }
}
