/// How a request ended.
package enum RequestOutcome: Equatable, Sendable {
  /// Any complete answer. Redirects are not followed. `reason` is the phrase of the status line.
  case answered(status: Int, reason: String, body: [UInt8])
  /// No complete answer: name resolution, connection, TLS, time limit, reset, half an answer. The text tells the user.
  case failed(TransportFailure, message: String)

  /// 0 when no answer came.
  package var status: Int {
    switch self {
    case .answered(let status, reason: _, body: _): status
    case .failed: 0
    }
  }

  /// The phrase of the status line, or what went wrong.
  var reason: String {
    switch self {
    case .answered(_, let reason, body: _): reason
    case .failed(_, let message): message
    }
  }

  /// The body of the answer, or what went wrong.
  var text: [UInt8] {
    switch self {
    case .answered(_, reason: _, let body): body
    case .failed(_, let message): Array(message.utf8)
    }
  }
}

/// What kept an answer from arriving.
package enum TransportFailure: String, CaseIterable, Sendable {
  case unresolvable, refused, unreachable, tls, timeout, reset, incomplete, protocolError, cancelled, invalidURL
}
