import AnswerCheck
import Base
import Contract

/// Uploads to a backend that is busy now and then.
extension ClauseRun {
  /// The maximum number of attempts in a row for one upload.
  private static let attemptsMax = 6
  private static let waitMax = 2_000

  /// Reports whether the backend says that it is busy and for how long, which is a limit and not a failure.
  static func isLimit(_ upload: ConformancePhone.Upload) -> Bool {
    upload.status == 429 || upload.status == 503 && upload.head[HeaderName.retryAfter] != nil
  }

  /// Returns the stop of phones whose queues are not empty at the end, after refusals that do not say when to come again.
  func refusedToTheEnd(_ refused: [ConformancePhone.Upload], of count: Int, _ rest: String) -> ClauseStop {
    guard let last = refused.last else { return fail(rest, harm: .repeat) }
    lastSent = RawRequest(last.request)
    // It is taken by itself.
    hasNoCommandLine = true
    var breach = breach(
      "\(refused.count) of \(count) uploads were answered with status \(last.status) without Retry-After: \(rest)",
      harm: .repeat)
    breach.answered = last.outcome.text
    breach.remedy = "429, or 503 with Retry-After, says that the backend limits how many uploads it takes at once"
    return .broken(breach)
  }

  /// Uploads the queue, retrying like the SDK while the server says that it is busy.
  func uploadWithRetries(_ phone: ConformancePhone) -> [ConformancePhone.Upload] {
    var all: [ConformancePhone.Upload] = []
    var (attempt, left) = (0, phone.queuedCount)
    while true {
      let uploads = phone.upload()
      all += uploads
      let rest = phone.queuedCount
      guard rest > 0, let last = uploads.last, !isOutOfTime else { break }
      // The SDK uploads a long queue in small requests until it is empty (SDK §8.5).
      if last.isSuccess, rest < left {
        left = rest
        continue
      }
      guard RateLimit.isThrottling(last.status) else { break }
      // Progress resets the number of attempts.
      attempt = rest < left ? 1 : attempt + 1
      left = rest
      if attempt >= ClauseRun.attemptsMax { break }
      // The backend may be free again before the time that it names.
      let asked = SentLog.wait(last.head)
      pause(attempt == 1 ? 100 : max(100 * attempt, min(asked, ClauseRun.waitMax)))
    }
    return all
  }
}
