package import Base

/// The clocks of one connection: told what happens, it says until when the connection may go on as it is. A value without
/// clock or timer, so that every rule can be tested, and simulated, in virtual time.
package struct ConnectionTimes: Sendable {
  /// A deadline and the rule that is broken when it passes.
  package struct Deadline: Hashable, Sendable {
    package let instant: MonotonicInstant
    package let limit: TimeLimit

    package init(instant: MonotonicInstant, limit: TimeLimit) {
      self.instant = instant
      self.limit = limit
    }
  }

  private var phase = ConnectionPhase.idle
  /// Moved forward by the time in which reading was stopped for reasons that are not the client's.
  private var phaseStart: MonotonicInstant
  /// Beside the grace, the time since the phase began that the bytes of a body have paid for.
  private var paidFor = Nanoseconds.zero
  private var pausedAt: MonotonicInstant?
  private var waitingSince: MonotonicInstant?
  private var lingeringSince: MonotonicInstant?

  package init(now: MonotonicInstant) { phaseStart = now }

  /// The session is in this phase now; saying it again changes nothing.
  package mutating func entered(_ phase: ConnectionPhase, now: MonotonicInstant) {
    guard phase != self.phase else { return }
    self.phase = phase
    paidFor = .zero
    restart(now)
  }

  private mutating func restart(_ now: MonotonicInstant) {
    phaseStart = now
    if pausedAt != nil { pausedAt = now }
  }

  /// Bytes arrived. Those that came in one piece with the head are not counted for the rate of a body. Many at once pay for
  /// no more than `bodyCredit` to come: behind them a client could stall for an hour.
  package mutating func received(_ count: Int, now: MonotonicInstant, under limits: TimeLimits) {
    guard case .body = phase else { return }
    let paid = paidFor + Nanoseconds(Int64(count) * 1_000_000_000 / limits.bodyBytesPerSecond)
    paidFor = max(paidFor, min(paid, (pausedAt ?? now) - phaseStart + limits.bodyCredit))
  }

  /// The kernel took bytes. An idle client has its time from the last of them, also when a message came and was answered
  /// so fast that no other phase was ever seen.
  package mutating func sent(now: MonotonicInstant) {
    if waitingSince != nil { waitingSince = now }
    if phase == .idle { restart(now) }
  }

  /// Whether something is to be sent that the kernel has no room for.
  package mutating func waits(toWrite: Bool, now: MonotonicInstant) {
    waitingSince = toWrite ? waitingSince ?? now : nil
  }

  /// We do not read: what the client cannot send is not its fault.
  package mutating func pausedReading(now: MonotonicInstant) {
    if pausedAt == nil { pausedAt = now }
  }

  package mutating func resumedReading(now: MonotonicInstant) {
    guard let since = pausedAt else { return }
    phaseStart = phaseStart + (now - since)
    pausedAt = nil
  }

  /// Everything is sent and our side is closed; only the linger limit is left.
  package mutating func startedLingering(now: MonotonicInstant) {
    if lingeringSince == nil { lingeringSince = now }
  }

  /// The first deadline to come; nil while only we can go on.
  package func deadline(under limits: TimeLimits) -> Deadline? {
    if let lingeringSince { return Deadline(instant: lingeringSince + limits.linger, limit: .linger) }
    let reading = readDeadline(under: limits)
    guard let waitingSince else { return reading }
    let writing = Deadline(instant: waitingSince + limits.write, limit: .write)
    guard let reading, reading.instant < writing.instant else { return writing }
    return reading
  }

  private func readDeadline(under limits: TimeLimits) -> Deadline? {
    guard pausedAt == nil else { return nil }
    switch phase {
    case .answering: return nil
    case .idle: return waitingSince == nil ? Deadline(instant: phaseStart + limits.idle, limit: .idle) : nil
    case .head: return Deadline(instant: phaseStart + limits.head, limit: .head)
    case .body:
      let total = Deadline(instant: phaseStart + limits.body, limit: .body)
      let rate = Deadline(instant: phaseStart + limits.bodyGrace + paidFor, limit: .bodyRate)
      return rate.instant < total.instant ? rate : total
    }
  }
}

/// What a connection waits for, as far as the time limits care. `message` counts the messages of the connection, so that
/// a head that follows another head at once is seen to be a new one.
package enum ConnectionPhase: Hashable, Sendable {
  /// Nothing is owed in either direction.
  case idle
  /// The head of a message has begun to arrive.
  case head(message: UInt32)
  /// The body of a message is arriving.
  case body(message: UInt32)
  /// The client waits for us: an answer is owed, or a stream is being sent. Only a stalled write can time out.
  case answering
}

/// The rule that a connection has broken when it is closed for being slow.
package enum TimeLimit: Hashable, Sendable, CaseIterable {
  case idle
  case head
  case body
  case bodyRate
  case write
  case linger
}

/// How long a client may take.
package struct TimeLimits: Hashable, Sendable {
  /// Between the end of an answer, or the connect, and the first byte of the next message.
  package var idle = Nanoseconds.seconds(60)
  /// For a whole head, from its first byte.
  package var head = Nanoseconds.seconds(10)
  /// For a whole body, however long: the time that 8 MiB take at 10 kB/s, a phone at the edge of its cell. Slow senders
  /// end by the two rules below, long before.
  package var body = Nanoseconds.seconds(900)
  /// After this time a body must have kept up `bodyBytesPerSecond` on average.
  package var bodyGrace = Nanoseconds.seconds(10)
  package var bodyBytesPerSecond: Int64 = 1_024
  /// How long ahead bytes of a body may pay.
  package var bodyCredit = Nanoseconds.seconds(30)
  /// Without the kernel taking a single byte of what we have to send.
  package var write = Nanoseconds.seconds(30)
  /// For the client to close after our last byte (RFC 9112 §9.6).
  package var linger = Nanoseconds.seconds(5)

  /// For a whole TLS handshake, from the connect.
  package var handshake = Nanoseconds.seconds(10)

  package init() {}
}
