package import Base
internal import Synchronization
internal import Threads

/// The event loops of a server: started together on one address, drained or stopped together.
package final class LoopGroup<Session: ByteSession>: Sendable {
  /// The address that clients connect to, with the real port even if the kernel chose it.
  package let address: SocketAddress
  /// The address for TLS.
  package let secureAddress: SocketAddress?
  /// The maximum number of open connections.
  package let connectionsMax: Int
  let finish: Finish
  let loops: [RunningLoop<Session>]

  /// Listens, and starts the threads. `makeFactory` is called once on each loop's thread, with the number and the mailbox of
  /// the loop; the factory that it returns makes the session of every connection there and need not be safe to share.
  package convenience init(
    _ configuration: NetworkConfiguration, on listen: ListenAddress,
    makeFactory: @escaping @Sendable (Int, Mailbox<Session.Message>) -> (Accepted) -> Session
  ) throws(NetworkError) {
    try self.init(configuration, on: listen) { number, mailbox, _ in makeFactory(number, mailbox) }
  }

  /// Like the above, for sessions that call each other and other servers through their loop.
  package init(
    _ configuration: NetworkConfiguration, on listen: ListenAddress,
    makeFactory: @escaping @Sendable (Int, Mailbox<Session.Message>, LoopPeers<Session>) -> (Accepted) -> Session
  ) throws(NetworkError) {
    let listeners = try Listener.share(listen, count: configuration.loops, backlog: configuration.backlog)
    let secure = try configuration.secure.map { (secure) throws(NetworkError) in
      try Listener.share(secure.address, count: configuration.loops, backlog: configuration.backlog)
    }
    var loops: [RunningLoop<Session>] = []
    do {
      let descriptors = try Syscalls.raiseDescriptorLimit() - configuration.descriptorReserve
      connectionsMax = max(1, min(configuration.connectionsMax, descriptors))
      finish = try Finish(count: listeners.count)
      let quota = ConnectionQuota(connectionsMax)
      for (number, listener) in listeners.enumerated() {
        let parts = try LoopParts<Session>(
          configuration, counters: LoopCounters(), quota: quota, listener: listener.take(),
          secureListener: secure.map { $0[number].take() })
        loops.append(try RunningLoop(parts, number: number, finish: finish, makeFactory: makeFactory))
      }
    } catch {
      for loop in loops { loop.mailbox.tell(.stop) }
      for loop in loops { loop.join() }
      throw .system(error)
    }
    self.loops = loops
    address = loops[0].address
    secureAddress = loops[0].secureAddress
  }

  deinit {
    stop()
    wait()
  }

  /// One mailbox per loop, in the order of their numbers.
  package var mailboxes: [Mailbox<Session.Message>] { loops.map(\.mailbox) }
  package var figures: [LoopFigures] { loops.map(\.counters.figures) }
}

extension LoopGroup {
  /// How a run ended.
  package enum Outcome: Hashable, Sendable {
    /// Every connection was completed within the time of the drain.
    case drained
    /// A second signal came, or the time of the drain was over: connections were cut.
    case stopped
  }

  /// Stops accepting, closes idle connections and lets the others finish; those left after `time` are cut. Returns at once.
  package func drain(within time: Nanoseconds) {
    for mailbox in mailboxes { mailbox.tell(.drain(within: time)) }
  }

  /// Cuts every connection. Returns at once.
  package func stop() {
    for mailbox in mailboxes { mailbox.tell(.stop) }
  }

  /// Waits until every loop has ended. No session is called afterwards.
  package func wait() {
    for loop in loops { loop.join() }
  }

  /// Serves until a signal arrives, then drains; a second signal stops at once. Returns when every loop has ended.
  package func run(until signals: SignalWatcher, drainWithin time: Nanoseconds) -> Outcome {
    var count = 0
    while true {
      let ready = Syscalls.waitReadable(signals.descriptor.number, finish.event.number)
      if ready.second { break }
      while signals.next() != nil {
        count += 1
        if count == 1 { drain(within: time) } else { stop() }
      }
    }
    wait()
    return figures.contains { $0.closed(.stopped) > 0 } ? .stopped : .drained
  }
}

/// An event loop on its thread, as other threads use it.
final class RunningLoop<Session: ByteSession>: Sendable {
  let mailbox: Mailbox<Session.Message>
  let counters: LoopCounters
  let address: SocketAddress
  let secureAddress: SocketAddress?
  /// The thread; nil after it was joined.
  private let thread: Mutex<NamedThread?>

  init(
    _ parts: consuming LoopParts<Session>, number: Int, finish: Finish,
    makeFactory: @escaping @Sendable (Int, Mailbox<Session.Message>, LoopPeers<Session>) -> (Accepted) -> Session
  ) throws(SystemError) {
    let mailbox = parts.mailbox
    self.mailbox = mailbox
    counters = parts.counters
    address = parts.listener.address
    secureAddress =
      switch parts.secureListener {
      case .some(let listener): listener.address
      case .none: nil
      }
    let handover = Handover(parts)
    do throws(NamedThread.Exhaustion) {
      thread = Mutex(
        try NamedThread(name: "loop-\(number)") {
          let peers = LoopPeers<Session>()
          EventLoop(handover.take(), peers: peers, makeSession: makeFactory(number, mailbox, peers)).run()
          finish.loopEnded()
        })
    } catch {
      throw SystemError(call: "pthread_create", code: error.code)
    }
  }

  /// Waits for the end of the thread; a second call waits for the first.
  func join() {
    thread.withLock { thread in
      thread?.join()
      thread = nil
    }
  }
}

/// The number of connections that all loops together may still open.
final class ConnectionQuota: Sendable {
  private let left: Atomic<Int>

  init(_ count: Int) { left = Atomic(count) }

  func take() -> Bool {
    if left.subtract(1, ordering: .relaxed).newValue >= 0 { return true }
    giveBack()
    return false
  }

  func giveBack() { left.add(1, ordering: .relaxed) }
}
