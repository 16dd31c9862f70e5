import Base
import Network
import Store

/// Answers when every step of a plan is met, or when a step can no longer be met. Stored records are read page by page first; after
/// that, the hub reports what is new. Reading and matching happen on the reader and journal threads.
final class ConditionWait: Responder {
  /// The delay before asking again when the readers are busy.
  private static let pause = Nanoseconds.milliseconds(20)
  /// How long a wait continues after its timeout to read what is stored.
  private static let lastLook = Nanoseconds.seconds(2)

  private enum Verdict {
    case open, met, exceeded, short, unknown
  }

  private let plan: WaitPlan
  private let exchange: Exchange
  /// The watch in the hub; nil for a check.
  private let watch: UInt64?
  private let begunAt: WallInstant
  private var look: Look
  private var met: [WaitReport.Step] = []
  private var isLooking = false
  /// New data may have arrived since the last look.
  private var isStale = true
  private var hasLooked = false
  private var holdsUntil: MonotonicInstant?
  /// The time limit of the current step.
  private var limit: MonotonicInstant?
  /// When the last look began.
  private var askedAt: MonotonicInstant?

  private init(_ plan: WaitPlan, _ exchange: Exchange, watch: UInt64?, begunAt: WallInstant) {
    self.plan = plan
    self.exchange = exchange
    self.watch = watch
    self.begunAt = begunAt
    look = Look(plan.steps[0], TallyBounds(from: plan.from), onlyNew: plan.isFromNow)
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
    let wait = ConditionWait(plan, exchange, watch: watch, begunAt: session.context.backend.now)
    session.respond(with: wait)
    wait.beginStep(after: wait.begunAt.millisecondsSince1970, session, output.now)
    wait.goOn(session, &output)
  }

  func delivered(_ message: SessionMessage, _ session: IngestSession, _ output: inout SessionOutput) {
    switch message {
    case .eventsWaiting(watch): isStale = true
    case .looked(.success(let look)):
      self.look = look
      (isLooking, hasLooked) = (false, true)
    case .looked(.failure(let error)):
      end(session)
      return session.answer(exchange, .unreadable(error), bodyComplete: true, &output)
    default: return
    }
    goOn(session, &output)
  }

  func alarmRang(_ session: IngestSession, _ output: inout SessionOutput) {
    isStale = true
    goOn(session, &output)
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

extension ConditionWait {
  private var expectation: ContentExpectation { look.tally.expectation }
  /// Whether the count is right in the data that can be examined, but more may have arrived.
  private var isUnknown: Bool { expectation.count.atMost != nil && look.tally.isInRange && !look.gaps.isEmpty }
  private var isLast: Bool { met.count == plan.steps.count - 1 }

  /// Sets the time limit of a step, which begins when the previous one was met.
  private func beginStep(after instant: Int64, _ session: IngestSession, _ now: MonotonicInstant) {
    guard let timeout = plan.timeout else { return }
    var end = begunAt.millisecondsSince1970 + timeout
    if let within = expectation.within { end = min(end, instant + within) }
    look.limit(to: end)
    limit = now + .milliseconds(max(0, end - session.context.backend.now.millisecondsSince1970))
  }

  private func goOn(_ session: IngestSession, _ output: inout SessionOutput) {
    while !isLooking {
      switch judge(at: output.now) {
      case .open:
        var alarms = [holdsUntil, limit, deadline].compactMap { $0 }
        // A look that began before such an instant and ended after it does not show the state at that instant.
        if let askedAt, alarms.contains(where: { askedAt < $0 && $0 <= output.now }) { isStale = true }
        if let expiry = look.changesAt {
          let left = max(1, expiry - session.context.backend.now.millisecondsSince1970)
          alarms.append(output.now + .milliseconds(left))
        }
        if isStale || !look.isScanned, !ask(session, output.now) { alarms.append(output.now + Self.pause) }
        session.wishes.alarm = isLooking ? nil : alarms.filter { $0 > output.now }.min()
        return
      case .met:
        let at = look.tally.decisive?.at ?? session.context.backend.now.millisecondsSince1970
        met.append(WaitReport.Step(kind: expectation.kind, found: look.tally.found, at: at))
        guard met.count < plan.steps.count else { return succeed(session, &output) }
        let bounds = TallyBounds(from: at, after: look.tally.decisive)
        look = Look(plan.steps[met.count], bounds, onlyNew: false)
        (isStale, hasLooked, holdsUntil) = (true, false, nil)
        beginStep(after: at, session, output.now)
      case .exceeded, .short, .unknown: return fail(session, &output)
      }
    }
  }

  /// Judges the current step, and notes since when the count is right.
  private func judge(at now: MonotonicInstant) -> Verdict {
    guard hasLooked else { return .open }
    let tally = look.tally
    if tally.isExceeded { return .exceeded }
    let isSettled = look.isScanned || isLast && tally.expectation.count.atMost == nil
    if tally.isInRange, isSettled {
      if isUnknown { return .unknown }
      guard let holds = tally.expectation.holds else { return .met }
      let end = holdsUntil ?? now + .milliseconds(holds)
      holdsUntil = end
      if let askedAt, askedAt >= end { return .met }
      return now < end && hasPassed(limit, now) ? .short : .open
    }
    // Until everything was examined, it is unknown whether the count is right.
    guard look.isScanned else { return hasPassed(deadline.map { $0 + Self.lastLook }, now) ? .short : .open }
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
    if hasMissed { look.restart() }
    let (begun, now, share) = (look, context.backend.now, context.journal?.share ?? 0)
    switch expectation.kind {
    case .requests, .refreshes:
      let routes = context.requests.routes
      isLooking =
        context.journal?.ask(
          { journal in
            .looking(begun) { (look) throws(StoreError) in try look.lookAtRequests(journal, routes, share: share) }
          },
          session.address) ?? false
    case .records:
      isLooking = context.backend.ask(
        { reader in .looking(begun) { (look) throws(StoreError) in try look.lookAtRecords(batches, reader) } },
        for: session.address)
    case .commands:
      isLooking = context.backend.ask(
        { reader in .looking(begun) { (look) throws(StoreError) in try look.lookAtCommands(reader, now: now) } },
        for: session.address)
    }
    if !isLooking, !batches.isEmpty { look.restart() }
    if !isLooking {
      isStale = true
    } else if !begun.isMidway {
      // The next look continues after this one and would not see what this one has passed.
      (askedAt, isStale) = (instant, false)
    }
    return isLooking
  }

  private var report: WaitReport { WaitReport(plan: plan, met: met, tally: look.tally) }

  private func succeed(_ session: IngestSession, _ output: inout SessionOutput) {
    end(session)
    session.answer(exchange, report.success, bodyComplete: true, &output)
  }

  /// Answers with the near misses, which must be searched for first.
  private func fail(_ session: IngestSession, _ output: inout SessionOutput) {
    end(session)
    let context = session.context
    var report = self.report
    // What comes in the grace period does not count.
    let end = min(context.backend.now.millisecondsSince1970, look.tally.bounds.limit)
    report.elapsed = end - begunAt.millisecondsSince1970
    report.isUnknown = isUnknown
    report.isHeld = look.tally.isInRange
    report.isPartial = !look.isScanned
    let misses = NearMisses(
      tally: look.tally, gaps: look.gaps, shortfall: context.shortfall, routes: context.requests.routes,
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
  fileprivate static func looking(
    _ look: Look, _ turn: (inout Look) throws(StoreError) -> Void
  ) -> SessionMessage {
    var look = look
    do throws(StoreError) { try turn(&look) } catch { return .looked(.failure(error)) }
    return .looked(.success(look))
  }
}
