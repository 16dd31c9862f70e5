package import Base

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
