package import Base
import Scenario
import Synchronization
import Threads

/// A run of clauses against one backend: some after each other, most side by side.
package final class ConformanceRun: Sendable {
  /// Which clauses, and with which values.
  package struct Settings: Sendable {
    package var seed: UInt64
    package var start: WallInstant
    /// Clauses by their ids; nil: all.
    package var only: Set<String>?
    package var skip: Set<String> = []
    package var sideBySide = 6
    /// What is not judged by then is not judged; nil: all is.
    package var timeLimit: Nanoseconds?

    package init(seed: UInt64, start: WallInstant) { (self.seed, self.start) = (seed, start) }

    /// In the names of devices, so that runs at one backend do not meet.
    var runID: String { String(start.millisecondsSince1970, radix: 36) }
  }

  private let target: ConformanceTarget
  private let settings: Settings
  private let facts: RunFacts
  private let watch = AnswerWatch()
  private let results = Mutex<[String: ClauseResult]>([:])
  private let isInterrupted = Atomic(false)
  private let clock = SystemClock()
  /// When clauses end that are under way; the time that a last request takes is left of the limit.
  private let deadline: MonotonicInstant?

  package init(_ target: ConformanceTarget, _ settings: Settings) {
    self.target = target
    self.settings = settings
    facts = RunFacts(target)
    deadline = settings.timeLimit.map { SystemClock().monotonicNow + max($0 - ClauseRun.answerTime, .zero) }
  }

  /// What is not begun yet is not judged any more. From any thread.
  package func interrupt() { isInterrupted.store(true, ordering: .relaxed) }

  /// It ended before all clauses had their turn.
  package var wasInterrupted: Bool { isInterrupted.load(ordering: .relaxed) }

  /// The clauses of this run, in their order.
  package var clauses: [ConformanceClause] {
    ConformanceClause.all.filter { clause in
      (settings.only?.contains(clause.id) ?? true) && !settings.skip.contains(clause.id)
    }
  }

  /// Returns when all clauses have a verdict. `tell` is called from several threads, with each result and how many there are by then.
  package func run(_ tell: @escaping @Sendable (ClauseResult, Int) -> Void) -> [ClauseResult] {
    // What the first clauses find out, others need, whether they are wanted or not.
    let wanted = Set(clauses.map(\.id))
    for phase in ClausePhase.allCases {
      let due = ConformanceClause.all.filter { $0.phase == phase && (phase == .first || wanted.contains($0.id)) }
      work(on: due, threads: phase == .together ? sideBySide : 1) { result in
        if wanted.contains(result.clause.id) { tell(result, self.results.withLock { $0.count }) }
      }
    }
    return explained(clauses.compactMap { clause in results.withLock { $0[clause.id] } })
  }

  /// One where the backend has refused uploads at once: each of the others is then judged for what it is about. Many where
  /// it bears that, and most of the time would be spent waiting.
  private var sideBySide: Int {
    let crowd = "many-devices-at-once"
    if isBroken(crowd) { return 1 }
    guard case .kept = results.withLock({ $0[crowd]?.verdict }),
      facts.isSlow || target.dialect.verification.readDelay > .milliseconds(250)
    else { return settings.sideBySide }
    return max(settings.sideBySide, 24)
  }

  private func work(
    on clauses: [ConformanceClause], threads count: Int, _ tell: @escaping @Sendable (ClauseResult) -> Void
  ) {
    let next = Atomic(0)
    // The slow ones first: they are what a phase waits for.
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
    let start = clock.monotonicNow
    func result(_ verdict: ConformanceVerdict) -> ClauseResult {
      ClauseResult(clause: clause, verdict: verdict, seconds: (clock.monotonicNow - start).seconds)
    }
    if isInterrupted.load(ordering: .relaxed) { return result(.interrupted) }
    if let deadline, clock.monotonicNow >= deadline, clause.phase != .last { return result(.outOfTime) }
    if let silence = facts.silence { return result(.notJudged("the target cannot be reached: \(silence)")) }
    if let reason = missingNeed(of: clause) { return result(reason) }
    if let cause = ConformanceRun.foundations.first(where: { isBroken($0) && $0 != clause.id }),
      clause.phase != .first, clause.phase != .last, !ConformanceRun.causesOfFoundations.contains(clause.id)
    {
      return result(.notJudged("because of \(cause)"))
    }
    // A backend without a good answer takes a time-out for each upload.
    let good = "good-record-acknowledged"
    if clause.phase == .first, clause.presumes.contains(good), isBroken(good) {
      return result(.notJudged("because of \(good)"))
    }
    // What the first look at the store came to, the others need not find out again, each in its own time.
    if clause.needs.contains(.store), clause.phase != .first, let problem = facts.storeProblem {
      return result(.unread(problem))
    }
    let run = ClauseRun(clause, target, settings, facts: facts, watch: watch, deadline: deadline)
    do {
      try clause.provoke(run)
      return result(.kept(run.note))
    } catch let stop as ClauseStop {
      switch stop {
      case .broken(let breach): return result(.broken(breach))
      case .notApplicable(let reason): return result(.notApplicable(reason))
      case .notJudged(let reason): return result(.notJudged(reason))
      case .outOfTime: return result(.outOfTime)
      case .unread(let reason):
        if clause.phase == .first { facts.note(storeProblem: reason) }
        return result(.unread(reason))
      }
    } catch { return result(.notJudged("\(error)")) }
  }

  /// Without these nothing else says anything.
  private static let foundations = [
    "no-redirect", "second-connection-served", "good-record-acknowledged", "stored-when-acknowledged",
  ]

  /// Looked at all the same: what has broken them.
  private static let causesOfFoundations = Set(
    ConformanceClause.all.filter { foundations.contains($0.id) }.flatMap(\.presumes))

  private func isBroken(_ id: String) -> Bool {
    results.withLock { results in
      if case .broken = results[id]?.verdict { true } else { false }
    }
  }

  private func missingNeed(of clause: ConformanceClause) -> ConformanceVerdict? {
    let needs = clause.needs
    if needs.contains(.tokens), target.login == nil || target.refreshURL == nil {
      return .notApplicable("the dialect promises no tokens")
    }
    if needs.contains(.refusal), facts.tokens == .none {
      return .notApplicable("no upload is refused for its token")
    }
    if needs.contains(.commands), target.commands == nil { return .notApplicable("the dialect promises no commands") }
    if needs.contains(.restart), target.dialect.restart == nil {
      return .notApplicable("--restart is missing")
    }
    if needs.contains(.plainHTTP), target.address == nil {
      return .notJudged("it takes a plain connection, http://")
    }
    if needs.contains(.store), target.store == nil {
      return .notJudged("the dialect has no 'verify'")
    }
    return nil
  }

  /// A finding names one cause: what a broken clause has broken in others is told under it.
  private func explained(_ results: [ClauseResult]) -> [ClauseResult] {
    let broken = Set(
      results.filter { if case .broken = $0.verdict { true } else { false } }.map(\.clause.id))
    return results.map { result in
      guard case .broken = result.verdict else { return result }
      var result = result
      result.cause = result.clause.presumes.first { broken.contains($0) }
      // What was acknowledged before it was read is lost in many ways; what comes late may look lost to a clause that
      // does not wait as long.
      if result.cause == nil, result.breach?.isLoss == true {
        result.cause = ["answer-waits-for-body", "readable-when-acknowledged"].first { broken.contains($0) }
      }
      return result
    }
  }
}

extension ConformanceClause {
  /// It waits for time to pass.
  var isSlow: Bool { ["idle-then-upload", "backlog-5000", "tokens-end", "slow-body"].contains(id) }
}
