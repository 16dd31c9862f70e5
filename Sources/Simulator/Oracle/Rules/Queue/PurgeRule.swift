import Base
import Contract
import Engine
import Host
import Queue
import Scenario
import Upload
import Vocabulary

/// I12: a queue gives up what is older than `maxDaysToPersist`, also where nothing is uploaded: an app that runs looks for it each hour
/// (HttpConfig 40, PersistenceConfig `maxDaysToPersist`; SDK §7.4.2). What requests hold is left to `BoundsRule`.
final class PurgeRule: Rule {
  override class var invariant: Invariant { .bounds }
  override class var interest: Interest { [.motionChange, .event, .life] }
  override class var absence: String { "no record waited for days" }

  private struct Phone {
    /// The clock, by which records are old.
    var clock: SteadyClock?
    /// The first record that is too old, and since when an app that does something has it.
    var old: (row: Int64, since: MonotonicInstant)?
    var isTold = false
  }

  private let phones: PerDevice<Phone>

  private static let patience = DocumentedLimits.purgeInterval + .seconds(60)

  required init(_ ledger: Ledger) {
    phones = PerDevice(Phone(), in: ledger.space)
    super.init(ledger)
  }

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    let (device, now) = (context.device, context.now.monotonic)
    if phones[device].clock?.isSet(byMoreThan: PurgeRule.clockMost, context) ?? true {
      phones[device].clock = SteadyClock(context)
    }
    switch event {
    // A purge counts from the configuration, and a store that fails purges nothing.
    case .configured, .faultBegan, .faultEnded, .launched, .killed: phones[device].clock?.restart(at: now)
    default: look(context)
    }
  }

  /// A clock that drifts makes no record old at once.
  private static let clockMost: UInt64 = 30_000

  private func look(_ context: EventContext) {
    let (device, now) = (context.device, context.now.monotonic)
    let patience = PurgeRule.patience + ledger.lateness
    let (page, earliest) = (ledger.pages[device], now - patience)
    guard let first = page.waiting.all.first, let days = page.terms?.daysMax, days <= DocumentedLimits.daysMax,
      !phones[device].isTold, age(of: first, context) > Int64(days) * 86_400_000 + patience.wholeMilliseconds,
      page.open.isEmpty, page.endedAt.map({ $0 < earliest }) ?? true,
      let clock = phones[device].clock, clock.since < earliest
    else { return phones[device].old = nil }
    let life = ledger.truth.lives[device]
    guard life.runsSince != nil, !life.isHealed, life.isSound(since: earliest) else { return phones[device].old = nil }
    // The app may have slept until now.
    guard let old = phones[device].old, old.row == first.row else { return phones[device].old = (first.row, now) }
    guard old.since < now else { return }
    phones[device].isTold = true
    exercised += 1
    flag(context, first.uuid, "it waits although it is older than \(days) days")
  }

  /// Setting the clock makes records old at once.
  private func age(of record: WaitingRecord, _ context: EventContext) -> Int64 {
    min(
      (context.now.monotonic - record.createdAt).wholeMilliseconds,
      context.now.wall.milliseconds(since: record.timestamp))
  }
}
