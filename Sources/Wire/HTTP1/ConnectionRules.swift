/// Determines whether a connection persists between and after its requests (RFC 9112 §9). A pure value: the session reports
/// events and follows its decisions.
package struct ConnectionRules: Sendable {
  private let requestsAllowed: Int
  private var requests = 0
  private var closing = false

  package init(limits: HTTPLimits = HTTPLimits()) { requestsAllowed = limits.requestsPerConnection }

  /// The required `Connection` field of the answer.
  package enum Announcement: Sendable, Equatable {
    /// Nothing: HTTP/1.1 persists by default.
    case nothing
    /// `keep-alive`, for an HTTP/1.0 client that asked for it.
    case keepAlive
    /// `close`: this is the last answer (§9.6).
    case close
  }

  /// The next step after an answer is written.
  package enum Next: Sendable, Equatable {
    case readNextRequest
    /// Send the rest, end the sending side, read and discard until the client closes or a short time has passed, then close: a
    /// reset while the client still sends would destroy the answer on its side (§9.6).
    case closeAfterAnswer
  }

  /// Called when a head was read.
  package mutating func requestBegan(_ head: borrowing RequestHead) {
    requests += 1
    if !head.keepAlive || requests >= requestsAllowed { closing = true }
  }

  /// Called when the parser has refused the input, or the server will answer no further request (it is shutting down, or the
  /// client has ended its sending side and no complete request is left).
  package mutating func stop() { closing = true }

  /// Called when the answer to the current request is written. `bodyComplete` is false when it is answered before its body was
  /// read completely: the rest must never be taken for a request.
  package mutating func announcement(for version: HTTPVersion, bodyComplete: Bool) -> Announcement {
    if !bodyComplete { closing = true }
    if closing { return .close }
    return version == .http10 ? .keepAlive : .nothing
  }

  package var next: Next { closing ? .closeAfterAnswer : .readNextRequest }
}
