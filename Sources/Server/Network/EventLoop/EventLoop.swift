internal import Base
internal import Synchronization

/// The connections of one thread. In each turn it waits, serves the ready connections, each with a bounded share, delivers
/// messages, makes handshakes for a bounded time, and fires timers. Only the mailbox, the counters and the quota are shared
/// with other threads.
final class EventLoop<Session: ByteSession> {
  enum Stage {
    case running
    /// No new connections are accepted; idle ones are closed.
    case draining
    case ended
  }

  let configuration: NetworkConfiguration
  let makeSession: (Accepted) -> Session
  let mailbox: Mailbox<Session.Message>
  let counters: LoopCounters
  let quota: ConnectionQuota
  let peers: LoopPeers<Session>
  let clock = SystemClock()

  var poller: Poller
  /// The listener; nil from the beginning of a drain.
  var listener: Listener?
  var secureListener: Listener?
  var connections = ConnectionTable<Session>()
  var handshakes = HandshakeTable()
  /// Whether a timer is set for the oldest handshake.
  var isWatchingHandshakes = false
  var timers = TimerQueue<LoopTimer>()
  var stage = Stage.running
  /// The time of this turn.
  var now: MonotonicInstant
  /// The output buffer of sessions; empty between calls, with its capacity kept.
  var output: SessionOutput
  /// The buffer for reading every socket.
  var readBuffer: [UInt8]
  private var messages: [Mailbox<Session.Message>.AddressedMessage] = []
  /// The number of turns in a row that had as many events as fit.
  private var fullTurns = 0

  init(
    _ parts: consuming LoopParts<Session>, peers: LoopPeers<Session>, makeSession: @escaping (Accepted) -> Session
  ) {
    self.peers = peers
    configuration = parts.configuration
    mailbox = parts.mailbox
    counters = parts.counters
    quota = parts.quota
    poller = parts.poller
    listener = Optional(parts.listener)
    secureListener = parts.secureListener
    self.makeSession = makeSession
    now = clock.monotonicNow
    output = SessionOutput(now: now, unsentMax: configuration.unsentMax)
    readBuffer = [UInt8](repeating: 0, count: configuration.inputMax)
  }

  /// Returns when everything is closed after a drain or a stop.
  func run() {
    while !hasEnded { turn() }
    mailbox.close()
  }

  private var hasEnded: Bool {
    switch stage {
    case .running: false
    case .draining: connections.count == 0
    case .ended: true
    }
  }

  private func turn() {
    let count = poller.wait(timeoutMilliseconds: waitMilliseconds)
    now = clock.monotonicNow
    output.now = now
    var hasMail = false
    for index in 0..<count {
      let (token, events) = poller[index]
      switch token {
      case .mailbox: hasMail = true
      case .listener: acceptSome()
      case .secureListener: acceptSomeSecure()
      default:
        if let number = token.handshake { noteHandshake(number) } else { serve(token, events) }
        settle()
      }
    }
    if hasMail { readMail() }
    makeHandshakes()
    if hasSeenAll(count) { fireTimers() }
    settle()
  }

  /// Reports whether the input of all connections has been seen since timers last fired: behind a pause of the machine they are overdue,
  /// and the input is not. A loop that is never done with its input does not wait for that.
  private func hasSeenAll(_ count: Int) -> Bool {
    fullTurns = count < Poller.eventsMax ? 0 : fullTurns + 1
    guard fullTurns > connections.count / Poller.eventsMax else { return fullTurns == 0 }
    fullTurns = 0
    return true
  }

  /// Rounded up: woken a fraction too early, the loop would spin until the deadline.
  private var waitMilliseconds: Int32 {
    if handshakes.hasReported { return 0 }
    guard let deadline = timers.nextDeadline else { return -1 }
    let left = deadline - clock.monotonicNow
    return Int32(clamping: max(0, (left + .microseconds(999)).wholeMilliseconds))
  }

  private func readMail() {
    let control = mailbox.collect(into: &messages)
    for addressed in messages {
      guard let connection = connections[addressed.token], connection.isOpen else {
        peers.missed(addressed.token, addressed.message)
        continue
      }
      call(connection) { $0.deliver(addressed.message, &$1) }
      advance(connection)
    }
    messages.removeAll(keepingCapacity: messages.count <= 1_024)
    switch control {
    case nil: break
    case .drain(let time): beginDrain(within: time)
    case .stop: stop()
    }
  }

