internal import Base

/// One thread's connections. A turn: wait, serve the connections that are ready, each with a bounded share, deliver the
/// letters, fire the timers. Nothing in here is shared with other threads but the mailbox, the counters and the quota.
final class EventLoop<Session: ByteSession> {
  enum Stage {
    case running
    /// No new connections; those that are idle go.
    case draining
    case ended
  }

  let configuration: NetworkConfiguration
  let makeSession: (Accepted) -> Session
  let mailbox: Mailbox<Session.Message>
  let counters: LoopCounters
  let quota: ConnectionQuota
  let clock = SystemClock()

  var poller: Poller
  /// Nil from the drain on.
  var listener: Listener?
  var connections = ConnectionTable<Session>()
  var timers = TimerQueue<LoopTimer>()
  var stage = Stage.running
  /// The time of this turn.
  var now: MonotonicInstant
  /// Where sessions write; empty between two calls, with its capacity kept.
  var output: SessionOutput
  /// Where every socket is read into.
  var readBuffer: [UInt8]
  private var letters: [Mailbox<Session.Message>.Letter] = []

  init(_ parts: consuming LoopParts<Session>, makeSession: @escaping (Accepted) -> Session) {
    configuration = parts.configuration
    mailbox = parts.mailbox
    counters = parts.counters
    quota = parts.quota
    poller = parts.poller
    listener = Optional(parts.listener)
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
      default: serve(token, events)
      }
    }
    if hasMail { readMail() }
    fireTimers()
  }

  /// Rounded up: woken a fraction too early, the loop would spin until the deadline.
  private var waitMilliseconds: Int32 {
    guard let deadline = timers.nextDeadline else { return -1 }
    let left = deadline - clock.monotonicNow
    return Int32(clamping: max(0, (left + .microseconds(999)).wholeMilliseconds))
  }

  private func readMail() {
    let control = mailbox.collect(into: &letters)
    for letter in letters {
      guard let connection = connections[letter.token], connection.isOpen else {
        counters.countDropped()
        continue
      }
      call(connection) { $0.deliver(letter.message, &$1) }
      advance(connection)
    }
    letters.removeAll(keepingCapacity: letters.count <= 1_024)
    switch control {
    case nil: break
    case .drain(let time): beginDrain(within: time)
    case .stop: stop()
    }
  }

  /// At most the timers that stood there before: an alarm that is set to the past waits for the next turn.
  private func fireTimers() {
    for _ in 0..<timers.count {
      guard let due = timers.popDue(now) else { return }
      switch due.payload {
      case .connection(let token): timerFired(token)
      case .resumeAccepting: resumeAccepting()
      case .drainDeadline: stop()
      }
    }
  }

  /// What the shared output buffer says is about this connection.
  func beginCall(_ connection: Connection<Session>) {
    output.unsentBefore = connection.output.count
    output.hasHadItsShare = false
  }

  /// One call of the session, with the shared output buffer.
  func call(_ connection: Connection<Session>, _ body: (inout Session, inout SessionOutput) -> Void) {
    beginCall(connection)
    body(&connection.session, &output)
    connection.noteWishes()
  }
}
