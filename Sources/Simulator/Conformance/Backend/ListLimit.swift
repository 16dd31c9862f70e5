import AnswerCheck
import Base
import Synchronization
import Threads
import Upload

/// A server's rate limit for lists: all readers wait for as long as its Retry-After says (RFC 9110 §10.2.3).
final class ListLimit: Sendable {
  private struct State {
    var until: MonotonicInstant?
    var words: String?
  }

  private static let step = 300
  private let state = Mutex(State())
  private let clock = SystemClock()

  /// The server's last answer about its limit, as "status 429, Retry-After: 30"; nil if it limits nothing.
  var words: String? { state.withLock { $0.words } }

  /// Notes an answer that says when to come again. False for another one.
  func isNoted(_ outcome: RequestOutcome, _ head: AnswerHead) -> Bool {
    guard let seconds = outcome.pauseOfLimit(head, at: clock.wallNow) else { return false }
    let wait = max(seconds * 1_000, ListLimit.step)
    let until = clock.monotonicNow + .milliseconds(Int64(wait))
    state.withLock {
      $0 = State(until: max($0.until ?? until, until), words: "status \(outcome.status), Retry-After: \(seconds)")
    }
    return true
  }

  /// Waits until the list may be asked for. False where the run has no time for that.
  func wait(in end: QuestionEnd) -> Bool {
    guard let until = state.withLock({ $0.until }) else { return true }
    while clock.monotonicNow < until {
      guard end.leavesTime(until: until) else { return false }
      let left = (until - clock.monotonicNow).wholeMilliseconds
      _ = Semaphore().wait(milliseconds: min(max(Int(left), 1), ListLimit.step))
    }
    return true
  }
}
