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
