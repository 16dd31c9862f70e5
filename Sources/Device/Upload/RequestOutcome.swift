/// How a request ended.
package enum RequestOutcome: Equatable, Sendable {
  /// Any complete answer. Redirects are not followed. `reason` is the phrase of the status line.
  case answered(status: Int, reason: String, body: [UInt8])
  /// No complete answer: name resolution, connection, TLS, time limit, reset, half an answer. The text tells the user.
  case failed(TransportFailure, message: String)
}

/// What kept an answer from arriving.
package enum TransportFailure: String, CaseIterable, Sendable {
  case unresolvable, refused, unreachable, tls, timeout, reset, incomplete, protocolError, cancelled, invalidURL
}
