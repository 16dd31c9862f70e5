package import Base
import Synchronization
import Threads

/// The only thread that writes. It takes the jobs that arrived during its last commit, commits them together, and delivers the
/// results; no job waits for a timer. Between groups it maintains the store in small steps.
package final class WriterThread: Sendable {
  private let mailbox: Mutex<JobQueue>
  private let wakeUp = Semaphore()
  private let limits: WriterLimits
  private let metrics: WriterMetrics
  private let clock = SystemClock()
  private let lastOutage = Mutex<(outage: StoreOutage?, detail: String?)>((nil, nil))
  private let hasNoRoom = Atomic(false)
  private let isDamaged = Atomic(false)
  /// When the current step began, on the monotonic clock; 0 between steps.
  private let stepBegan = Atomic<Int64>(0)
  private let thread = Mutex<NamedThread?>(nil)

  /// The upkeep steps between two groups: enough for the index to keep up with full groups.
  private static let stepsBetweenGroups = 2

  /// Opens the store on the new thread, which owns it from then on, and returns when it is open. `deliver` is called on the
  /// writer's thread, once for each group, after its commit; every accepted job is delivered exactly once.
  package init(
    limits: WriterLimits = WriterLimits(), metrics: WriterMetrics,
    deliver: @escaping @Sendable ([Completion]) -> Void,
    outageChanged: @escaping @Sendable (OutageAccount.Change, _ detail: String?) -> Void = { _, _ in },
    open: @escaping @Sendable () throws(StoreError) -> any Store
  ) throws(StoreError) {
    self.limits = limits
    self.metrics = metrics
    mailbox = Mutex(JobQueue(limits))
    let thread = try NamedThread.opening("writer") { [self] () throws(StoreError) in
      let store = try open()
      var account = OutageAccount()
      note(store, refused: 0, &account, outageChanged)
      return (store, account)
    } run: { [self] store, account in
      var account = account
      run(store, deliver) { self.note(store, refused: $0, &account, outageChanged) }
    }
    self.thread.withLock { $0 = thread }
  }

  /// Submits a job. Returns false when the queue is full or the writer is stopping; then nothing will be delivered.
  package func submit(_ job: StoreJob, ticket: Ticket) -> Bool {
    let (isAccepted, wakes) = mailbox.withLock { mailbox in
      let isPosted = mailbox.post(job, ticket)
      if !isPosted || mailbox.isFull { hasNoRoom.store(true, ordering: .relaxed) }
      return (isPosted, isPosted && mailbox.takeWaitingWriter())
    }
    wake(wakes)
    if !isAccepted { metrics.refusedJobs.add() }
    return isAccepted
  }

  /// Whether a job was refused, or the next would be, and the writer has taken nothing since. A single atomic load: it is
  /// checked for every request before its body is read.
  package var isFull: Bool { hasNoRoom.load(ordering: .relaxed) }

  /// Why the last group was not committed; nil when it was, or when the disk accepts writes again.
  package var outage: StoreOutage? { lastOutage.withLock { $0.outage } }
  package var outageDetail: String? { lastOutage.withLock { $0.detail } }

  /// How long the current step has lasted; nil between steps. A database or a disk may take a minute.
  package var stall: Nanoseconds? {
    let began = stepBegan.load(ordering: .relaxed)
    return began == 0 ? nil : Nanoseconds(max(0, clock.monotonicNow.nanoseconds - began))
  }

  /// Called when a reader has found a damaged page.
  package func damageFound() {
    isDamaged.store(true, ordering: .relaxed)
    wake(mailbox.withLock { $0.takeWaitingWriter() })
  }

  private func wake(_ wakes: Bool) {
    if wakes { wakeUp.signal() }
  }

  /// Stops accepting jobs, executes the waiting ones, closes the store, and returns. Later calls return at once.
  package func stop() {
    let wakes = mailbox.withLock { mailbox in
      mailbox.close()
      return mailbox.takeWaitingWriter()
    }
    wake(wakes)
    thread.withLock { $0.take() }?.join()
  }

  /// `note` is called after each step with the number of jobs that it refused.
  private func run(_ store: any Store, _ deliver: @Sendable ([Completion]) -> Void, _ note: (Int) -> Void) {
    while true {
      let (group, isClosed) = mailbox.withLock { mailbox in
        let group = mailbox.takeGroup()
        if hasNoRoom.load(ordering: .relaxed) { hasNoRoom.store(mailbox.isFull, ordering: .relaxed) }
        metrics.mailboxJobs.set(Int64(mailbox.count))
        metrics.mailboxBytes.set(Int64(mailbox.byteCount))
        return (group, mailbox.isClosed)
      }
      if isDamaged.exchange(false, ordering: .relaxed) {
        store.damageFound()
        note(0)
      }
      if group.jobs.isEmpty, isClosed { break }
      stepBegan.store(clock.monotonicNow.nanoseconds, ordering: .relaxed)
      if !group.jobs.isEmpty { commit(group, to: store, deliver, note) }
      let hasMore = upkeep(of: store)
      stepBegan.store(0, ordering: .relaxed)
      note(0)
      if !hasMore && group.jobs.isEmpty { waitForJobs() }
    }
    store.close()
  }

  private func commit(
    _ group: JobQueue.Group, to store: any Store, _ deliver: ([Completion]) -> Void, _ note: (Int) -> Void
  ) {
    let start = clock.monotonicNow
    let results = store.apply(group.jobs, now: clock.wallNow)
    precondition(results.count == group.jobs.count, "a store answers every job")
    metrics.groupTime.record(UInt64(max(0, (clock.monotonicNow - start).count)))
    metrics.groupJobs.record(UInt64(group.jobs.count))
    metrics.groupRows.record(UInt64(group.rowCount))
    var refused = 0
    if case .unavailable? = results.first {
      metrics.failedGroups.add()
      refused = results.count
      precondition(results.allSatisfy(\.isUnavailable), "a group is committed as a whole or not at all")
    }
    note(refused)
    deliver(zip(group.tickets, results).map { Completion(ticket: $0, result: $1) })
  }

  /// Returns whether more work is waiting.
  private func upkeep(of store: any Store) -> Bool {
    var more = true
    for _ in 0..<WriterThread.stepsBetweenGroups where more {
      let start = clock.monotonicNow
      more = store.maintain(now: clock.wallNow)
      if more { metrics.upkeepTime.record(UInt64(max(0, (clock.monotonicNow - start).count))) }
    }
    return more
  }

  private func note(
    _ store: any Store, refused: Int, _ account: inout OutageAccount, _ tell: (OutageAccount.Change, String?) -> Void
  ) {
    let outage = store.outage
    let detail = outage == nil ? nil : store.outageDetail
    lastOutage.withLock { $0 = (outage, detail) }
    for change in account.note(outage, refused: refused, now: clock.monotonicNow) { tell(change, detail) }
  }

  private func waitForJobs() {
    let mustWait = mailbox.withLock { mailbox in
      mailbox.isWriterWaiting = mailbox.count == 0 && !mailbox.isClosed
      return mailbox.isWriterWaiting
    }
    guard mustWait else { return }
    if !wakeUp.wait(milliseconds: limits.idleMilliseconds) {
      // A signal between the timeout and this line only makes the next wait return early.
      mailbox.withLock { $0.isWriterWaiting = false }
    }
  }
}

