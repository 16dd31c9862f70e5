import BackendStore
import Base
import Contract
import Scenario
import Threads
import Upload

/// A backend that fails now and then, whatever it is sent, breaks the clauses that are running, and none of these is the
/// cause. If clauses were broken, a sample of ordinary records shows whether these fail, too.
extension ConformanceRun {
  /// The clauses that a sample may find broken.
  static let clausesOfSample = [
    "stored-when-acknowledged", "good-record-acknowledged", "batch-all-stored", "coordinates-not-swapped",
    "coordinates-exact", "time-is-utc", "time-to-the-millisecond", "standard-fields-kept", "extras-every-kind",
  ]
  /// Parts of device names, beyond all attempts at a busy backend: of a clause that runs again, of the check at the end of a phase,
  /// and, with the number of the phase, of a sample.
  private static let repetition = 50
  static let attemptAtEnd = 80
  private static let attemptOfSample = 100
  private static let attemptOfRow = 120
  private static let timeForRepetitions = Nanoseconds.seconds(8)
  private static let parallelUploads = "many-devices-at-once"

  /// Takes a sample: before the many clauses, which take long if records are missing; before those that may stop a backend;
  /// and after these, if one of them has left it failing.
  func takeSample(before phase: ClausePhase, _ tell: (ClauseResult) -> Void) {
    guard [.beforeParallel, .parallel, .risky, .restart].contains(phase) else { return }
    lookAgain()
    guard stoppingClause == nil, connectionDefect == nil, !wasInterrupted, sampled == nil,
      let clause = ConformanceClause.all.first(where: { $0.id == ConformanceRun.clausesOfSample[0] })
    else { return }
    let broken = ConformanceClause.all.compactMap(result(of:)).filter { $0.breach != nil }
    // If no good upload succeeds, nothing else is judged.
    if phase != .beforeParallel, ConformanceRun.clausesOfSample.prefix(2).contains(where: isBroken) { return }
    guard
      phase == .restart
        ? broken.contains(where: { $0.clause.phase == .risky }) : !broken.isEmpty || isSampleWanted(before: phase)
    else { return }
    let run = clauseRun(clause, turn: restartCount, attempt: ConformanceRun.attemptOfSample + phase.rawValue)
    guard let sample = run.sampleOfGoodRecords() else { return }
    guard let found = sample.finding(beside: broken.compactMap(\.breach)) else {
      if phase == .risky { findRareFailure(broken, tell) }
      return
    }
    if found.isOfFailures, isOnlyInParallel(run) {
      if phase == .risky { findRareFailure(broken, tell) }
      return
    }
    if phase == .restart { return attributeToRiskyClause(broken, found) }
    reportBroken(found, tell)
    repeatOnce(broken.filter { !isExplained($0, by: found) }, because: found.clause)
  }

  /// Reports whether the backend fails only if uploads come at once, or in quick succession on different connections, and
  /// accepts single ones: the clause about parallel uploads has found that, and the others can be judged.
  private func isOnlyInParallel(_ run: ClauseRun) -> Bool {
    if failsOnlyInParallel.isRaised { return true }
    guard isBroken(ConformanceRun.parallelUploads), run.takesSingleUploads() else { return false }
    failsOnlyInParallel.raise()
    return true
  }

  /// Reports whether the only clause of this run is one that a sample finds broken, as in "again" of a finding.
  private func isSampleWanted(before phase: ClausePhase) -> Bool {
    phase == .risky && clauses.count == 1 && clauses.allSatisfy { ConformanceRun.clausesOfSample.contains($0.id) }
  }

  private func isExplained(_ result: ClauseResult, by found: GoodRecordSample.Finding) -> Bool {
    guard let signs = result.breach?.signs, result.clause.id != found.clause else { return true }
    return signs.contains { $0.clauses.contains(found.clause) }
  }

  /// Finds a failure too rare for a sample, from several broken clauses that are kept when they run again.
  private func findRareFailure(_ broken: [ClauseResult], _ tell: (ClauseResult) -> Void) {
    let causes = ConformanceCauses(broken)
    let isOnlyInParallel = failsOnlyInParallel.isRaised
    let roots = broken.filter { result in
      causes.cause(of: result.clause.id) == nil && result.breach?.isOfGoodRecords ?? false
        && !(result.breach?.isLasting ?? true)
        && !(isOnlyInParallel && result.clause.id == ConformanceRun.parallelUploads)
    }
    guard roots.count > 1 else { return roots.forEach { excuseSingleFailure($0, tell) } }
    let isLoss = roots.contains { $0.breach?.signs.contains(.loss) ?? false }
    // The row does not look for its records in the store.
    if !isLoss, let found = rareFailure(beside: broken) {
      reportBroken(found, tell)
      repeatOnce(broken.filter { !isExplained($0, by: found) }, because: found.clause)
      return
    }
    let ofFailures = isOnlyInParallel ? ConformanceRun.parallelUploads : ConformanceRun.clausesOfSample[1]
    let cause = isLoss ? ConformanceRun.clausesOfSample[0] : ofFailures
    let kept = repeatOnce(roots, because: cause)
    if cause == ConformanceRun.parallelUploads || kept.count < 2 { return }
    // As long as a sample looks for its own records.
    if isLoss { lookAgain(for: ClauseRun.timeToAppear) }
    let found = roots.filter { kept.contains($0.clause.id) && isBroken($0.clause.id) }
    guard found.count > 1, let first = found.first?.breach else { return }
    // The lost records have appeared, and the remaining breaches are of another kind.
    if isLoss, !found.contains(where: { $0.breach?.signs.contains(.loss) ?? false }) { return }
    let names = found.map(\.clause.id).joined(separator: ", ")
    var breach = first
    // No request by itself brings it about.
    (breach.suspects, breach.reproduction) = (found.map(\.clause.id), nil)
    breach.missing = found.flatMap { $0.breach?.missing ?? [] }
    breach.cause =
      "\(isLoss ? "acknowledged records are sometimes not stored" : "good records are sometimes not acknowledged"): \(found.count) clauses were broken by that, and kept when they ran again (\(names)); the first: \(first.cause)"
    reportBroken(GoodRecordSample.Finding(clause: cause, breach: breach), tell)
  }

