import AnswerCheck
import Base
import Contract

/// Uploads at a backend that is too busy now and then.
extension ClauseRun {
  /// So often in a row one upload is refused.
  private static let attemptsMax = 6
  private static let waitMax = 2_000

  /// The backend says that it is busy, and for how long: a limit, and no failure.
  static func isLimit(_ upload: ConformancePhone.Upload) -> Bool {
    upload.status == 429 || upload.status == 503 && upload.head[HeaderName.retryAfter] != nil
  }

  /// Uploads what waits; a server that says that it is too busy is asked again, as the SDK would.
  func uploadPatiently(_ phone: ConformancePhone) -> [ConformancePhone.Upload] {
    var all: [ConformancePhone.Upload] = []
    var (attempt, left) = (0, phone.queuedCount)
    while true {
      let uploads = phone.upload()
      all += uploads
      let rest = phone.queuedCount
      guard rest > 0, let last = uploads.last, !isOutOfTime else { break }
      // A long queue in small requests: the SDK goes on until it is empty (SDK §8.5).
      if last.isSuccess, rest < left {
        left = rest
        continue
      }
      guard SentLog.isThrottling(last.status) else { break }
      // Where some have come through, it goes on.
      attempt = rest < left ? 1 : attempt + 1
      left = rest
      if attempt >= ClauseRun.attemptsMax { break }
      // A busy moment may be over before the time that is asked for.
      let asked = SentLog.wait(last.head[HeaderName.retryAfter])
      pause(attempt == 1 ? 100 : max(100 * attempt, min(asked, ClauseRun.waitMax)))
    }
    return all
  }
}
