import Base
import Contract
import Engine
import Host
import Queue
import Scenario
import Upload
import Vocabulary

/// I12: a queue holds at most `maxRecordsToPersist`, and nothing older than `maxDaysToPersist` is sent (SDK §7.4); the SDK
/// purges old rows when it starts and resumes, and once an hour. Records that `persistMode` excludes are reported and not
/// stored (SDK §7.3).
final class BoundsRule: Rule {
  override class var invariant: Invariant { .bounds }
  override class var interest: Interest { [.inserted, .deleted, .sent, .ended, .location, .life] }

  override class var absence: String { "no queue was full, and no record too old" }

  private let modes: PerDevice<Mode>
  /// The maximum number of rows that an upload holds while it waits for a refresh; they are in no request.
  private let behindRefresh: PerDevice<Int>
  /// The time of the last failed refresh: rows that wait for refreshes again and again may be locked at each purge.
  private let failedRefresh: PerDevice<MonotonicInstant>
  /// Queues with a limit that gained a record at this instant. They are judged when the instant is over, because the eviction
  /// or the upload of records is reported after the insert.
  private var grown: [Int: Growth] = [:]

  private struct Mode {
    var persistMode = PersistMode.all
    /// The time of its last change: records of the same answer's commands are reported then, too.
    var changedAt = BoundsRule.never
  }

  private static let never = MonotonicInstant(nanoseconds: .min / 2)

  private struct Growth {
    let uuid: UUID128
    let context: EventContext
    let limit: Int
    /// The maximum number of rows under way at this instant; they do not count towards the limit.
    var onTheirWay: Int
    var waiting: Int
  }

  required init(_ ledger: Ledger) {
    modes = PerDevice(Mode(), in: ledger.space)
    behindRefresh = PerDevice(0, in: ledger.space)
    failedRefresh = PerDevice(BoundsRule.never, in: ledger.space)
    super.init(ledger)
  }

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    if let growth = grown[context.device], growth.context.now.monotonic < context.now.monotonic { weigh(growth) }
    follow(event, context)
    if let growth = grown[context.device] { grown[context.device] = counted(growth) }
  }

  private func follow(_ event: SimulationEvent, _ context: EventContext) {
    let device = context.device
    switch event {
    case .queue(.deleted(_, _, .room)), .queue(.deleted(_, _, .age)):
      // An insert above the limit is followed by the eviction that it requires.
      exercised += 1
    case .queue(.inserted(_, _, let uuid, _, _)):
      guard let limit = ledger.pages[device].terms?.queueMax else { return }
      let before = grown[device]?.onTheirWay ?? 0
      grown[device] = Growth(uuid: uuid, context: context, limit: limit, onTheirWay: before, waiting: 0)
    case .sent(let request) where request.purpose == .refresh:
      let page = ledger.pages[device]
      behindRefresh[device] = min(page.terms?.recordsPerRequestMax ?? .max, page.waiting.count)
    case .ended(let request, let outcome) where !(200..<300).contains(outcome.status):
      if ledger.pages[device].open.contains(where: { $0.id == request && $0.purpose == .refresh }) {
        failedRefresh[device] = context.now.monotonic
      }
    case .killed where grown[device] != nil:
      // An upload that began in the last instant of the process has locked its rows (HttpConfig "Upload lifecycle"); its
      // request has not left the app.
      let page = ledger.pages[device]
      grown[device]?.onTheirWay = min(page.terms?.recordsPerRequestMax ?? .max, page.waiting.count)
    case .sent(let request) where request.purpose == .records: judgeAge(request, context)
    case .configured(let configuration):
      let (mode, now) = (configuration.persistence.persistMode, context.now.monotonic)
      if mode != modes[device].persistMode, ledger.pages[device].aliveSince != now { modes[device].changedAt = now }
      modes[device].persistMode = mode
    case .told(.engine(.location)) where modes[device].persistMode == .all: break
    case .told(.engine(.location(let record))): judge(record, context)
    default: break
    }
  }

  /// Checks the age of a request's records.
  private func judgeAge(_ request: OutgoingRequest, _ context: EventContext) {
    let device = context.device
    guard let days = ledger.pages[device].terms?.daysMax, days <= DocumentedLimits.daysMax,
      let rows = ledger.pages[device].open.last?.rows
    else { return }
    // A store that could not write could not purge. After all faults a device only empties its queue.
    let lastLook = context.now.monotonic - DocumentedLimits.purgeInterval
    guard !ledger.truth.lives[device].isHealed, ledger.truth.lives[device].isSound(since: lastLook),
      failedRefresh[device] < lastLook
    else { return }
    let oldest = Int64(days) * 86_400_000 + DocumentedLimits.purgeInterval.wholeMilliseconds
    for row in rows {
      // A record that was under way at a purge stays until the next one.
      guard let record = ledger.pages[device].waiting[row: row], record.attempts <= 1 else { continue }
      // Setting the clock makes records old at once; the next purge finds them.
      let elapsed = (context.now.monotonic - record.createdAt).wholeMilliseconds
      if min(elapsed, context.now.wall.milliseconds(since: record.timestamp)) > oldest {
        flag(context, record.uuid, "request \(request.id) holds it although it is older than \(days) days")
      }
    }
  }

  override func close(at instant: MonotonicInstant) {
    for (_, growth) in grown.sorted(by: { $0.key < $1.key }) { weigh(growth) }
  }

  private func counted(_ growth: Growth) -> Growth {
    let device = growth.context.device
    let isRefreshing = ledger.pages[device].open.contains { $0.purpose == .refresh }
    let onTheirWay = max(ledger.pages[device].upload?.rows.count ?? 0, isRefreshing ? behindRefresh[device] : 0)
    var counted = growth
    counted.onTheirWay = max(growth.onTheirWay, onTheirWay)
    counted.waiting = ledger.pages[device].waiting.count
    return counted
  }

  private func weigh(_ growth: Growth) {
    grown[growth.context.device] = nil
    if growth.waiting - growth.onTheirWay > growth.limit {
      flag(growth.context, growth.uuid, "\(growth.waiting) records in a queue of at most \(growth.limit)")
    }
  }

  /// Checks every reported record, including geofence crossings (SDK §15.3).
  private func judge(_ record: LocationRecord, _ context: EventContext) {
    let mode = modes[context.device].persistMode
    let isKept = record.geofence != nil ? mode == .geofence : mode == .location
    let life = ledger.truth.lives[context.device]
    guard !isKept, !record.isSample, modes[context.device].changedAt != context.now.monotonic,
      !life.mayRecordOdometer(at: context.now.monotonic)
    else { return }
    exercised += 1
    if ledger.pages[context.device].waiting.all.contains(where: { $0.uuid == record.uuid }) {
      flag(context, record.uuid, "a record in the queue that persistMode \(mode.rawValue) excludes")
    }
  }
}