/// The sender of a job: the number of an event loop, and a number that the loop has chosen.
package struct Ticket: Hashable, Sendable {
  package var owner: Int
  package var number: UInt64

  package init(owner: Int = 0, number: UInt64) {
    self.owner = owner
    self.number = number
  }
}

/// Measures the commits of groups only: writing and syncing the log. A store in virtual time has none.
package struct CommitTimer: Sendable {
  private let time: SharedHistogram
  package let now: @Sendable () -> MonotonicInstant

  package init(_ time: SharedHistogram, now: @escaping @Sendable () -> MonotonicInstant) {
    self.time = time
    self.now = now
  }

  package func record(since start: MonotonicInstant) { time.record(UInt64(max(0, (now() - start).count))) }
}

/// The limits of the writer's queue and of its groups.
package struct WriterLimits: Sendable {
  /// The number of waiting jobs above which a submission is refused.
  package var mailboxJobs = 16_384
  package var mailboxBytes = 64 << 20
  /// The limits of a group, which is otherwise all that arrived during the last commit.
  package var groupRows = 8_192
  package var groupBytes = 8 << 20
  /// The pause between wakeups without jobs, for retention and to detect the end of an outage.
  package var idleMilliseconds = 250

  package init() {}
}

/// The metrics of the writer.
package struct WriterMetrics: Sendable {
  /// Nanoseconds from the begin of a transaction to the end of its commit.
  package let groupTime: SharedHistogram
  /// Nanoseconds of the commit alone: writing and syncing the log.
  package let commitTime: SharedHistogram
  package let groupJobs: SharedHistogram
  package let groupRows: SharedHistogram
  /// Nanoseconds of a step between groups.
  package let upkeepTime: SharedHistogram
  package let mailboxJobs: Gauge
  package let mailboxBytes: Gauge
  /// Submissions refused because the queue was full.
  package let refusedJobs: Counter
  package let failedGroups: Counter

  package init(in registry: inout MetricsRegistry) {
    let times: [UInt64] = [200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 500_000, 2_000_000]
    groupTime = registry.histogram(
      "rollingroad_store_group_seconds", help: "Time to write and commit a group.",
      bounds: times.map { $0 * 1_000 }, divisor: 1_000_000_000)
    commitTime = registry.histogram(
      "rollingroad_store_commit_seconds", help: "Time to commit a group: write and sync the log.",
      bounds: times.map { $0 * 1_000 }, divisor: 1_000_000_000)
    groupJobs = registry.histogram(
      "rollingroad_store_group_jobs", help: "Jobs committed together.",
      bounds: [1, 2, 5, 10, 50, 100, 500, 1_000, 5_000], divisor: 1)
    groupRows = registry.histogram(
      "rollingroad_store_group_rows", help: "Records committed together.",
      bounds: [1, 10, 50, 100, 500, 1_000, 5_000, 10_000], divisor: 1)
    upkeepTime = registry.histogram(
      "rollingroad_store_upkeep_seconds",
      help: "Time of one maintenance step between groups: index, checkpoint, retention.",
      bounds: times.map { $0 * 1_000 }, divisor: 1_000_000_000)
    mailboxJobs = registry.gauge("rollingroad_store_mailbox_jobs", help: "Jobs waiting for the writer.")
    mailboxBytes = registry.gauge("rollingroad_store_mailbox_bytes", help: "Bytes waiting for the writer.")
    refusedJobs = registry.counter(
      "rollingroad_store_mailbox_refused_total", help: "Jobs refused because the mailbox was full.")
    failedGroups = registry.counter("rollingroad_store_failed_groups_total", help: "Groups that were not committed.")
  }
}
