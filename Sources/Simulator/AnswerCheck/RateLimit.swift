package import Base
import Contract
package import Upload

/// A server's limit of the rate, as its answers show it.
package enum RateLimit {
  fileprivate static let longestPause: Int64 = 60

  /// Reports whether a status refuses a request only for now (RFC 6585 §4, RFC 9110 §15.6.4).
  package static func isThrottling(_ status: Int) -> Bool { status == 429 || status == 503 }

  /// The whole milliseconds that `Retry-After` asks for, in seconds or as a date (RFC 9110 §10.2.3); nil without any.
  package static func delay(_ head: AnswerHead, at now: WallInstant) -> Int64? {
    head[HeaderName.retryAfter].flatMap { RetryAfter.span(of: $0, at: now) }?.wholeMilliseconds
  }
}

extension RequestOutcome {
  /// The seconds after which a server that limits the rate may be asked again: of 429 or 503 with `Retry-After`, a minute at
  /// most. Nil for any other answer.
  package func pauseOfLimit(_ head: AnswerHead, at now: WallInstant) -> Int? {
    guard RateLimit.isThrottling(status), let delay = RateLimit.delay(head, at: now) else { return nil }
    // Up to the date, and not just before it.
    let seconds = (delay + 999) / 1_000
    return seconds <= RateLimit.longestPause ? Int(seconds) : nil
  }
}
