import Base
import Contract

/// A backend may refuse an upload because it is busy. That says nothing of a clause that asks for something else: the clause has
/// another turn when the backend says so, and is not judged where the backend is too busy for each of them.
extension ConformanceRun {
  private static let turnsMax = 4
  /// It is about what a backend answers to good records.
  private static let clauseOfFailures = "good-record-acknowledged"

  /// The verdict, and the run of the clause that it comes from.
  func patientVerdict(
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

  /// A record that is lost, stored twice or stored otherwise was acknowledged.
  private func mayComeFromThrottling(_ verdict: ConformanceVerdict) -> Bool {
    switch verdict {
    case .broken(let breach): !breach.signs.contains { $0.traits.contains(.ofAcknowledged) }
    case .notJudged(let reason): reason != .outOfTime && reason != .interrupted
    case .kept, .notApplicable, .unread, .partly: false
    }
  }
}

extension ClauseRun {
  private static let goodRecords = 20

  /// Good records are refused as well, one of some: it is not what the clause has sent that is refused.
  func isThrottled() -> Bool {
    do {
      let phone = try phone(named: "throttled") { $0.http.batchSync = false }
      for _ in 0..<ClauseRun.goodRecords {
        if isOutOfTime { break }
        phone.put([fix(phone)])
        if phone.upload().contains(where: { SentLog.isThrottling($0.status) }) { return true }
      }
    } catch { return true }
    return false
  }
}