  /// Returns the finding of a failure that a long row of good uploads meets more than once. One that is of uploads at once alone
  /// is not in it.
  private func rareFailure(beside broken: [ClauseResult]) -> GoodRecordSample.Finding? {
    guard !isSlow, let clause = ConformanceClause.all.first(where: { $0.id == ConformanceRun.clausesOfSample[1] })
    else { return nil }
    let run = clauseRun(clause, turn: restartCount, attempt: ConformanceRun.attemptOfRow)
    guard let row = run.rowOfGoodRecords(), row.singles.failed.count > 1 else { return nil }
    return row.finding(beside: broken.compactMap(\.breach))
  }

  /// Excuses a single failure of a good upload that does not recur. The loss of an acknowledged record is not excused.
  private func excuseSingleFailure(_ root: ClauseResult, _ tell: (ClauseResult) -> Void) {
    guard let breach = root.breach, breach.signs.contains(where: { $0.traits.contains(.failure) }),
      !breach.signs.contains(.loss)
    else { return }
    let (verdict, run) = verdictWithRetries(of: root.clause, turn: restartCount, attempt: ConformanceRun.repetition)
    guard case .kept(let note, let unshown) = verdict, !run.isOutOfTime else { return }
    var result = root
    result.verdict = .kept(
      (note.isEmpty ? "" : note + "; ") + "when it ran again; the first time, \(breach.cause.shortened(160))",
      unshown: unshown)
    replace(result)
    tell(result)
  }

  private func reportBroken(_ found: GoodRecordSample.Finding, _ tell: (ClauseResult) -> Void) {
    guard let cause = ConformanceClause.all.first(where: { $0.id == found.clause }) else { return }
    var result = self.result(of: cause) ?? ClauseResult(clause: cause, verdict: .kept(""), seconds: 0)
    var breach = result.breach ?? found.breach
    // A clause of the first phase saw a single record, which does not show how often the failure occurs.
    if result.breach != nil, cause.phase == .first { breach.cause += "; \(found.breach.cause)" }
    let isLoss = breach.signs.contains(.loss)
    // The requests would reproduce it only by chance.
    if result.breach == nil { (breach.requests, breach.reproduction) = (nil, nil) }
    // No other clause is its cause.
    breach.signs = []
    result.verdict = .broken(breach)
    noteSampled(result, isLoss: isLoss)
    replace(result)
    tell(result)
  }

  /// Repeats broken clauses; one that is kept then was broken by chance. Returns those. A backend that stopped, and was restarted
  /// since, did not do so by chance.
  @discardableResult
  private func repeatOnce(_ broken: [ClauseResult], because cause: String) -> [String] {
    var kept: [String] = []
    let end = SystemClock().monotonicNow + ConformanceRun.timeForRepetitions
    for var result in broken where !(result.breach?.isLasting ?? true) {
      guard SystemClock().monotonicNow < end, !wasInterrupted, var breach = result.breach else { break }
      let (verdict, run) = verdictWithRetries(of: result.clause, turn: restartCount, attempt: ConformanceRun.repetition)
      guard case .kept = verdict, !run.isOutOfTime else { continue }
      breach.signs.insert(.byChance(of: cause))
      result.verdict = .broken(breach)
      replace(result)
      kept.append(result.clause.id)
    }
    return kept
  }

  /// Attributes intermittent failures to the first of the clauses that may stop a backend; later breaches are due to it.
  private func attributeToRiskyClause(_ broken: [ClauseResult], _ found: GoodRecordSample.Finding) {
    let risky = broken.filter { $0.clause.phase == .risky }
    func beginning(_ result: ClauseResult) -> Int64 { result.begin?.nanoseconds ?? .max }
    guard var cause = risky.min(by: { beginning($0) < beginning($1) }), var breach = cause.breach else { return }
    breach.cause += "; after it, \(found.breach.cause)"
    breach.missing = []
    cause.verdict = .broken(breach)
    noteSampled(cause, isLoss: false)
    replace(cause)
  }

  /// Attributes failures and losses to the clause that a sample found broken; after a clause that left the backend failing,
  /// those of that clause's phase and later.
  func attributedToSample(_ result: ClauseResult) -> ClauseResult {
    guard let cause = sampled, cause.clause.id != result.clause.id, var breach = result.breach else {
      return result
    }
    if cause.clause.phase == .risky {
      // Several may have run at once, so their order proves nothing.
      guard result.clause.phase >= .risky, breach.isOfGoodRecords else { return result }
    } else {
      guard isLossSampled, breach.signs.contains(.loss) else { return result }
    }
    breach.signs.insert(.byChance(of: cause.clause.id))
    var result = result
    result.verdict = .broken(breach)
    return result
  }
}
