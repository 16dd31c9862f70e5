import AnswerCheck
import Base
import Contract
import IngestServer
import Store
import Synchronization
import Upload

/// Judges the answers of a backend behind a proxy, device by device, as `drive` and `simulate` do for their own phones.
final class ProxyJudge: AnswerJudge {
  private struct State {
    var checkers: [DeviceIdentity: AnswerChecker] = [:]
    /// Over all devices.
    var scorecard = Scorecard()
    var count: UInt64 = 0
  }

  private let state = Mutex(State())
  /// Called with the first answer that breaks each clause.
  private let tell: @Sendable (Finding) -> Void
  /// The number of devices beyond which their last answers are forgotten; the counts stay.
  private static let devicesMax = 10_000
  /// The timeout of the SDK (`http.timeout`).
  private static let timeout = Nanoseconds.seconds(60)

  init(tell: @escaping @Sendable (Finding) -> Void) { self.tell = tell }

  func judge(_ answer: JudgedAnswer) {
    guard answer.operation != .registerDevice else { return }
    let observed = ObservedAnswer(answer, timeout: Self.timeout)
    let first = state.withLock { state -> [Finding] in
      if state.checkers.count >= Self.devicesMax, state.checkers[answer.device] == nil {
        state.checkers.removeAll(keepingCapacity: true)
      }
      let judgement = state.checkers[answer.device, default: AnswerChecker()].check(observed)
      let news = judgement.findings.filter { state.scorecard.timesBroken($0.clause) == 0 }
      state.scorecard.count(judgement)
      return news
    }
    for finding in first { tell(finding) }
  }

  func reset() { state.withLock { $0 = State() } }

  var report: ClauseReport {
    let card = state.withLock { $0.scorecard }
    let lines = Clause.allCases.filter { card.timesJudged($0) > 0 }.map { clause in
      let example = card.findings.first { $0.clause == clause }
      return ClauseReport.Line(
        number: clause.number, rule: clause.rule, remedy: example?.remedy ?? clause.remedy,
        judged: card.timesJudged(clause), broken: card.timesBroken(clause), example: example?.detail)
    }
    return ClauseReport(answers: card.answers, lines: lines)
  }
}

extension ObservedAnswer {
  fileprivate init(_ answer: JudgedAnswer, timeout: Nanoseconds) {
    let purpose: OutgoingRequest.Purpose =
      switch answer.operation {
      case .uploadLocations: .records
      case .refreshToken, .registerDevice: .refresh
      case .uploadDeviceLog: .log
      }
    let request = OutgoingRequest(
      id: 0, purpose: purpose, method: "POST", url: answer.url, headers: [], body: answer.body, timeout: timeout)
    let outcome: RequestOutcome =
      switch answer.failure {
      case nil where answer.duration > timeout: .failed(.timeout, message: "the answer came too late")
      case nil: .answered(status: answer.status, reason: "", body: answer.answer ?? [])
      case .unreachable(let message): .failed(.unreachable, message: message)
      case .timeout where answer.duration >= timeout: .failed(.timeout, message: "no answer in time")
      // The proxy has given up before a device does: the backend may have been about to answer.
      case .timeout: .failed(.cancelled, message: "the proxy waited no longer")
      case .incomplete: .failed(.incomplete, message: "the connection was closed before the end of the answer")
      case .malformed(let message): .failed(.protocolError, message: message)
      }
    self.init(
      request, outcome, head: AnswerHead(parsing: answer.head), duration: answer.duration,
      endedAt: answer.endedAt,
      // The proxy cannot know the configuration of the app, so a 401 is not counted against the backend.
      canRefresh: true, isContentKnown: answer.answer != nil)
  }
}
