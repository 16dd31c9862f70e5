import AnswerCheck
import Base
import Contract
import CurlTransport
import HTTP1
import Synchronization
import Threads
import Upload

/// Checks whether the backend goes away while a restart command runs. A successful command does not prove that: it may have
/// missed the listening process, and then nothing was tested.
final class RestartWitness: Sendable {
  /// A kept connection ends with its process, however soon the next one listens, but it occupies a backend that serves one
  /// connection at a time.
  enum Connections: Sendable { case kept, fresh }

  /// When the backend was first away.
  private let seen = Mutex<MonotonicInstant?>(nil)
  /// Whether a status can say that a proxy has no backend; one that is busy answers in the same way.
  private let trustsStatuses: Bool
  private let isOver = AtomicFlag()
  /// Signalled to stop the witness, and by its thread when it has ended.
  private let stopping = Semaphore()
  private let end = Semaphore()

  private static let pauseMilliseconds = 10
  private static let pauseWhereSlowMilliseconds = 200

  init(of target: ConformanceTarget, over connections: Connections, facts: RunFacts) {
    trustsStatuses = !facts.isBusy
    let usualPause = facts.isSlow ? RestartWitness.pauseWhereSlowMilliseconds : RestartWitness.pauseMilliseconds
    NamedThread.started("witness") { [self] in
      var (connection, pause): (RawConnection?, Int) = (nil, usualPause)
      while !hasSeen, !isOver.isRaised {
        if !isThere(target, over: &connection, each: &pause) { note() }
        if connections == .fresh { connection = nil }
        _ = stopping.wait(milliseconds: pause)
      }
      end.signal()
    }.detach()
  }

  /// Whether the backend was away.
  var hasSeen: Bool { awaySince != nil }

  var awaySince: MonotonicInstant? { seen.withLock { $0 } }

  private func note() {
    let now = SystemClock().monotonicNow
    seen.withLock { $0 = $0 ?? now }
  }

  /// Notes an upload that came to nothing, and reports whether it did: there was no backend, or it went away before its answer.
  func note(_ upload: ConformancePhone.Upload) -> Bool {
    let cameToNothing =
      switch upload.outcome {
      case .answered(let status, _, _): isAway(status, upload.head)
      case .failed(let failure, _): failure != .timeout
      }
    if cameToNothing { note() }
    return cameToNothing
  }

  /// Reports whether a proxy answered for a backend that is away. A limit of 503 says when to come again.
  private func isAway(_ status: Int, _ head: AnswerHead) -> Bool {
    trustsStatuses && ConformanceTarget.isAway(status) && (status != 503 || head[HeaderName.retryAfter] == nil)
  }

  /// Stops the checks, and returns when none is running. May be called again.
  func stop() {
    isOver.raise()
    stopping.signal()
    end.wait()
    end.signal()
  }

  /// Returns false if a connection is refused, or ends before its answer. A slow backend counts as present. A proxy that limits
  /// the rate does not look for its backend at each request, and is asked less often.
  private func isThere(
    _ target: ConformanceTarget, over connection: inout RawConnection?, each pause: inout Int
  ) -> Bool {
    let open: RawConnection
    if let kept = connection.take() {
      open = kept
    } else {
      do throws(ByteConnection.Failure) {
        open = try RawConnection(to: target.url, over: target.transport, watch: AnswerWatch())
      } catch { return false }
    }
    guard open.send(RawRequest("OPTIONS", target.url).bytes) else { return false }
    switch open.reply(to: .options, within: .seconds(2)) {
    case .answer(let answer):
      if answer.keepsAlive, !open.hasEnded { connection = open }
      if RateLimit.isThrottling(answer.status) { pause = RestartWitness.pauseWhereSlowMilliseconds }
      return !isAway(answer.status, answer.head)
    case .closed, .reset: return false
    case .timeout, .notHTTP: return true
    }
  }
}

extension ConformanceTarget {
  /// Reports whether a proxy answered for a backend that is away.
  static func isAway(_ status: Int) -> Bool { [502, 503, 504].contains(status) }
}
