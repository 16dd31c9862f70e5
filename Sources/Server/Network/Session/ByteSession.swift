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
}
