import AnswerCheck
import Base
import Testing
import Upload

@Suite struct RateLimitTests {
  private let now = WallInstant(iso8601: "1994-11-06T08:49:37Z".utf8.span)

  private func pause(_ status: Int, _ retryAfter: String?) throws -> Int? {
    let head = AnswerHead(retryAfter.map { [(name: "retry-after", value: $0)] } ?? [])
    return RequestOutcome.answered(status: status, reason: "", body: []).pauseOfLimit(head, at: try #require(now))
  }

  /// Retry-After is a number of seconds or a date (RFC 9110 §10.2.3).
  @Test func secondsAndDatesTellWhenToComeAgain() throws {
    for status in [429, 503] {
      #expect(try pause(status, "0") == 0 && pause(status, "60") == 60)
      #expect(try pause(status, "Sun, 06 Nov 1994 08:50:07 GMT") == 30)
      #expect(try pause(status, "Sunday, 06-Nov-94 08:50:07 GMT") == 30)
      #expect(try pause(status, "Sun, 06 Nov 1994 08:49:00 GMT") == 0, "in the past")
    }
  }

  @Test func whatIsNoLimitOrTooLongIsNotWaitedFor() throws {
    for status in [200, 401, 404, 500, 502] { #expect(try pause(status, "5") == nil) }
    for value in [nil, "", "soon", "-1", "61", "Sun, 06 Nov 1994 08:50:38 GMT"] {
      #expect(try pause(429, value) == nil)
    }
    #expect(RequestOutcome.failed(.timeout, message: "").pauseOfLimit(AnswerHead(), at: try #require(now)) == nil)
  }

  /// Nothing is asked before the second that the date names.
  @Test func aPartOfASecondIsWaitedForInWhole() throws {
    let head = AnswerHead([(name: "Retry-After", value: "Sun, 06 Nov 1994 08:49:40 GMT")])
    let late = try #require(now).advanced(byMilliseconds: 400)
    #expect(RequestOutcome.answered(status: 429, reason: "", body: []).pauseOfLimit(head, at: late) == 3)
    #expect(RateLimit.delay(head, at: late) == 2_600)
  }
}
