/// The parts of a message in the order of their coming: one head, any number of runs of body, one end.
package enum MessageEvent: Sendable, Equatable {
  /// All input was taken and there is nothing to report yet.
  case needMoreInput

  /// The head passed to the call is filled in. The next call goes on with the body, also when there is none.
  case head

  /// A run of content: positions in the input of this very call. The parser copies no content.
  case body(Range<Int>)

  /// The message is complete. The parser takes nothing more until the next message is begun.
  case end
}
