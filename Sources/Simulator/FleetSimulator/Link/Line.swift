import Base

/// A connection of a device to the server.
struct Line {
  /// Counted from 0 for each device.
  let number: UInt64
  /// Nil when the server is outside: the connections that there are to it are kept elsewhere.
  let serverEnd: VirtualConnection?
  /// Since when no request uses it.
  var idleSince = MonotonicInstant(nanoseconds: 0)
  /// What has gone through it so far.
  var sentBytes = 0
  var receivedBytes = 0
}