  /// Fires at most the timers that existed before: an alarm set to the past waits for the next turn.
  private func fireTimers() {
    for _ in 0..<timers.count {
      guard let due = timers.popDue(now) else { return }
      switch due.payload {
      case .connection(let token): timerFired(token)
      case .handshakes: expireHandshakes()
      case .heldHandshake(let number): releaseHandshake(number)
      case .resumeAccepting: resumeAccepting()
      case .drainDeadline: stop()
      }
    }
  }

  /// Prepares the shared output buffer for this connection.
  func beginCall(_ connection: ClientConnection<Session>) {
    (output.unsentBefore, output.socket) = (connection.output.count, connection.socket.number)
    output.hasUsedItsShare = false
  }

  /// Calls the session once with the shared output buffer.
  func call(_ connection: ClientConnection<Session>, _ body: (inout Session, inout SessionOutput) -> Void) {
    beginCall(connection)
    body(&connection.session, &output)
    connection.noteWishes()
  }
}

/// The parts of a loop: collected on the thread that starts it, where a failure can still be reported, and handed over.
struct LoopParts<Session: ByteSession>: ~Copyable, Sendable {
  let configuration: NetworkConfiguration
  let mailbox: Mailbox<Session.Message>
  let counters: LoopCounters
  let quota: ConnectionQuota
  let poller: Poller
  let listener: Listener
  let secureListener: Listener?

  init(
    _ configuration: NetworkConfiguration, counters: LoopCounters, quota: ConnectionQuota, listener: consuming Listener,
    secureListener: consuming Listener?
  ) throws(SystemError) {
    let mailbox = try Mailbox<Session.Message>()
    let poller = try Poller()
    try poller.add(mailbox.wakeUp, Poller.readable, token: .mailbox)
    try poller.add(listener.socket.number, Poller.readable, token: .listener)
    if let number = secureListener?.socket.number {
      try poller.add(number, Poller.readable, token: .secureListener)
    }
    self.configuration = configuration
    self.mailbox = mailbox
    self.counters = counters
    self.quota = quota
    self.poller = poller
    self.listener = listener
    self.secureListener = secureListener
  }
}

/// The purpose of a loop's timer.
enum LoopTimer: Sendable {
  case connection(ConnectionToken)
  /// The oldest handshake may have timed out.
  case handshakes
  /// A fault delays a handshake until now.
  case heldHandshake(UInt32)
  case resumeAccepting
  case drainDeadline
}

/// The events and deadlines that a connection waits for.
extension EventLoop {
  /// Updates the time limits, the epoll interest and the timer of a connection from its session.
  func rearm(_ connection: ClientConnection<Session>) {
    let wishes = connection.wishes
    if connection.isOpen {
      connection.times.entered(wishes.phase, now: now)
      if connection.output.count > configuration.unsentMax {
        connection.times.pausedReading(now: now)
      } else {
        connection.times.resumedReading(now: now)
      }
    } else {
      connection.times.entered(.answering, now: now)
    }
    // An unneeded read interest costs nothing until bytes arrive, and usually it is needed again before that.
    let wanted = wanted(connection)
    let surplus = connection.interest & ~wanted & Poller.writable
    if wanted & ~connection.interest != 0 || surplus != 0 { watch(connection, wanted) }
    // The kernel may have accepted the last byte of one piece and still have no room for the next.
    connection.times.waits(toWrite: wanted & Poller.writable != 0, now: now)
    setTimer(connection)
  }

  func wanted(_ connection: ClientConnection<Session>) -> UInt32 {
    let wishes = connection.wishes
    let hasMore = connection.isOpen && (wishes.hasMoreOutput || connection.isInterrupted)
    // A writable socket is reported again in the next turn, even without new input.
    let hasUnread = connection.hasUnread && reads(connection)
    let writes = !connection.output.isEmpty || hasMore || hasUnread || connection.isConnecting
    return (reads(connection) ? Poller.readable : 0) | (writes ? Poller.writable : 0)
  }

