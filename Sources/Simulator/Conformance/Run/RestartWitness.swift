import AnswerCheck
import Base
import CurlTransport
import HTTP1
import Threads
import Upload

/// Looks whether the backend goes away while a restart command runs. That the command ends well does not say so: it may have
/// missed the process that listens, and nothing would have been put to the test.
final class RestartWitness: Sendable {
  /// A kept connection ends with its process, however soon the next one listens, but a backend that serves one connection at a
  /// time would serve nothing else.
  enum Connections: Sendable { case kept, fresh }

  private let flag = AtomicFlag()
  private let isOver = AtomicFlag()
  /// Signalled when the witness is to end, and by its thread when it has.
  private let stopping = Semaphore()
  private let end = Semaphore()

  private static let pauseMilliseconds = 10
  private static let pauseWhereSlowMilliseconds = 200

  init(of target: ConformanceTarget, over connections: Connections, isSlow: Bool) {
    let (flag, isOver, stopping, end) = (flag, isOver, stopping, end)
    let pause = isSlow ? RestartWitness.pauseWhereSlowMilliseconds : RestartWitness.pauseMilliseconds
    NamedThread.started("witness") {
      var connection: RawConnection?
      while !flag.isRaised, !isOver.isRaised {
        if !RestartWitness.isThere(target, over: &connection) { flag.raise() }
        if connections == .fresh { connection = nil }
        _ = stopping.wait(milliseconds: pause)
      }
      end.signal()
    }.detach()
  }

  /// The backend was away.
  var hasSeen: Bool { flag.isRaised }

  func note(_ upload: ConformancePhone.Upload) {
    if upload.cameToNothing { flag.raise() }
  }

  /// Ends the looking, and returns when nothing more is asked. May be called again.
  func stop() {
    isOver.raise()
    stopping.signal()
    end.wait()
    end.signal()
  }

  /// False where a connection is refused, or ends before its answer. What takes its time is there.
  private static func isThere(_ target: ConformanceTarget, over connection: inout RawConnection?) -> Bool {
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
      return !ConformanceTarget.isAway(answer.status)
    case .closed, .reset: return false
    case .timeout, .notHTTP: return true
    }
  }
}

extension ConformancePhone.Upload {
  /// There was no backend, or it went away before its answer.
  var cameToNothing: Bool {
    switch outcome {
    case .answered(let status, _, _): ConformanceTarget.isAway(status)
    case .failed(let failure, _): failure != .timeout
    }
  }
}

extension ConformanceTarget {
  /// A proxy in front answers so for a backend that is not there.
  static func isAway(_ status: Int) -> Bool { [502, 503, 504].contains(status) }
}
