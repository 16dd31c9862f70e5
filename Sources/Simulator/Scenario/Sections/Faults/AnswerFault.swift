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
  /// Stored, and the connection is reset in the middle of the answer.
  case half
  /// Stored, and an answer that announces more bytes than it has, or fewer.
  case tooLong = "too-long"
  case tooShort = "too-short"
  /// The connection is reset when the head of the request is there; nothing is stored.
  case reset
  /// Stored, and the answer comes in pieces of 16 bytes, one a second.
  case dribble
  /// Stored, and answered after 90 seconds, when the device has given up.
  case late
}