  func watch(_ connection: ClientConnection<Session>, _ events: UInt32) {
    guard events != connection.interest else { return }
    poller.modify(connection.socket.number, events, token: connection.token)
    connection.interest = events
  }

  /// A deadline moves with every message, its timer only when it would fire too late: a timer that fires early checks the
  /// deadline again. So a busy connection costs one timer per minute.
  private func setTimer(_ connection: ClientConnection<Session>) {
    guard let due = due(connection) else { return }
    if let timer = connection.timer {
      guard due < timer.instant else { return }
      timers.reschedule(timer.token, at: due)
      connection.timer = (timer.token, due)
    } else {
      connection.timer = (timers.schedule(at: due, .connection(connection.token)), due)
    }
  }

  private func due(_ connection: ClientConnection<Session>) -> MonotonicInstant? {
    let deadline = connection.times.deadline(under: configuration.times)?.instant
    guard connection.isOpen, let alarm = connection.wishes.alarm else { return deadline }
    return deadline.map { min($0, alarm) } ?? alarm
  }

  func timerFired(_ token: ConnectionToken) {
    guard let connection = connections[token] else { preconditionFailure("a closed connection has no timer") }
    connection.timer = nil
    if let deadline = connection.times.deadline(under: configuration.times), deadline.instant <= now {
      timedOut(connection, deadline.limit)
    } else if connection.isOpen, let alarm = connection.wishes.alarm, alarm <= now {
      call(connection) { $0.alarmFired(&$1) }
      advance(connection)
    } else {
      setTimer(connection)
    }
  }

  private func timedOut(_ connection: ClientConnection<Session>, _ limit: TimeLimit) {
    switch (limit, connection.stage) {
    case (.idle, _), (.head, _), (.body, _), (.bodyRate, _):
      call(connection) { $0.timedOut(limit, &$1) }
      let saysNothing = output.bytes.isEmpty && connection.output.isEmpty
      guard flush(connection) else { return }
      if saysNothing { close(connection, CloseReason(limit)) } else { finish(connection, CloseReason(limit)) }
    case (.write, _):
      // Without the reset the kernel would keep the bytes in its memory and retransmit them.
      Syscalls.resetOnClose(connection.socket.number)
      close(connection, .writeTimeout)
    case (.linger, .lingering(let reason, _)): close(connection, reason == .finished ? .lingerTimeout : reason)
    case (.linger, _): preconditionFailure("only a lingering connection runs out of that time")
    }
  }
}

/// The end of the loop: after a drain, or at once.
extension EventLoop {
  /// Stops accepting, lets the sessions complete the requests that have arrived, and ends when the last connection is closed.
  func beginDrain(within time: Nanoseconds) {
    guard case .running = stage else { return }
    // A client in the backlog is already connected, and its request may have arrived: closing would reset it. A TLS client
    // there has not made its handshake, and so has sent no request.
    for _ in 0...Int(configuration.backlog) / configuration.acceptBurst {
      guard acceptSome() else { break }
    }
    listener = nil
    secureListener = nil
    endHandshakes(.drained)
    for connection in connections.all where connection.isOpen {
      call(connection) { $0.drain(&$1) }
      advance(connection)
    }
    // The data in the sockets was sent to an accepting server: each is read once more before idle connections are closed.
    for connection in connections.all where connections[connection.token] != nil && reads(connection) {
      read(connection)
    }
    stage = .draining
    for connection in connections.all where connections[connection.token] != nil { advance(connection) }
    timers.schedule(at: now + time, .drainDeadline)
  }

  func stop() {
    listener = nil
    secureListener = nil
    endHandshakes(.stopped)
    for connection in connections.all { close(connection, .stopped) }
    stage = .ended
  }
}

/// Signals, through a descriptor, that the last loop has ended.
final class Finish: Sendable {
  let event: FileDescriptor
  private let running: Atomic<Int>

  init(count: Int) throws(SystemError) {
    event = try Syscalls.eventCounter()
    running = Atomic(count)
  }

  func loopEnded() {
    if running.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { Syscalls.signal(event) }
  }
}
