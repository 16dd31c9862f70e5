import Base
import Contract
import Engine
import Host
import Queue
import Scenario
import Vocabulary

/// I24: records have unique identities, their times do not go back unless the clock does, none is in the future, and
/// `recorded_at` is the time at which a record is made (SDK §5.1, §14.2). A request for a position takes the best of several
/// samples, not necessarily the last, while later ones may already be records (SDK §13.1, §15.3). The position of a motion change
/// is one record, even if the stream delivers it again (SDK §5.4).
final class IdentityRule: Rule {
  override class var invariant: Invariant { .identity }
  override class var interest: Interest { [.inserted, .told, .life] }

  /// The longest search for a position (SDK §13.2).
  private static let longestLook = Nanoseconds.seconds(120)

  /// The properties of a motion change that identify its position.
  private struct MotionChange {
    let uuid: UUID128
    let timestamp: WallInstant
    let coords: (latitude: Double, longitude: Double)

    init(_ record: LocationRecord) {
      (uuid, timestamp) = (record.uuid, record.timestamp)
      coords = (record.coords.latitude, record.coords.longitude)
    }

    /// Reports whether another record has the same position.
    func isRepeated(by record: LocationRecord) -> Bool {
      record.uuid != uuid && record.timestamp == timestamp && record.coords.latitude == coords.latitude
        && record.coords.longitude == coords.longitude
    }
  }

  private struct Last {
    var uuid = UUID128(high: 0, low: 0)
    var timestamp = WallInstant.earliest
    /// The difference between the two clocks of the phone.
    var offset = Int64.min
    /// The smallest difference since the last record.
    var leastOffset = Int64.max
    /// The largest difference during this process.
    var latestOffset = Int64.min
    /// The last motion change that was reported.
    var motionChange: MotionChange?
    /// Samples of a search, which may still be chosen.
    var samples: [(seen: MonotonicInstant, timestamp: WallInstant)] = []
  }

  /// A record from the future, until it is known whether it reports a crossing.
  private struct Suspect {
    let device: Int
    let uuid: UUID128
    let timestamp: WallInstant
    let instant: MonotonicInstant
    /// Whether the clock has shown this time and was set back since.
    let isOfEarlierClock: Bool
  }

  private let last: PerDevice<Last>
  private var suspects: [Suspect] = []
  /// The number of pending commands that set the odometer: each makes a record, of the next position or of the
  /// last one (SDK §13.2).
  private var odometerRequests: [Int: Int] = [:]

  required init(_ ledger: Ledger) {
    last = PerDevice(Last(), in: ledger.space)
    super.init(ledger)
  }

  override class var absence: String { "no record was made" }

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    if !suspects.isEmpty { settle(event, context) }
    last[context.device].latestOffset = max(last[context.device].latestOffset, context.clockLead)
    last[context.device].leastOffset = min(last[context.device].leastOffset, context.clockLead)
    switch event {
    case .queue(.inserted(_, _, let uuid, let timestamp, _)):
      // The record of a fault has its own time.
      if !ledger.truth.lives[context.device].isPoisoned(at: context.now.monotonic) { judge(uuid, timestamp, context) }
    case .told(.engine(.location(let record))) where record.isSample:
      let now = context.now.monotonic
      last[context.device].samples.removeAll { now - $0.seen > IdentityRule.longestLook }
      last[context.device].samples.append((now, record.timestamp))
    case .told(.engine(.motionChange(let record))): last[context.device].motionChange = MotionChange(record)
    case .told(.commanded(.setOdometer)), .told(.commanded(.resetOdometer)):
      odometerRequests[context.device, default: 0] += 1
    case .killed:
      odometerRequests[context.device] = nil
      // The next process knows no position of this one.
      last[context.device].latestOffset = .min
    case .told(.engine(.location(let record))): judge(record, context)
    default: break
    }
  }

  /// Acquits crossings without a new position: they report the last one, whatever its time (SDK §15.3.5). The crossing is
  /// reported at the instant of its record.
  private func settle(_ event: SimulationEvent, _ context: EventContext) {
    if case .told(.engine(.geofence(let record, _))) = event {
      suspects.removeAll { $0.uuid == record.uuid && $0.isOfEarlierClock }
    }
    condemn { $0.device == context.device && $0.instant < context.now.monotonic }
  }

  override func close(at instant: MonotonicInstant) { condemn { _ in true } }

  private func condemn(_ isGuilty: (Suspect) -> Bool) {
    for suspect in suspects where isGuilty(suspect) {
      ledger.violations.flag(
        Self.invariant, suspect.device, suspect.uuid, at: suspect.instant,
        "timestamp \(suspect.timestamp.iso8601Text) is in the future")
    }
    suspects.removeAll(where: isGuilty)
  }

  private func judge(_ record: LocationRecord, _ context: EventContext) {
    if let recordedAt = record.recordedAt, recordedAt != context.now.wall,
      !ledger.truth.lives[context.device].isHealed
    {
      flag(context, record.uuid, "recorded_at \(recordedAt.iso8601Text) at \(context.now.wall.iso8601Text)")
    }
    guard let change = last[context.device].motionChange, change.isRepeated(by: record), record.event == nil,
      record.geofence == nil,
      ledger.pages[context.device].waiting.all.contains(where: { $0.uuid == record.uuid })
    else { return }
    if let requests = odometerRequests[context.device], requests > 0 {
      return odometerRequests[context.device] = requests - 1
    }
    flag(context, record.uuid, "the position of the motion change \(change.uuid.text), as a second record")
  }

  private func judge(_ uuid: UUID128, _ timestamp: WallInstant, _ context: EventContext) {
    exercised += 1
    let before = last[context.device]
    let offset = context.clockLead
    (last[context.device].uuid, last[context.device].timestamp) = (uuid, timestamp)
    (last[context.device].offset, last[context.device].leastOffset) = (offset, offset)
    if uuid == before.uuid { flag(context, uuid, "two records have this identity") }
    guard offset == before.offset || before.offset == .min else { return }
    // A time that is still to come belongs to a clock that was set back since.
    let isComparable = before.timestamp <= context.now.wall
    // A position may have been found while the clock was set back, and be recorded when it no longer is (SDK §15.3.5).
    let setBack = offset - min(before.leastOffset, offset)
    let isEarlier = timestamp.advanced(byMilliseconds: setBack) < before.timestamp
    if isComparable && isEarlier && !before.samples.contains(where: { $0.timestamp == timestamp }) {
      flag(context, uuid, "timestamp \(timestamp.iso8601Text) after a record of \(before.timestamp.iso8601Text)")
    }
    if timestamp > context.now.wall && timestamp > before.timestamp {
      let ahead = timestamp.milliseconds(since: context.now.wall)
      suspects.append(
        Suspect(
          device: context.device, uuid: uuid, timestamp: timestamp, instant: context.now.monotonic,
          isOfEarlierClock: ahead <= before.latestOffset - context.clockLead))
    }
  }
}
