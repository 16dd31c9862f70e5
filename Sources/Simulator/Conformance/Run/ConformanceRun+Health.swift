import Base
import Contract
import Scenario
import Threads

/// A backend that no longer stores good records cannot be judged by further clauses: the clause after which it stopped is the
/// finding. If it can be restarted, the other clauses run after the restart.
extension ConformanceRun {
  /// Returns the verdict of a clause, after a check, where in doubt, that the backend still stores good records.
  func checkedForStop(_ verdict: ConformanceVerdict, of clause: ConformanceClause, _ run: ClauseRun)
    -> ConformanceVerdict
  {
    // It has never stored one: no clause has stopped it.
    if ConformanceRun.foundations.contains(where: isBroken) { return verdict }
    guard [.beforeParallel, .parallel, .alone, .risky].contains(clause.phase), isInDoubt(verdict, of: clause, run),
      let problem = run.lastingProblem(withBatches: areBatchesStored)
    else { return verdict }
    if let earlier = noteStop(after: clause.id) { return .notJudged(.backendStopped(after: earlier)) }
    return .broken(stop(problem, after: verdict))
  }

  private func stop(_ problem: String, after verdict: ConformanceVerdict) -> Breach {
    var breach = Breach(cause: "after it, \(problem)", harm: .block)
    if case .broken(let seen) = verdict {
      breach = seen
      breach.cause += "; after it, \(problem)"
    }
    breach.lasting = problem
    return breach
  }

  private func isInDoubt(_ verdict: ConformanceVerdict, of clause: ConformanceClause, _ run: ClauseRun) -> Bool {
    switch verdict {
    case .broken: true
    // After a restart the search is for one of these. Where an upload takes no time, none is left to the next clause.
    case .kept, .partly, .notApplicable:
      !run.log.isEmpty && (clause.phase == .risky || run.turn > 0 || clause.phase != .parallel && !isSlow)
    case .notJudged(let reason): reason != .outOfTime && reason != .interrupted
    case .unread: true
    }
  }

  /// Restarts a backend that the clauses of an earlier phase have left stopped, once for all that follow.
  func restartIfStopped(before due: [ConformanceClause]) {
    guard let stoppingClause, !due.isEmpty, !isBeyondRestart.isRaised, !wasInterrupted, !isOutOfTime,
      // Another restart would not bring it back.
      ConformanceClause.all.first(where: { $0.id == stoppingClause })?.phase != .restart
    else { return }
    if !restartBackend() { isBeyondRestart.raise() }
  }

  /// Runs the clauses of one phase. Those that could not be judged run again after a restart, one at a time, to find the one
  /// that stops the backend.
  func runPhase(
    _ due: [ConformanceClause], in phase: ClausePhase, _ tell: @escaping @Sendable (ClauseResult) -> Void
  ) {
    let threads = phase == .parallel || phase == .risky && isSlow ? parallelCount : 1
    let tellOrWait: @Sendable (ClauseResult) -> Void = { result in
      if !self.mustRunAgain(result, wasAlone: threads == 1), threads == 1 || !self.isDueToStop(result) {
        tell(result)
      }
    }
    func runsAlone(_ clause: ConformanceClause) -> Bool { threads > 1 && runsBeforeOthers(clause) }
    judgeAll(due.filter { runsAlone($0) }, threads: 1, tellOrWait)
    judgeAll(due.filter { !runsAlone($0) }, threads: threads, tellOrWait)
    noteStopAtEnd(of: due)
    if threads > 1, target.dialect.restart == nil {
      nameAllSuspects(due)
      due.compactMap(result(of:)).filter(isDueToStop).forEach(tell)
    }
    // Another restart would not bring it back either.
    if phase == .restart { return }
    guard let first = stoppingClause,
      let firstStopped = due.lazy.compactMap(result(of:)).first(where: { $0.clause.id == first })
    else { return }
    // The suspects first: behind the one that stops it the others would wait for another restart.
    var waiting = threads > 1 ? keptClausesAtStop(of: due) : []
    waiting += due.compactMap(result(of:)).filter { mustRunAgain($0, wasAlone: threads == 1) }.map(\.clause)
    while !waiting.isEmpty, restartBackend() {
      judgeAll(waiting, threads: 1) { result in
        if !self.mustRunAgain(result, wasAlone: true) { tell(result) }
      }
      waiting = waiting.filter { result(of: $0).map { mustRunAgain($0, wasAlone: true) } ?? false }
    }
    waiting.compactMap(result(of:)).forEach(tell)
    // No clause alone caused it, but it did happen.
    guard !due.contains(where: { result(of: $0)?.breach?.isLasting ?? false }) else { return }
    replace(firstStopped)
    tell(firstStopped)
  }

  /// Notes that the backend stopped when no clause of the phase was left to see it: the last kept one is the first suspect, instead of
  /// the first clause of the next phase. An upload that is rejected for a limit proves nothing.
  private func noteStopAtEnd(of due: [ConformanceClause]) {
    guard stoppingClause == nil, connectionDefect == nil, !isOutOfTime, !wasInterrupted,
      !ConformanceRun.foundations.contains(where: isBroken),
      var last = lastToEnd(of: due), isCheckedAtEnd(last.clause)
    else { return }
    let run = clauseRun(last.clause, turn: restartCount, attempt: ConformanceRun.attemptAtEnd)
    guard let problem = run.lastingProblem(withBatches: areBatchesStored), run.log.throttling == nil else { return }
    _ = noteStop(after: last.clause.id)
    last.verdict = .broken(stop(problem, after: last.verdict))
    replace(last)
  }

