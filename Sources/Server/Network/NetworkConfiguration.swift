package import Base

/// Every limit of the module, with its default.
package struct NetworkConfiguration: Sendable {
  /// The number of event loops, each a thread with its own listener on the same port.
  package var loops = 1
  package var times = TimeLimits()
  /// The maximum of connections, all loops together. Above it no client is refused: new ones wait in the kernel's backlog.
  package var connectionsMax = Int.max
  /// Descriptors reserved for the rest of the process: files of the database, its temporary files, the log.
  package var descriptorReserve = 64
  /// The length of the queue of connections that were not accepted yet; the kernel limits it to net.core.somaxconn.
  package var backlog: Int32 = 4_096
  /// Connections accepted in one turn before existing ones are served.
  package var acceptBurst = 64
  /// How long a loop stops accepting when descriptors or connections have run out.
  package var acceptPause = Nanoseconds.milliseconds(100)
  /// Bytes read from one connection in one turn, and the most that a session may leave unconsumed.
  package var inputMax = 65_536
  /// Above this many unsent bytes nothing is read from the connection; below half of it `produce` is called.
  package var unsentMax = 65_536
  /// Bytes that one session may write in one turn before the others are served; the last call may exceed it.
  package var outputPerTurn = 262_144
  /// TLS on an address of its own; nil for none.
  package var secure: SecureListening?
  /// Handshakes in progress in each loop; a new one ends the oldest. Each costs about 44 KiB of OpenSSL.
  package var handshakesMax = 160
  /// How long a turn makes handshakes before connections are served again; one is always made.
  package var handshakesPerTurn = Nanoseconds.milliseconds(1)
  /// Input that is read and discarded after the last answer, so that no RST overtakes it (RFC 9112 §9.6).
  package var lingerBytes = 16_777_216

  package init() {}
}
