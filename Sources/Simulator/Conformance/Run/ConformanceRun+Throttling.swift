import AnswerCheck
import Base
import Contract

/// A busy backend may reject an upload, which says nothing about a clause on another subject: the clause is repeated at the
/// time that the backend names, and is not judged if the backend stays too busy.
extension ConformanceRun {
  private static let turnsMax = 4
  /// The clause about answers to good records.
  private static let clauseOfFailures = "good-record-acknowledged"

  /// Returns the verdict, and the run of the clause that produced it.
  func verdictWithRetries(
    of clause: ConformanceClause, turn: Int, attempt first: Int = 0
  ) -> (ConformanceVerdict, ClauseRun) {
    var attempt = first
    while true {
      let run = clauseRun(clause, turn: turn, attempt: attempt)
      let verdict = verdict(of: clause, run)
      guard clause.id != ConformanceRun.clauseOfFailures, let busy = run.log.throttling,
        mayComeFromThrottling(verdict)
      else {
        return (verdict, run)
      }
      attempt += 1
      guard attempt - first < ConformanceRun.turnsMax, !run.isOutOfTime, !wasInterrupted else {
        guard run.isThrottled() else { return (verdict, run) }
        let reason = "the backend throttles: status \(busy.status), at each of \(attempt - first) attempts"
        return (.notJudged(.other(reason)), run)
      }
      run.pause(busy.milliseconds)
    }
  }

  /// Reports whether the limit may be the cause. A record that is lost, stored twice or changed was acknowledged, so it is not.
  private func mayComeFromThrottling(_ verdict: ConformanceVerdict) -> Bool {
    switch verdict {
    case .broken(let breach): !breach.signs.contains { $0.traits.contains(.ofAcknowledged) }
    case .notJudged(let reason): reason != .outOfTime && reason != .interrupted
    case .kept, .notApplicable, .unread, .partly: false
    }
  }
}

extension ClauseRun {
  /// More than a clause sends one right after the other: each device may have a limit of its own.
  private static let goodRecords = 40

  /// Reports whether some good records are rejected as well, so that the content of the clause's upload is not the reason.
  func isThrottled() -> Bool {
    do {
      let phone = try phone(named: "throttled") { $0.http.batchSync = false }
      for _ in 0..<(facts.isSlow ? ClauseRun.goodRecords / 2 : ClauseRun.goodRecords) {
        if isOutOfTime { break }
        phone.put([fix(phone)])
        if phone.upload().contains(where: { RateLimit.isThrottling($0.status) }) { return true }
      }
    } catch { return true }
    return false
  }
}
