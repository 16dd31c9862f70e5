import Base
import Contract
import Engine
import Host
import Queue
import Scenario
import Upload
import Vocabulary

/// I12: a queue holds at most `maxRecordsToPersist`, and nothing older than `maxDaysToPersist` is sent (SDK §7.4);
/// the SDK looks for old rows when it starts and resumes, and once an hour. What `persistMode` leaves out is told and not kept
/// (SDK §7.3).
final class BoundsRule: Rule {
  override class var invariant: Invariant { .bounds }
  override class var interest: Interest { [.inserted, .deleted, .sent, .location, .life] }

  override class var absence: String { "no queue was full, and no record too old" }

  /// What each device keeps of its records.
  private let modes: PerDevice<PersistMode>
  /// How many rows were on their way when the last record came: they stayed beside it.
  private let locked: PerDevice<Int>
  /// When that was.
  private let inserted: PerDevice<MonotonicInstant>

  required init(_ ledger: Ledger) {
    modes = PerDevice(.all, in: ledger.space)
    locked = PerDevice(0, in: ledger.space)
    inserted = PerDevice(MonotonicInstant(nanoseconds: -1), in: ledger.space)
    super.init(ledger)
  }

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    let device = context.device
    switch event {
    case .queue(.deleted(_, _, .room)), .queue(.deleted(_, _, .age)):
      // An insert that is one too many is followed by the eviction it makes necessary.
      exercised += 1
    case .queue(.inserted(_, _, let uuid, _, _)):
      // Rows on their way stay, and the row that has just come is still to be weighed.
      let onTheirWay = ledger.pages[device].upload?.rows.count ?? 0
      let beside = max(onTheirWay, locked[device])
      (locked[device], inserted[device]) = (onTheirWay, context.now.monotonic)
      guard let limit = ledger.pages[device].terms?.queueMax else { return }
      let waiting = ledger.pages[device].waiting.count
      if waiting > limit + beside + 1 {
        flag(context, uuid, "\(waiting) records in a queue of at most \(limit)")
      }
    case .sent(let request) where request.purpose == .records:
      // Of two records of one instant the first may be on its way when the second comes, of which is told afterwards.
      if inserted[device] == context.now.monotonic {
        locked[device] = max(locked[device], ledger.pages[device].open.last?.rows.count ?? 0)
      }
      guard let days = ledger.pages[device].terms?.daysMax, days <= DocumentedLimits.daysMax,
        let rows = ledger.pages[device].open.last?.rows
      else { return }
      // A store that could not write could not purge. When all faults are over a device only empties its queue.
      guard !ledger.truth.lives[device].isHealed,
        ledger.truth.lives[device].isSound(since: context.now.monotonic - DocumentedLimits.purgeInterval)
      else { return }
      let oldest = Int64(days) * 86_400_000 + DocumentedLimits.purgeInterval.wholeMilliseconds
      for row in rows {
        // One that was on its way at a look stays until the next one.
        guard let record = ledger.pages[device].waiting[row: row], record.attempts <= 1 else { continue }
        // A clock that is set makes records old at once, and the next look finds them.
        let elapsed = (context.now.monotonic - record.createdAt).wholeMilliseconds
        if min(elapsed, context.now.wall.milliseconds(since: record.timestamp)) > oldest {
          flag(context, record.uuid, "request \(request.id) holds it although it is older than \(days) days")
        }
      }
    case .configured(let configuration): modes[device] = configuration.persistence.persistMode
    case .told(.engine(.location)) where modes[device] == .all: break
    case .told(.engine(.location(let record))): judge(record, context)
    default: break
    }
  }

  /// Of all records that are told, crossings of fences among them (SDK §15.3).
  private func judge(_ record: LocationRecord, _ context: EventContext) {
    let mode = modes[context.device]
    let isKept = record.geofence != nil ? mode == .geofence : mode == .location
    let life = ledger.truth.lives[context.device]
    guard !isKept, !record.isSample, !life.mayRecordOdometer(at: context.now.monotonic) else { return }
    exercised += 1
    if ledger.pages[context.device].waiting.all.contains(where: { $0.uuid == record.uuid }) {
      flag(context, record.uuid, "a record in the queue that persistMode \(mode.rawValue) excludes")
    }
  }
}
