import Base
import Network
import Store

/// Answers when every step of a plan is met, or when a step can no longer be met. Stored records are read page by page first; after
/// that, the hub reports what is new. Reading and matching happen on the reader and journal threads.
final class PlanWait: Responder {
  /// The delay before asking again when the readers are busy.
  private static let pause = Nanoseconds.milliseconds(20)
  /// How long a wait continues after its timeout to read what is stored.
  private static let lastScan = Nanoseconds.seconds(2)

  private enum Verdict {
    case open, met, exceeded, short, unknown
  }

  private let plan: WaitPlan
  private let exchange: Exchange
  /// The watch in the hub; nil for a check.
  private let watch: UInt64?
  private let begunAt: WallInstant
  private var scan: ExpectationScan
  private var met: [WaitReport.Step] = []
  private var isScanning = false
  /// New data may have arrived since the last scan.
  private var isStale = true
  private var hasLooked = false
  private var holdsUntil: MonotonicInstant?
  /// The time limit of the current step.
  private var limit: MonotonicInstant?
  /// When the last scan began.
  private var askedAt: MonotonicInstant?

  private init(_ plan: WaitPlan, _ exchange: Exchange, watch: UInt64?, begunAt: WallInstant) {
    self.plan = plan
    self.exchange = exchange
    self.watch = watch
    self.begunAt = begunAt
    scan = ExpectationScan(plan.steps[0], TallyBounds(from: plan.from), onlyNew: plan.isFromNow)
  }

  static func begin(
    _ plan: WaitPlan, _ exchange: Exchange, in session: IngestSession, _ output: inout SessionOutput
  ) {
    var watch: UInt64?
    if plan.timeout != nil {
      let devices = Set(plan.steps.map(\.device))
      let device = devices.count == 1 ? plan.steps[0].device : nil
      watch = session.context.hub.watch(
        session.address, run: plan.run, device: device, Set(plan.steps.map(\.kind)))
      guard watch != nil else { return session.answer(exchange, .tooManyWaiters, bodyComplete: true, &output) }
    }
    let wait = PlanWait(plan, exchange, watch: watch, begunAt: session.context.backend.now)
    session.respond(with: wait)
    wait.beginStep(after: wait.begunAt.millisecondsSince1970, session, output.now)
    wait.proceed(session, &output)
  }

  func delivered(_ message: SessionMessage, _ session: IngestSession, _ output: inout SessionOutput) {
    switch message {
    case .eventsWaiting(watch): isStale = true
    case .scanned(.success(let scan)):
      self.scan = scan
      (isScanning, hasLooked) = (false, true)
    case .scanned(.failure(let error)):
      end(session)
      return session.answer(exchange, .unreadable(error), bodyComplete: true, &output)
    default: return
    }
    proceed(session, &output)
  }

  func alarmFired(_ session: IngestSession, _ output: inout SessionOutput) {
    isStale = true
    proceed(session, &output)
  }

  func drain(_ session: IngestSession, _ output: inout SessionOutput) {
    end(session)
    session.answer(exchange, .unavailable(.stopping), bodyComplete: true, &output)
  }

  func closed(_ session: IngestSession) { end(session) }

  private func end(_ session: IngestSession) {
    session.wishes.alarm = nil
    if let watch { session.context.hub.unwatch(watch, run: plan.run) }
  }
}

extension PlanWait {
  private var expectation: ContentExpectation { scan.tally.expectation }
  /// Whether the count is right in the data that can be examined, but more may have arrived.
  private var isUnknown: Bool { expectation.count.atMost != nil && scan.tally.isInRange && !scan.gaps.isEmpty }
  private var isLast: Bool { met.count == plan.steps.count - 1 }

  /// Sets the time limit of a step, which begins when the previous one was met.
  private func beginStep(after instant: Int64, _ session: IngestSession, _ now: MonotonicInstant) {
    guard let timeout = plan.timeout else { return }
    var end = begunAt.millisecondsSince1970 + timeout
    if let within = expectation.within { end = min(end, instant + within) }
    scan.limit(to: end)
    limit = now + .milliseconds(max(0, end - session.context.backend.now.millisecondsSince1970))
  }

  private func proceed(_ session: IngestSession, _ output: inout SessionOutput) {
    while !isScanning {
      switch judge(at: output.now) {
      case .open:
        var alarms = [holdsUntil, limit, deadline].compactMap { $0 }
        // A scan that began before such an instant and ended after it does not show the state at that instant.
        if let askedAt, alarms.contains(where: { askedAt < $0 && $0 <= output.now }) { isStale = true }
        if let expiry = scan.changesAt {
          let left = max(1, expiry - session.context.backend.now.millisecondsSince1970)
          alarms.append(output.now + .milliseconds(left))
        }
        if isStale || !scan.isScanned, !ask(session, output.now) { alarms.append(output.now + Self.pause) }
        session.wishes.alarm = isScanning ? nil : alarms.filter { $0 > output.now }.min()
        return
      case .met:
        let at = scan.tally.decisive?.at ?? session.context.backend.now.millisecondsSince1970
        met.append(WaitReport.Step(kind: expectation.kind, found: scan.tally.found, at: at))
        guard met.count < plan.steps.count else { return succeed(session, &output) }
        let bounds = TallyBounds(from: at, after: scan.tally.decisive)
        scan = ExpectationScan(plan.steps[met.count], bounds, onlyNew: false)
        (isStale, hasLooked, holdsUntil) = (true, false, nil)
        beginStep(after: at, session, output.now)
      case .exceeded, .short, .unknown: return fail(session, &output)
      }
    }
  }

