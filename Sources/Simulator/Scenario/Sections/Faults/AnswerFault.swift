/// What a server of ours does to an answer.
package enum AnswerFault: String, CaseIterable, Sendable {
  /// 200 with a page of HTML and nothing stored, as in a hotel.
  case portal
  case redirect
  /// Stored, and 200 without content.
  case empty
  /// Stored, and a body that is no JSON.
  case malformed
  /// Stored, and the connection closes without an answer.
  case drop
  /// Acknowledged and not stored: a server that loses data.
  case pretend
}
