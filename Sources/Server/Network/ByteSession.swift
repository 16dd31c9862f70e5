package import Base

/// One connection's protocol: bytes in, bytes out, no socket. Every method is called by the connection's own loop and
/// ends quickly; work for other threads leaves with the connection's token and comes back through `deliver`.
package protocol ByteSession: SendableMetatype {
  /// What other threads send to a session.
  associatedtype Message: Sendable

  var wishes: SessionWishes { get }

  /// Looks at all input that was not taken yet and says how much of it is taken; the rest is shown again, with what
  /// follows it. Called only while `wantsInput` is true. It takes as much as it can while `output` is not full and it has not
  /// had its share: what it leaves of its own will is incomplete, and is shown again only with more.
  mutating func receive(_ input: Span<UInt8>, _ output: inout SessionOutput) -> Int
  /// The client has ended its output, and everything before that was shown. It may still wait for answers. The
  /// connection closes by itself as soon as the phase is not `answering` and all output is sent.
  mutating func inputEnded(_ output: inout SessionOutput)
  mutating func deliver(_ message: Message, _ output: inout SessionOutput)
  /// There is room for more output (`hasMoreOutput`); 64 KiB at a time are a good piece.
  mutating func produce(_ output: inout SessionOutput)
  mutating func alarmRang(_ output: inout SessionOutput)
  /// The client was too slow; a last answer may be written, then the connection ends. Not called for `write` and
  /// `linger`, when nothing can be said any more.
  mutating func timedOut(_ limit: TimeLimit, _ output: inout SessionOutput)
  /// The server is about to stop: the answers that are owed are the last ones.
  mutating func drain(_ output: inout SessionOutput)
  /// The connection is gone; the last call.
  mutating func closed(_ reason: CloseReason, now: MonotonicInstant)

  /// The connection that the loop opened for this session is established. Until then only `alarmRang` is called.
  mutating func connected(_ output: inout SessionOutput)
  /// It does not; `closed` follows.
  mutating func connectFailed(_ error: SystemError)
  /// Another session of the loop has called for this one; see `LoopPeers`.
  mutating func nudged(_ output: inout SessionOutput)
}

/// Most sessions are alone.
extension ByteSession {
  package mutating func connected(_ output: inout SessionOutput) {}
  package mutating func connectFailed(_ error: SystemError) {}
  package mutating func nudged(_ output: inout SessionOutput) {}
}

/// What a session may use during a call: the time, and where its output goes.
package struct SessionOutput: Sendable {
  package internal(set) var now: MonotonicInstant
  /// Bytes of earlier calls that the kernel has not taken yet.
  package internal(set) var unsentBefore = 0
  /// To be appended to.
  package var bytes: [UInt8] = []
  /// Set by a `receive` that has worked long enough and leaves the rest of its input for the next turn.
  package var hasHadItsShare = false

  /// The socket of the connection, where there is one.
  var socket: Int32?

  private let unsentMax: Int

  package init(now: MonotonicInstant, unsentMax: Int) {
    self.now = now
    self.unsentMax = unsentMax
  }

  /// The client has ended its output already. Asks the kernel: while an answer is owed, input is not read.
  package var hasClientEnded: Bool { socket.map(Syscalls.hasPeerEnded) ?? false }

  /// Bytes from the client that have arrived and were shown to no session yet: while an answer is owed, input is not read. Of TLS, as
  /// many as the kernel has, which are more.
  package var unreadCount: Int { socket.map(Syscalls.unreadCount) ?? 0 }

  /// What this client has not been able to take; a session that can drop or wait (a live stream) looks at it first.
  package var unsent: Int { unsentBefore + bytes.count }

  /// Enough for now: `receive` takes no further message, whose answer would have to be kept in memory. What it leaves is
  /// shown again when the client has read.
  package var isFull: Bool { unsent > unsentMax }
}

/// What a session wants from its connection; read after every call.
package struct SessionWishes: Sendable {
  /// How the connection ends.
  package enum Ending: Hashable, Sendable {
    /// It does not.
    case open
    /// After all output is sent: our side is shut down, and the client has a while to read and close (RFC 9112 §9.6).
    case afterOutput
    /// At once; what is not sent is lost.
    case atOnce
    /// At once and with an RST.
    case reset
  }

  package var phase = ConnectionPhase.idle
  /// False while pipelined input has to wait; it stays with the connection and, above a limit, with the client.
  package var wantsInput = true
  /// `produce` has more to say as soon as there is room.
  package var hasMoreOutput = false
  package var ending = Ending.open
  /// When `alarmRang` is to be called; put it off or set it to nil when it does.
  package var alarm: MonotonicInstant?

  package init() {}
}

/// Why a connection ended; every connection is counted under exactly one.
package enum CloseReason: Int, Hashable, Sendable, CaseIterable {
  /// The client closed with nothing owed to it and nothing begun.
  case clientClosed
  /// The client ended its output in the middle of a message.
  case clientGone
  /// The client reset the connection, or it was gone when we wrote.
  case reset
  /// The network gave up (ETIMEDOUT, EHOSTUNREACH …).
  case lost
  /// The session had said its last word and the client got it.
  case finished
  /// The session cut the connection without saying more.
  case aborted
  case idleTimeout
  case headTimeout
  case bodyTimeout
  case bodyTooSlow
  case writeTimeout
  /// The client went on after our last byte until the linger limits; it may have missed the answer.
  case lingerTimeout
  /// The session wanted more than the input limit at once.
  case inputOverflow
  /// Idle when the drain began, or done in the course of it.
  case drained
  /// Cut by a stop, or by the end of the drain's time.
  case stopped
  /// The TLS handshake came to nothing; `HandshakeFailure` says why.
  case handshakeFailed
  /// After the handshake something came that is no TLS.
  case tlsInvalid
  /// One of ours to another server, which was not to be had.
  case connectFailed

  /// The client is told that nothing more comes.
  var isOrderly: Bool {
    switch self {
    case .clientClosed, .clientGone, .finished, .idleTimeout, .drained: true
    default: false
    }
  }

  init(_ limit: TimeLimit) {
    switch limit {
    case .idle: self = .idleTimeout
    case .head: self = .headTimeout
    case .body: self = .bodyTimeout
    case .bodyRate: self = .bodyTooSlow
    case .write: self = .writeTimeout
    case .linger: self = .lingerTimeout
    }
  }
}
