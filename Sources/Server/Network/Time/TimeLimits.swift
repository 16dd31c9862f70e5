package import Base

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
  /// Without the kernel taking a single byte of what we have to send.
  package var write = Nanoseconds.seconds(30)
  /// For the client to close after our last byte (RFC 9112 §9.6).
  package var linger = Nanoseconds.seconds(5)

  package init() {}
}
