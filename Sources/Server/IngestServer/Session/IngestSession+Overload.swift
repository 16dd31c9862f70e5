import HTTP1
import Network

extension IngestSession {
  /// Answers 503 as soon as the head is there. A short body is read and dropped behind the answer, because the connection
  /// is worth keeping; before a long one the connection ends, and its loop drains what the client still sends for a
  /// bounded time, so that the answer can be read (RFC 9112 §9.6).
  func turnAway(_ exchange: Exchange, _ output: inout SessionOutput) {
    guard scratch.head.framing.isWorthReading, !scratch.head.expectsContinue else {
      return write(exchange, .overloaded, bodyComplete: false, &output)
    }
    let announcement = rules.announcement(for: exchange.version, bodyComplete: true)
    append(.overloaded, exchange.version, withoutContent: false, announcement, &output)
    note(exchange, .overloaded, now: output.now)
    state = .dropping
  }

  var isDropping: Bool { if case .dropping = state { true } else { false } }
}

extension ServerContext {
  /// What devices send would be refused by the store at the moment. Administration is let through: whoever looks what is
  /// wrong needs an answer.
  func isOverloaded(for route: Route) -> Bool { route.deviceOperation != nil && probes.isFull() }
}
