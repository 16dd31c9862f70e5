import Base

/// What an abusive client does, as data.
struct Habit: Sendable {
  enum Then: Sendable {
    /// Goes on with `piece`, or is silent.
    case stays
    /// Ends its output and goes on listening.
    case endsOutput
    /// Closes with an RST.
    case resets
  }

  var connections: Int
  /// Sent at once after the connect.
  var opening: [UInt8] = []
  var then = Then.stays
  /// Sent again and again, also after the server has said its last word; empty for a silent client.
  var piece: [UInt8] = []
  var interval = Nanoseconds.seconds(1)
  var reads = true
  var receiveBuffer: Int32?
  /// How soon it is back when its connection is gone; nil: never.
  var returnsAfter: Nanoseconds?
}
