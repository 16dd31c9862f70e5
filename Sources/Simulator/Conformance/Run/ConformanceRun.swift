package import Base
import Scenario
import Synchronization
import Threads

/// The time at which a run ends, complete or not.
struct RunDeadline: Sendable {
  /// Nil without a limit.
  var end: MonotonicInstant?
  var isOver: Bool { end.map { SystemClock().monotonicNow >= $0 } ?? false }
}

/// A run of clauses against one backend, some sequentially, most in parallel.
package final class ConformanceRun: Sendable {
  /// The selection of clauses and their parameters.
  package struct Settings: Sendable {
    package var seed: UInt64
    package var start: WallInstant
    /// The ids of the selected clauses; nil: all.
    package var only: Set<String>?
    package var skip: Set<String> = []
    /// The number of parallel clauses; nil: the default.
    package var jobs: Int?
    var parallelCount: Int { jobs ?? 6 }
    /// Clauses that have not been judged by then are not judged; nil: no limit.
    package var timeLimit: Nanoseconds?
    /// How long a clause of many devices queries their records; with a slow store the rest remains unknown.
    var timeForDevices = Nanoseconds.seconds(12)
    /// The minimum age of an acknowledged record that is sent again at the end of a run.
    var timeAway = Nanoseconds.seconds(10)
    /// How long a backend may take to return after a restart.
    var restartTimeout = Nanoseconds.seconds(20)
    /// How long a connection stays idle: neither a usual timeout of servers nor one second more.
    var idleTime = Nanoseconds.milliseconds(7_500)
    /// How long a phone waits for an answer.
    var answerTime = ClauseRun.answerTime

    package init(seed: UInt64, start: WallInstant) { (self.seed, self.start) = (seed, start) }

    /// A part of device names that keeps runs at one backend apart.
    var runID: String { Settings.runID(of: start) }

    static func runID(of start: WallInstant) -> String { String(start.millisecondsSince1970, radix: 36) }
  }

  let target: ConformanceTarget
  private let settings: Settings
  let facts: RunFacts
  private let watch = AnswerWatch()
  private let results = Mutex<[String: ClauseResult]>([:])
  private let isInterrupted = Atomic(false)
  /// The clause after which the backend stopped storing good records.
  private let stopCause = Mutex<String?>(nil)
  /// The clause that a sample of good records found broken.
  private let sample = Mutex<(result: ClauseResult, isLoss: Bool)?>(nil)
  /// The clause about a defect of connections that leaves uploads without an answer until they time out.
  private let foundConnectionDefect = Mutex<ClauseResult?>(nil)
  /// Set when all single good uploads are accepted, and some of simultaneous ones are not.
  let failsOnlyInParallel = AtomicFlag()
  private let restarts = Atomic(0)
  /// Set when a restart has not brought the backend back.
  let isBeyondRestart = AtomicFlag()
  private let clock = SystemClock()
  /// The time at which running clauses end; the time of a last request is reserved.
  private let deadline: RunDeadline

  package init(_ target: ConformanceTarget, _ settings: Settings) {
    self.target = target
    self.settings = settings
    facts = RunFacts(target)
    deadline = RunDeadline(
      end: settings.timeLimit.map { SystemClock().monotonicNow + max($0 - ClauseRun.answerTime, .zero) })
    target.client.end.set(deadline.end.map { $0 + ClauseRun.answerTime })
  }

  /// Stops the run: clauses that have not begun are not judged. May be called from any thread.
  package func interrupt() {
    isInterrupted.store(true, ordering: .relaxed)
    target.client.end.interrupt()
  }

  /// Whether it ended before all clauses had run.
  package var wasInterrupted: Bool { isInterrupted.load(ordering: .relaxed) }

  /// The clauses of this run, in order.
  package var clauses: [ConformanceClause] {
    ConformanceClause.all.filter { clause in
      (settings.only?.contains(clause.id) ?? true) && !settings.skip.contains(clause.id)
    }
  }

  /// Returns when all clauses have a verdict. `tell` is called from several threads, with each result and the number
  /// of results so far.
  package func run(_ tell: @escaping @Sendable (ClauseResult, Int) -> Void) -> [ClauseResult] {
    // Other clauses need the results of the first ones, selected or not.
    let wanted = Set(clauses.map(\.id))
    for phase in ClausePhase.allCases {
      let due = ConformanceClause.all.filter { $0.phase == phase && (phase == .first || wanted.contains($0.id)) }
      restartIfStopped(before: due)
      takeSample(before: phase) { if wanted.contains($0.clause.id) { tell($0, self.results.withLock { $0.count }) } }
      if phase == .restart, watch.seen.isBusy { facts.noteBusy() }
      runPhase(due, in: phase) { result in
        if wanted.contains(result.clause.id) { tell(result, self.results.withLock { $0.count }) }
      }
    }
    lookAgain()
    lookForMerged()
    return explained((brokenFoundations + clauses).compactMap { clause in results.withLock { $0[clause.id] } })
  }

  /// Broken foundations keep selected clauses from being judged and are reported, selected or not.
  private var brokenFoundations: [ConformanceClause] {
    let wanted = clauses
    return ConformanceClause.all.filter { clause in
      isFoundation(clause.id) && isBroken(clause.id) && !wanted.contains { $0.id == clause.id }
        && wanted.contains { result(of: $0)?.verdict == .notJudged(.because(of: clause.id)) }
    }
  }

  private func isFoundation(_ id: String) -> Bool {
    ConformanceRun.foundations.contains(id) || connectionDefect?.clause.id == id
  }

  /// Whether most of a clause's time would be spent waiting.
  var isSlow: Bool { facts.isSlow || facts.isStoreSlow || target.dialect.verification.readDelay > .milliseconds(250) }

  /// The number of parallel clauses: one where the backend has rejected simultaneous uploads, so that the other clauses test
  /// only their own subject; many where it handles them and is slow, unless the number was given.
  var parallelCount: Int {
    let parallelUploads = "many-devices-at-once"
    if isBroken(parallelUploads) || facts.refusesParallelUploads { return 1 }
    guard isSlow, settings.jobs == nil else { return settings.parallelCount }
    return switch results.withLock({ $0[parallelUploads]?.verdict }) {
    case .kept?, .partly?: 24
    default: settings.parallelCount
    }
  }

  func judgeAll(
    _ clauses: [ConformanceClause], threads count: Int, _ tell: @escaping @Sendable (ClauseResult) -> Void
  ) {
    let next = Atomic(0)
    // The slow ones first, because a phase waits for them.
    let order = clauses.filter(\.isSlow) + clauses.filter { !$0.isSlow }
    let take: @Sendable () -> ConformanceClause? = {
      let index = next.add(1, ordering: .relaxed).oldValue
      return index < order.count ? order[index] : nil
    }
    let body: @Sendable () -> Void = {
      while let clause = take() {
        let result = self.judge(clause)
        self.results.withLock { $0[clause.id] = result }
        tell(result)
      }
    }
    let threads = (0..<min(count, order.count)).map { NamedThread.started("clauses-\($0)", body) }
    for thread in threads { thread.join() }
  }

  private func judge(_ clause: ConformanceClause) -> ClauseResult {
    for known in [sampled, connectionDefect] { if let known, known.clause.id == clause.id { return known } }
    let start = clock.monotonicNow
    let (verdict, hasSent) = verdictWithoutTrial(of: clause).map { ($0, false) } ?? verdictOfTrial(of: clause)
    let end = clock.monotonicNow
    return ClauseResult(
      clause: clause, verdict: verdict, seconds: (end - start).seconds, begin: start, end: end, hasSent: hasSent)
  }

  /// Returns the verdict of a clause that cannot be judged as the run stands; nil if it is to be tried.
  private func verdictWithoutTrial(of clause: ConformanceClause) -> ConformanceVerdict? {
    let (isFirst, isLast) = (clause.phase == .first, clause.phase == .last)
    if let connectionDefect { return .notJudged(.because(of: connectionDefect.clause.id)) }
    if isInterrupted.load(ordering: .relaxed) { return .notJudged(.interrupted) }
    if let obstacle = facts.obstacle { return .notJudged(.other(obstacle)) }
    if let reason = missingNeed(of: clause) { return reason }
    if !isFirst, !isLast, let cause = brokenFoundation(of: clause) { return .notJudged(.because(of: cause)) }
    if deadline.isOver, !isLast { return .notJudged(.outOfTime) }
    if let stoppingClause, !isLast { return .notJudged(.backendStopped(after: stoppingClause)) }
    // Without a good answer each upload would wait for a timeout.
    let good = "good-record-acknowledged"
    if isFirst, clause.presumes.contains(good), isBroken(good) { return .notJudged(.because(of: good)) }
    // A store that the first look could not read need not be tried by each clause.
    if !isFirst, clause.needs.contains(.store), let problem = facts.storeProblem { return .unread(problem) }
    return nil
  }

  /// Returns a broken clause without which no other can be judged, unless it may be the cause of that.
  private func brokenFoundation(of clause: ConformanceClause) -> String? {
    guard !ConformanceRun.causesOfFoundations.contains(clause.id) else { return nil }
    return ConformanceRun.foundations.first { isBroken($0) && $0 != clause.id }
  }

  /// Returns the verdict of a trial, and whether anything was sent.
  private func verdictOfTrial(of clause: ConformanceClause) -> (ConformanceVerdict, Bool) {
    let (verdict, run) = verdictWithRetries(of: clause, turn: restartCount)
    let hasSent = !run.log.isEmpty
    if let suspect = run.suspect, leavesUploadsUnanswered(suspect) {
      if case .kept = verdict { return (verdict, hasSent) }
      return (.notJudged(.because(of: suspect)), hasSent)
    }
    if clause.phase == .restart, case .broken(let breach) = verdict, breach.isLasting {
      _ = noteStop(after: clause.id)
      return (verdict, hasSent)
    }
    return (checkedForStop(verdict, of: clause, run), hasSent)
  }

  /// Judges a clause at once that may be the reason why an upload had no answer. Reports whether it is.
  private func leavesUploadsUnanswered(_ id: String) -> Bool {
    guard let clause = ConformanceClause.all.first(where: { $0.id == id }) else { return false }
    let start = clock.monotonicNow
    let verdict = verdict(of: clause, clauseRun(clause, turn: restartCount))
    guard case .broken(let breach) = verdict, breach.signs.contains(.unanswered) else { return false }
    let end = clock.monotonicNow
    let result = ClauseResult(
      clause: clause, verdict: verdict, seconds: (end - start).seconds, begin: start, end: end)
    foundConnectionDefect.withLock { $0 = result }
    replace(result)
    return true
  }

  func verdict(of clause: ConformanceClause, _ run: ClauseRun) -> ConformanceVerdict {
    do {
      try clause.provoke(run)
      return .kept(run.note, unshown: run.unshown)
    } catch let stop as ClauseStop {
      switch stop {
      case .broken(let breach): return .broken(breach)
      case .notApplicable(let reason): return .notApplicable(reason)
      case .notJudged(let reason): return .notJudged(.other(reason))
      case .outOfTime: return .notJudged(.outOfTime)
      case .partly(let reason): return .partly(reason)
      case .unread(let reason):
        if clause.phase == .first { facts.note(storeProblem: reason) }
        return .unread(reason)
      }
    } catch { return .notJudged(.other("\(error)")) }
  }

  func clauseRun(_ clause: ConformanceClause, turn: Int, attempt: Int = 0) -> ClauseRun {
    ClauseRun(
      clause, target, settings, facts: facts, watch: watch, deadline: deadline, turn: turn, attempt: attempt)
  }

  var stoppingClause: String? { stopCause.withLock { $0 } }

  /// Notes the clause after which the backend stopped. Returns nil if it is the first, otherwise the first one.
  func noteStop(after clause: String) -> String? {
    stopCause.withLock { cause in
      defer { cause = cause ?? clause }
      return cause
    }
  }

  func setStop(after clause: String?) { stopCause.withLock { $0 = clause } }

  /// The clause about a defect of connections, with its verdict; while there is one, no other clause is judged.
  var connectionDefect: ClauseResult? { foundConnectionDefect.withLock { $0 } }

  var sampled: ClauseResult? { sample.withLock { $0?.result } }

  var isLossSampled: Bool { sample.withLock { $0?.isLoss ?? false } }

  func noteSampled(_ result: ClauseResult, isLoss: Bool) { sample.withLock { $0 = (result, isLoss) } }

  /// Drops the sample's finding about this clause, which has turned out to be wrong.
  func dropSample(of id: String) { sample.withLock { if $0?.result.clause.id == id { $0 = nil } } }

  var isOutOfTime: Bool { deadline.isOver }

  var restartCount: Int { restarts.load(ordering: .relaxed) }

  /// Counts a restart and returns the number so far.
  func countRestart() -> Int { restarts.add(1, ordering: .relaxed).newValue }

  /// Without these no other verdict means anything.
  static let foundations = [
    "no-redirect", "second-connection-served", "good-record-acknowledged", "stored-when-acknowledged",
  ]

  /// Judged all the same, as possible causes of broken foundations.
  private static let causesOfFoundations = Set(
    ConformanceClause.all.filter { foundations.contains($0.id) }.flatMap(\.presumes))

  /// Whether batches are stored, as far as this run has seen.
  var areBatchesStored: Bool {
    if case .kept = results.withLock({ $0["batch-all-stored"]?.verdict }) { true } else { false }
  }

  func result(of clause: ConformanceClause) -> ClauseResult? { results.withLock { $0[clause.id] } }

  func replace(_ result: ClauseResult) { results.withLock { $0[result.clause.id] = result } }

  func isBroken(_ id: String) -> Bool {
    results.withLock { results in
      if case .broken = results[id]?.verdict { true } else { false }
    }
  }

  private func missingNeed(of clause: ConformanceClause) -> ConformanceVerdict? {
    let needs = clause.needs
    if !needs.isDisjoint(with: [.tokens, .refresh]), target.login == nil {
      return .notApplicable("the dialect promises no tokens")
    }
    if needs.contains(.refresh), target.refreshURL == nil {
      return .notApplicable("the dialect names no refresh")
    }
    if needs.contains(.refusal), facts.tokens == .none {
      return .notApplicable("no upload is refused for its token")
    }
    if needs.contains(.commands), target.commands == nil { return .notApplicable("the dialect promises no commands") }
    if needs.contains(.restart), target.dialect.restart == nil {
      return .notApplicable("--restart is missing")
    }
    if needs.contains(.store), target.store == nil {
      return .notJudged(.other("the dialect has no 'verify'"))
    }
    return nil
  }

  /// One node of several may show entries where the first look saw none.
  private func withoutDoubt(_ result: ClauseResult) -> ClauseResult {
    guard facts.longestList > 0, let breach = result.breach else { return result }
    var result = result
    result.verdict = .broken(breach.withoutDoubt)
    return result
  }

  private func explained(_ results: [ClauseResult]) -> [ClauseResult] {
    let results = results.map(attributedToSample).map(withoutDoubt)
    let causes = ConformanceCauses(results)
    return results.map { result in
      var result = result
      result.cause = causes.cause(of: result.clause.id)
      return result
    }
  }
}

extension ConformanceClause {
  /// Whether the clause waits for time to pass.
  var isSlow: Bool { ["idle-then-upload", "backlog-5000", "tokens-end", "slow-body"].contains(id) }
}
