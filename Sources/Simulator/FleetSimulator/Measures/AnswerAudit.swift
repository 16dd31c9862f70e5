import AnswerCheck
import Base
import Contract
import CurlTransport
package import Oracle
import Scenario
import Upload

/// Checks a real server's answers against what the SDK needs, as `drive` does, on a cheap sample: all answers of a few
/// devices up to a limit, and the first ones of each kind of all others. An answer that a fault of the scenario may have
/// changed is not the server's mistake and is skipped.
package final class AnswerAudit: Watcher {
  private struct Followed {
    var request: OutgoingRequest?
    var total = Nanoseconds.zero
    var head: [UInt8] = []
    var canRefresh = false
    var strategy = AuthorizationStrategy.jwt
    var faults = 0
  }

  /// Answers that look the same at first sight.
  private struct Kind: Hashable {
    let purpose: OutgoingRequest.Purpose
    /// 0: no answer.
    let status: Int
  }

  private let devices: PerDevice<Followed>
  private var checkers: [AnswerChecker]
  private var seen: [Kind: Int] = [:]
  private(set) var card = Scorecard()
  /// Whether the header fields of answers are seen; otherwise clauses about them cannot be judged.
  let seesHeads: Bool
  /// Whether some answers come from the simulator's own network.
  private let playsFaults: Bool
  private let clock = SystemClock()

  private static let devicesFollowed = 8
  private static let answersEach = 200
  private static let answersOfKind = 8

  package init(_ setup: RunSetup) {
    let count = setup.fleets.reduce(0) { $0 + $1.simulated.count }
    devices = PerDevice(count: count) { _ in Followed() }
    seesHeads = setup.outside?.lockstep != .modelled
    playsFaults = setup.playsFaults
    checkers = Array(repeating: AnswerChecker(), count: min(count, AnswerAudit.devicesFollowed))
  }

  package func see(_ event: SimulationEvent, _ context: EventContext) {
    let device = context.device
    switch event {
    case .sent(let request) where request.purpose != .log && devices[device].faults == 0:
      (devices[device].request, devices[device].head) = (request, [])
    case .carried(_, let timings, let head):
      if devices[device].request != nil { (devices[device].total, devices[device].head) = (timings.total, head) }
    case .ended(let id, let outcome):
      guard let request = devices[device].request, request.id == id else { return }
      look(at: outcome, of: request, device)
      (devices[device].request, devices[device].head) = (nil, [])
    case .configured(let configuration):
      devices[device].canRefresh = configuration.authorization.refreshUrl != nil
      devices[device].strategy = configuration.authorization.strategy
    case .faultBegan:
      devices[device].faults += 1
      devices[device].request = nil
    case .faultEnded: devices[device].faults -= 1
    case .killed, .network: devices[device].request = nil
    default: break
    }
  }

  /// Reports whether the simulator's network answered: such an answer did not come over a socket and has no head.
  private func isPlayed(_ outcome: RequestOutcome, _ device: Int) -> Bool {
    guard playsFaults, outcome.status != 0 else { return false }
    return seesHeads ? devices[device].head.isEmpty : !(200..<300).contains(outcome.status)
  }

  private func look(at outcome: RequestOutcome, of request: OutgoingRequest, _ device: Int) {
    guard !isPlayed(outcome, device) else { return }
    let kind = Kind(purpose: request.purpose, status: outcome.status)
    let isFollowed = device < checkers.count && checkers[device].scorecard.answers < AnswerAudit.answersEach
    guard isFollowed || seen[kind, default: 0] < AnswerAudit.answersOfKind else { return }
    seen[kind, default: 0] += 1
    // The devices' date may differ from the server's.
    let answer = ObservedAnswer(
      request, outcome, head: seesHeads ? AnswerHead(parsing: devices[device].head) : nil,
      duration: devices[device].total, endedAt: clock.wallNow,
      canRefresh: devices[device].canRefresh, strategy: devices[device].strategy)
    if isFollowed {
      card.count(checkers[device].check(answer))
    } else {
      var stranger = AnswerChecker()
      card.count(stranger.check(answer))
    }
  }
}

extension AnswerAudit {
  /// The verdicts of all clauses; empty when there was no answer.
  package var verdicts: [ClauseVerdict] {
    guard card.answers > 0 else { return [] }
    let examples = Dictionary(card.findings.map { ($0.clause, $0) }) { first, _ in first }
    return Clause.allCases.map { clause in
      let (judged, broken) = (card.timesJudged(clause), card.timesBroken(clause))
      let isBlind = !seesHeads && clause.needsHead
      let outcome: ClauseVerdict.Outcome =
        broken > 0 ? .broken : judged > 0 ? .kept : isBlind ? .notJudged : .notSeen
      return ClauseVerdict(
        number: clause.number, rule: clause.rule, outcome: outcome, judged: judged, broken: broken,
        detail: examples[clause]?.detail, remedy: examples[clause]?.remedy)
    }
  }
}

extension Clause {
  /// Whether the clause concerns header fields.
  fileprivate var needsHead: Bool { [.noRetryAfter, .challenge, .isJSON].contains(self) }
}
