package import Base

/// The time limits of one connection: it gets the events and computes the next deadline. A value without clock or timer, so
/// that every rule can be tested, and simulated, in virtual time.
package struct ConnectionTimes: Sendable {
  /// A deadline and the limit that is exceeded when it passes.
  package struct Deadline: Hashable, Sendable {
    package let instant: MonotonicInstant
    package let limit: TimeLimit

    package init(instant: MonotonicInstant, limit: TimeLimit) {
      self.instant = instant
      self.limit = limit
    }
  }

  private var phase = ConnectionPhase.idle
  /// Moved forward by the time in which reading was paused for reasons other than the client.
  private var phaseStart: MonotonicInstant
  /// In addition to the grace, the time since the phase began that the bytes of a body have paid for.
  private var paidFor = Nanoseconds.zero
  private var pausedAt: MonotonicInstant?
  private var waitingSince: MonotonicInstant?
  private var lingeringSince: MonotonicInstant?

  package init(now: MonotonicInstant) { phaseStart = now }

  /// Enters a phase; entering the current one has no effect.
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

  /// Counts arrived bytes. Those that came in one read with the head do not count for the rate of a body. Many bytes at once
  /// pay for at most `bodyCredit` ahead: otherwise a client could stall for an hour afterwards.
  package mutating func received(_ count: Int, now: MonotonicInstant, under limits: TimeLimits) {
    guard case .body = phase else { return }
    let paid = paidFor + Nanoseconds(Int64(count) * 1_000_000_000 / limits.bodyBytesPerSecond)
    paidFor = max(paidFor, min(paid, (pausedAt ?? now) - phaseStart + limits.bodyCredit))
  }

  /// Called when the kernel accepted bytes. The idle time of a client counts from the last of them, even if a message was
  /// received and answered so fast that no other phase was seen.
  package mutating func sent(now: MonotonicInstant) {
    if waitingSince != nil { waitingSince = now }
    if phase == .idle { restart(now) }
  }

  /// Notes whether there is output that the kernel has no room for.
  package mutating func waits(toWrite: Bool, now: MonotonicInstant) {
    waitingSince = toWrite ? waitingSince ?? now : nil
  }

  /// We have stopped reading: the client is not responsible for the delay.
  package mutating func pausedReading(now: MonotonicInstant) {
    if pausedAt == nil { pausedAt = now }
  }

  package mutating func resumedReading(now: MonotonicInstant) {
    guard let since = pausedAt else { return }
    phaseStart = phaseStart + (now - since)
    pausedAt = nil
  }

  /// All output is sent and our side is closed; only the linger limit applies.
  package mutating func startedLingering(now: MonotonicInstant) {
    if lingeringSince == nil { lingeringSince = now }
  }

  /// Returns the next deadline; nil while only we can continue.
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

/// The state of a connection with respect to the time limits. `message` counts the messages of the connection, to tell a head
/// from another that follows at once.
package enum ConnectionPhase: Hashable, Sendable {
  /// No message is pending in either direction.
  case idle
  /// The head of a message has begun to arrive.
  case head(message: UInt32)
  /// The body of a message is arriving.
  case body(message: UInt32)
  /// The client waits for us: an answer is pending, or a stream is being sent. Only a stalled write can time out.
  case answering
}

/// The limit that a connection exceeded when it is closed for being slow.
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
  /// From the end of an answer, or the connect, to the first byte of the next message.
  package var idle = Nanoseconds.seconds(60)
  /// For a complete head, from its first byte.
  package var head = Nanoseconds.seconds(10)
  /// For a complete body of any length: the time of 8 MiB at 10 kB/s, a phone at the edge of its cell. Slower senders exceed
  /// the two limits below long before.
  package var body = Nanoseconds.seconds(900)
  /// The time after which a body must have sustained `bodyBytesPerSecond` on average.
  package var bodyGrace = Nanoseconds.seconds(10)
  package var bodyBytesPerSecond: Int64 = 1_024
  /// The time for which bytes of a body can pay in advance.
  package var bodyCredit = Nanoseconds.seconds(30)
  /// Without the kernel accepting a single byte of our output.
  package var write = Nanoseconds.seconds(30)
  /// For the client to close after our last byte (RFC 9112 §9.6).
  package var linger = Nanoseconds.seconds(5)

  /// For a complete TLS handshake, from the connect.
  package var handshake = Nanoseconds.seconds(10)

  package init() {}
}
