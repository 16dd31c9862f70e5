import AnswerCheck
import Base
import CurlTransport
import HTTP1
import Threads
import Upload

/// Checks whether the backend goes away while a restart command runs. A successful command does not prove that: it may have
/// missed the listening process, and then nothing was tested.
final class RestartWitness: Sendable {
  /// A kept connection ends with its process, however soon the next one listens, but it occupies a backend that serves one
  /// connection at a time.
  enum Connections: Sendable { case kept, fresh }

  private let flag = AtomicFlag()
  private let isOver = AtomicFlag()
  /// Signalled to stop the witness, and by its thread when it has ended.
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

  /// Whether the backend was away.
  var hasSeen: Bool { flag.isRaised }

  func note(_ upload: ConformancePhone.Upload) {
    if upload.cameToNothing { flag.raise() }
  }

  /// Stops the checks, and returns when none is running. May be called again.
  func stop() {
    isOver.raise()
    stopping.signal()
    end.wait()
    end.signal()
  }

  /// Returns false if a connection is refused, or ends before its answer. A slow backend counts as present.
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
  /// Whether there was no backend, or it went away before its answer.
  var cameToNothing: Bool {
    switch outcome {
    case .answered(let status, _, _): ConformanceTarget.isAway(status)
    case .failed(let failure, _): failure != .timeout
    }
  }
}

extension ConformanceTarget {
  /// Reports whether a proxy answered for a backend that is away.
  static func isAway(_ status: Int) -> Bool { [502, 503, 504].contains(status) }
}
