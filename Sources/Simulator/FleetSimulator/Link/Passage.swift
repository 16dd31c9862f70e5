import Base
import Upload

/// How bytes get through one way of a connection.
struct Passage {
  /// How long they take; nil: they do not arrive.
  var span: Nanoseconds?
  /// How many get through before the connection ends, and how it does; nil: all, and it goes on.
  var cut: (bytes: Int, failure: TransportFailure)?
  /// The sizes of the pieces in which they come; empty: in one.
  var pieces: [Int] = []
}
