import Contract
package import Upload

extension RequestOutcome {
  private static let longestPause = 60

  /// The seconds after which a server that limits the rate may be asked again: of 429 or 503 with `Retry-After`, a minute at most
  /// (RFC 9110 §10.2.3). Nil for any other answer.
  package func pauseOfLimit(_ head: AnswerHead) -> Int? {
    guard status == 429 || status == 503 else { return nil }
    let seconds = head[HeaderName.retryAfter].flatMap { Int($0) }
    return seconds.flatMap { 0...RequestOutcome.longestPause ~= $0 ? $0 : nil }
  }
}
