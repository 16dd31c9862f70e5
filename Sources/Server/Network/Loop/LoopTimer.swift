/// What a timer of a loop is for.
enum LoopTimer: Sendable {
  case connection(ConnectionToken)
  case resumeAccepting
  case drainDeadline
}