  private func lastToEnd(of due: [ConformanceClause]) -> ClauseResult? {
    let unbroken = due.compactMap(result(of:)).filter(\.hasSentUnbroken)
    let end = unbroken.compactMap(\.end).max()
    return unbroken.first { $0.end == end }
  }

  /// Reports whether a kept clause leaves open whether the backend still stores good records.
  private func isCheckedAtEnd(_ clause: ConformanceClause) -> Bool {
    clause.phase == .parallel || isSlow && [.beforeParallel, .alone].contains(clause.phase)
  }

  /// What stops a backend most often is looked at before others are beside it, where a look at the store takes no time that
  /// these would need.
  private func runsBeforeOthers(_ clause: ConformanceClause) -> Bool {
    clause.id == "alive-after-bad-record" && target.dialect.verification.readDelay <= .seconds(3)
  }

  /// Reports whether the result represents the end of the backend, or was not judged because of it.
  private func isDueToStop(_ result: ClauseResult) -> Bool {
    guard let stoppingClause else { return false }
    if result.verdict == .notJudged(.backendStopped(after: stoppingClause)) { return true }
    return result.breach?.isLasting ?? false
  }

  /// Handles a backend that stopped while several clauses ran at once and that cannot be restarted: it is unknown which of
  /// them stopped it, so one finding names them all.
  private func nameAllSuspects(_ due: [ConformanceClause]) {
    let stopped = due.compactMap(result(of:)).filter(isDueToStop)
    guard let firstStopped = stopped.first(where: { $0.clause.id == stoppingClause }),
      let problem = firstStopped.breach?.lasting,
      let end = firstStopped.end
    else { return }
    let late = Set(keptClausesAtStop(of: due).map(\.id))
    let began = Set(stopped.filter { $0.begin.map { $0 < end } ?? false }.map(\.clause.id))
    let suspects = due.filter { late.contains($0.id) || began.contains($0.id) }
    guard suspects.count > 1 else { return }
    let named = suspects.first { $0.level == .must } ?? firstStopped.clause
    setStop(after: named.id)
    for var result in stopped {
      result.verdict = .notJudged(.backendStopped(after: named.id))
      replace(result)
    }
    guard var result = result(of: named) else { return }
    let names = suspects.map(\.id).joined(separator: ", ")
    var breach = Breach(
      cause:
        "after \(suspects.count) clauses that ran at once (\(names)), or one that ended shortly before, \(problem): a restart command, or --only with one of them at a time, shows which one it is",
      harm: .block)
    (breach.lasting, breach.suspects) = (problem, suspects.map(\.id))
    result.verdict = .broken(breach)
    replace(result)
  }

  /// Returns the unbroken clauses that may have stopped the backend. A kept clause began before the stop, so the one that caused
  /// it ended after the last of these began.
  private func keptClausesAtStop(of due: [ConformanceClause]) -> [ConformanceClause] {
    let kept = due.compactMap(result(of:)).filter(\.hasSentUnbroken)
    guard let last = kept.filter(\.isKept).compactMap(\.begin).max() else { return [] }
    return kept.filter { $0.end.map { $0 >= last } ?? false }.map(\.clause)
  }

  /// Reports whether the clause had no turn, or ran beside others, one of which may have stopped the backend.
  private func mustRunAgain(_ result: ClauseResult, wasAlone: Bool) -> Bool {
    guard target.dialect.restart != nil, let stoppingClause else { return false }
    return switch result.verdict {
    case .notJudged(let reason): reason == .backendStopped(after: stoppingClause)
    case .broken(let breach): breach.isLasting && !wasAlone
    case .kept, .notApplicable, .unread, .partly: false
    }
  }

  /// Restarts the backend. Returns false if that is impossible, or if it stores no good record then either.
  private func restartBackend() -> Bool {
    guard target.dialect.restart != nil, let clause = ConformanceClause.all.first else { return false }
    let run = clauseRun(clause, turn: countRestart())
    do { _ = try run.restart("KILL") } catch { return false }
    guard run.lastingProblem(withBatches: false) == nil else { return false }
    setStop(after: nil)
    return true
  }
}

extension ClauseRun {
  /// Returns why the backend does not store good records; nil when it does. It is tried on new connections, because one of
  /// several nodes behind an address may be at fault, and twice where answers take long.
  func lastingProblem(withBatches: Bool) -> String? {
    let begin = now
    var (problem, attempt) = (String?.none, 0)
    while attempt < 2 || attempt < 5 && now - begin < .seconds(6) {
      // The clause may have used up the backend's connections.
      _ = leaveLine()
      if attempt > 0 { pause(200) }
      attempt += 1
      do {
        problem = try problemWithGoodRecords(1)
        if problem == nil, withBatches { problem = try problemWithGoodRecords(10) }
      } catch ClauseStop.broken(let breach) {
        problem = breach.cause
      } catch { return nil }
      if problem == nil { return nil }
    }
    return problem
  }

  private func problemWithGoodRecords(_ count: Int) throws -> String? {
    let phone = try phone {
      $0.http.timeoutMilliseconds = facts.isSlow ? 10_000 : 4_000
      if count > 1 { $0.http.batchSync = true }
    }
    let records = (1...count).map { fix(phone, at: instant($0)) }
    let what = count == 1 ? "a good record" : "a batch of good records"
    try deliver(phone, records, as: what)
    // A backend that loses only some of them still works, and so does one that falls behind.
    guard target.store != nil, try look(for: records, of: phone.name).missing.count == count else { return nil }
    let deadline = now + ClauseRun.timeToAppear
    while now < deadline {
      try keepTime()
      if try look(for: records, of: phone.name).missing.count < count { return nil }
    }
    return "\(what) was acknowledged and is not stored"
  }
}
