package import Contract
import HTTP1

/// What goes wrong with a request on purpose. The names are the `kind`s of the JSON.
package enum ServerFault: Equatable, Sendable {
  /// Answers before the body is read; nothing is stored.
  case refuse(status: Int)
  /// Resets the connection before the body is read; nothing is stored.
  case reset
  /// Waits, then goes on as if nothing had been.
  case delay(ClosedRange<Int64>)
  /// Reads the request, stores nothing, answers this, with these fields in its head.
  case status(Int, [NameValuePair] = [])
  /// Answers 200 with a page of HTML and stores nothing, as the login page of a hotel does.
  case portal
  /// Sends the client elsewhere and stores nothing.
  case redirect(status: Int, location: String)
  /// Acknowledges everything and stores nothing: a server that loses data, to see whether a test finds out.
  case pretend
  /// Stores the first records of the batch and acknowledges all of them: another one.
  case prefix(records: Int)
  /// Stores, sends so many bytes of the answer, and resets the connection.
  case cut(bytes: Int)
  /// Stores, and closes the connection without an answer.
  case drop
  /// Stores, waits, and answers: longer than the client's patience, it has to send the same again.
  case delayAfterCommit(ClosedRange<Int64>)
  /// Stores, and sends the answer in pieces with pauses, in milliseconds, between them.
  case dribble(bytes: Int, every: Int64)
  /// Stores, and answers with a body that is no JSON.
  case malformed
  /// Stores, and announces so many bytes more than the body has, or fewer, and closes.
  case wrongLength(by: Int)
  /// Stores, and answers 200 without content.
  case empty

  /// The `kind` in the JSON, the label in the metrics, and the mark in the journal.
  package enum Kind: String, CaseIterable, Sendable {
    case refuse, reset, delay, status, portal, redirect, pretend, prefix, cut, drop, delayAfterCommit, dribble,
      malformed
    case wrongLength, empty

    /// Decided when the head has come, so that the body need not be read.
    var isBeforeBody: Bool { self == .refuse || self == .reset }
  }

  package var kind: Kind {
    switch self {
    case .refuse: .refuse
    case .reset: .reset
    case .delay: .delay
    case .status: .status
    case .portal: .portal
    case .redirect: .redirect
    case .pretend: .pretend
    case .prefix: .prefix
    case .cut: .cut
    case .drop: .drop
    case .delayAfterCommit: .delayAfterCommit
    case .dribble: .dribble
    case .malformed: .malformed
    case .wrongLength: .wrongLength
    case .empty: .empty
    }
  }
}

extension ServerFault {
  /// Whether a field may stand in an answer beside those that the server writes.
  package static func isField(_ field: NameValuePair) -> Bool {
    let own = ["content-length", "content-type", "transfer-encoding", "connection", "date"]
    if own.contains(field.name.lowercased()) { return false }
    var bytes: [UInt8] = []
    do throws(HTTPError) {
      try HeadWriter.field(field.name.utf8.span, field.value.utf8.span, into: &bytes)
      return !field.name.isEmpty
    } catch { return false }
  }
}
