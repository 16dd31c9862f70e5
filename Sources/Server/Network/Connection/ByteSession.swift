package import Base

/// The protocol of one connection: bytes in, bytes out, no socket. Every method is called by the connection's own loop and
/// returns quickly; work for other threads carries the connection's token and comes back through `deliver`.
package protocol ByteSession: SendableMetatype {
  /// Messages from other threads to a session.
  associatedtype Message: Sendable

  var wishes: SessionWishes { get }

  /// Consumes input and returns the number of bytes consumed; the rest is passed again, followed by new input. Called only
  /// while `wantsInput` is true. The session consumes as much as it can while `output` is not full and its share of the turn is
  /// not used up: what it leaves for any other reason is incomplete, and is passed again only with more input.
  mutating func receive(_ input: Span<UInt8>, _ output: inout SessionOutput) -> Int
  /// Called when the client has ended its output, and all its input was passed. It may still wait for answers. The connection
  /// closes by itself when the phase is not `answering` and all output is sent.
  mutating func inputEnded(_ output: inout SessionOutput)
  mutating func deliver(_ message: Message, _ output: inout SessionOutput)
  /// Called when there is room for more output (`hasMoreOutput`); 64 KiB at a time is a good size.
  mutating func produce(_ output: inout SessionOutput)
  mutating func alarmFired(_ output: inout SessionOutput)
  /// Called when the client was too slow; the session may write a last answer, then the connection ends. Not called for `write`
  /// and `linger`, when no answer is possible any more.
  mutating func timedOut(_ limit: TimeLimit, _ output: inout SessionOutput)
  /// Called when the server is about to stop: pending answers are the last ones.
  mutating func drain(_ output: inout SessionOutput)
  /// Called when the connection is closed; no call follows.
  mutating func closed(_ reason: CloseReason, now: MonotonicInstant)

  /// Called when the connection that the loop opened for this session is established. Before that no input comes; the session
  /// may be nudged, asked to drain, or time out.
  mutating func connected(_ output: inout SessionOutput)
  /// Called when the connection could not be established; `closed` follows.
  mutating func connectFailed(_ error: SystemError)
  /// Called when another session of the loop has requested it; see `LoopPeers`.
  mutating func nudged(_ output: inout SessionOutput)
}

/// Defaults for sessions that open no connections and have no peers.
extension ByteSession {
  package mutating func connected(_ output: inout SessionOutput) {}
  package mutating func connectFailed(_ error: SystemError) {}
  package mutating func nudged(_ output: inout SessionOutput) {}
}

/// The context of a session's call: the time, and the buffer for its output.
package struct SessionOutput: Sendable {
  package internal(set) var now: MonotonicInstant
  /// Bytes of earlier calls that the kernel has not accepted yet.
  package internal(set) var unsentBefore = 0
  /// The output; append to it.
  package var bytes: [UInt8] = []
  /// Set by a `receive` that has used up its share and leaves the rest of its input for the next turn.
  package var hasUsedItsShare = false

  /// The socket of the connection, if there is one.
  var socket: Int32?

  private let unsentMax: Int

  package init(now: MonotonicInstant, unsentMax: Int) {
    self.now = now
    self.unsentMax = unsentMax
  }

  /// Whether the client has already ended its output. Asks the kernel, because input is not read while an answer is pending.
  package var hasClientEnded: Bool { socket.map(Syscalls.hasPeerEnded) ?? false }

  /// Client bytes that have arrived but were passed to no session yet: input is not read while an answer is pending. With TLS,
  /// the bytes in the kernel, which are more.
  package var unreadCount: Int { socket.map(Syscalls.unreadCount) ?? 0 }

  /// Output that the client has not accepted yet; a session that can drop or delay data (a live stream) checks it first.
  package var unsent: Int { unsentBefore + bytes.count }

  /// Whether `receive` should consume no further message, whose answer would have to be kept in memory. The rest is passed
  /// again when the client has read.
  package var isFull: Bool { unsent > unsentMax }
}

/// A session's requests to its connection; read after every call.
package struct SessionWishes: Sendable {
  /// How the connection ends.
  package enum Ending: Hashable, Sendable {
    /// It stays open.
    case open
    /// After all output is sent: our side is shut down, and the client has some time to read and close (RFC 9112 §9.6).
    case afterOutput
    /// At once; unsent output is lost.
    case atOnce
    /// At once and with an RST.
    case reset
  }

  package var phase = ConnectionPhase.idle
  /// Whether input is passed to the session. While it is false, pipelined input stays with the connection and, above a limit,
  /// with the client.
  package var wantsInput = true
  /// Whether `produce` has more output as soon as there is room.
  package var hasMoreOutput = false
  package var ending = Ending.open
  /// When to call `alarmFired`, which must then postpone it or set it to nil.
  package var alarm: MonotonicInstant?

  package init() {}
}

/// Why a connection ended; every connection is counted under exactly one reason.
package enum CloseReason: Int, Hashable, Sendable, CaseIterable {
  /// The client closed while no answer was pending and no message had begun.
  case clientClosed
  /// The client ended its output in the middle of a message.
  case clientGone
  /// The client reset the connection, or was gone when we wrote.
  case reset
  /// The network gave up (ETIMEDOUT, EHOSTUNREACH …).
  case lost
  /// The session had ended and the client got all its output.
  case finished
  /// The session cut the connection without further output.
  case aborted
  case idleTimeout
  case headTimeout
  case bodyTimeout
  case bodyTooSlow
  case writeTimeout
  /// The client kept sending after our last byte until the linger limits; it may have missed the answer.
  case lingerTimeout
  /// The session requested more input at once than the limit.
  case inputOverflow
  /// It was idle when the drain began, or finished during it.
  case drained
  /// It was cut by a stop, or by the end of the drain.
  case stopped
  /// The TLS handshake failed; `HandshakeFailure` tells why.
  case handshakeFailed
  /// Invalid TLS data arrived after the handshake.
  case tlsInvalid
  /// Our connection to another server could not be established.
  case connectFailed

  /// Whether the client is notified that no more data follows.
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