  /// Judges the current step, and notes since when the count is right.
  private func judge(at now: MonotonicInstant) -> Verdict {
    guard hasLooked else { return .open }
    let tally = scan.tally
    if tally.isExceeded { return .exceeded }
    let isSettled = scan.isScanned || isLast && tally.expectation.count.atMost == nil
    if tally.isInRange, isSettled {
      if isUnknown { return .unknown }
      guard let holds = tally.expectation.holds else { return .met }
      let end = holdsUntil ?? now + .milliseconds(holds)
      holdsUntil = end
      if let askedAt, askedAt >= end { return .met }
      return now < end && hasPassed(limit, now) ? .short : .open
    }
    // Until everything was examined, it is unknown whether the count is right.
    guard scan.isScanned else { return hasPassed(deadline.map { $0 + Self.lastScan }, now) ? .short : .open }
    holdsUntil = nil
    guard let deadline, tally.late == nil else { return .short }
    // Records that arrived in time are examined once more, however short the time was.
    return hasPassed(deadline, askedAt) ? .short : .open
  }

  /// Until when the current step is examined.
  private var deadline: MonotonicInstant? { limit.map { $0 + .milliseconds(plan.grace) } }

  /// Returns false when either of them is nil.
  private func hasPassed(_ instant: MonotonicInstant?, _ now: MonotonicInstant?) -> Bool {
    guard let instant, let now else { return false }
    return now >= instant
  }

  /// Returns false when too many questions wait; the next alarm tries again.
  private func ask(_ session: IngestSession, _ instant: MonotonicInstant) -> Bool {
    let context = session.context
    let (batches, hasMissed) = watch.map { context.hub.collect($0, run: plan.run) } ?? ([], false)
    if hasMissed { scan.restart() }
    let (begun, now, share) = (scan, context.backend.now, context.journal?.share ?? 0)
    switch expectation.kind {
    case .requests, .refreshes:
      let routes = context.requests.routes
      isScanning =
        context.journal?.ask(
          { journal in
            .scanning(begun) { (scan) throws(StoreError) in try scan.scanRequests(journal, routes, share: share) }
          },
          session.address) ?? false
    case .records:
      isScanning = context.backend.ask(
        { reader in .scanning(begun) { (scan) throws(StoreError) in try scan.scanRecords(batches, reader) } },
        for: session.address)
    case .commands:
      isScanning = context.backend.ask(
        { reader in .scanning(begun) { (scan) throws(StoreError) in try scan.scanCommands(reader, now: now) } },
        for: session.address)
    }
    if !isScanning, !batches.isEmpty { scan.restart() }
    if !isScanning {
      isStale = true
    } else if !begun.isMidway {
      // The next scan continues after this one and would not see what this one has passed.
      (askedAt, isStale) = (instant, false)
    }
    return isScanning
  }

  private var report: WaitReport { WaitReport(plan: plan, met: met, tally: scan.tally) }

  private func succeed(_ session: IngestSession, _ output: inout SessionOutput) {
    end(session)
    session.answer(exchange, report.success, bodyComplete: true, &output)
  }

  /// Answers with the near misses, which must be searched for first.
  private func fail(_ session: IngestSession, _ output: inout SessionOutput) {
    end(session)
    let context = session.context
    var report = self.report
    // Records of the grace period do not count.
    let end = min(context.backend.now.millisecondsSince1970, scan.tally.bounds.limit)
    report.elapsed = end - begunAt.millisecondsSince1970
    report.isUnknown = isUnknown
    report.isHeld = scan.tally.isInRange
    report.isPartial = !scan.isScanned
    let misses = NearMisses(
      tally: scan.tally, gaps: scan.gaps, shortfall: context.shortfall, routes: context.requests.routes,
      since: exchange.receivedAt, from: plan.from, met: met.count)
    let isAsked =
      if expectation.kind.isOfJournal {
        context.journal?.ask({ [report] in .answered(report.failure(misses.reasons($0))) }, session.address) ?? false
      } else {
        context.backend.ask({ [report] in .answered(report.failure(misses.reasons($0))) }, for: session.address)
      }
    guard isAsked else {
      return session.answer(exchange, report.failure(misses.known), bodyComplete: true, &output)
    }
    session.expectAnswer(to: exchange)
  }
}

extension SessionMessage {
  fileprivate static func scanning(
    _ scan: ExpectationScan, _ turn: (inout ExpectationScan) throws(StoreError) -> Void
  ) -> SessionMessage {
    var scan = scan
    do throws(StoreError) { try turn(&scan) } catch { return .scanned(.failure(error)) }
    return .scanned(.success(scan))
  }
}
