import Base
import Contract
import Engine
import Host
import Scenario
import Vocabulary

/// I16: a device stops `stopAfterElapsedMinutes` after its start, also where a command has set them meanwhile (SDK §1.4, §2.1,
/// §19.6). From when they count behind a launch, another mode or other minutes is left open: from the latest of them here.
final class ElapsedTimeRule: Rule {
  override class var invariant: Invariant { .motion }
  override class var interest: Interest { [.told, .life, .course] }

  /// The time of a device that has to end.
  private struct Limit {
    let minutes: Double
    var since: MonotonicInstant
    /// The first position after it was over.
    var lateAt: MonotonicInstant?
    var isTold = false

    /// The end, by a clock that may drift, with a position that was under way.
    var end: MonotonicInstant {
      since + .milliseconds(Int64(min(minutes, 1e7) * 60_000 / TrueWorld.clockShare)) + ElapsedTimeRule.patience
    }

    mutating func begin(at instant: MonotonicInstant) { (since, lateAt) = (instant, nil) }
  }

  private var limits: [Int: Limit] = [:]

  private static let patience = Nanoseconds.seconds(60)

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    let (device, now) = (context.device, context.now.monotonic)
    switch event {
    case .configured(let configuration): configure(configuration, context)
    case .launched, .told(.engine(.enabledChange(isEnabled: true))), .told(.engine(.schedule)), .asked(.start),
      .asked(.startGeofences), .asked(.startSchedule), .told(.commanded(.start)), .told(.commanded(.startGeofences)),
      .told(.commanded(.startSchedule)):
      limits[device]?.begin(at: now)
    case .told(.engine(.enabledChange(isEnabled: false))):
      if let limit = limits[device], now >= limit.end - ElapsedTimeRule.patience { exercised += 1 }
    case .told(.engine(.location(let record))) where limits[device] != nil: judge(record, context)
    default: break
    }
  }

  private func configure(_ configuration: Configuration, _ context: EventContext) {
    let minutes = configuration.geolocation.stopAfterElapsedMinutes
    guard minutes > 0 else { return limits[context.device] = nil }
    guard minutes != limits[context.device]?.minutes else { return }
    limits[context.device] = Limit(minutes: minutes, since: context.now.monotonic)
  }

  private func judge(_ record: LocationRecord, _ context: EventContext) {
    let (device, now) = (context.device, context.now.monotonic)
    guard !record.isSample, let limit = limits[device], now > limit.end, !limit.isTold,
      !ledger.truth.lives[device].mayRecordOdometer(at: now)
    else { return }
    // An app that was suspended finds with its first position that the time is over.
    guard let lateAt = limit.lateAt else {
      limits[device]?.lateAt = now
      return
    }
    guard now - lateAt > ElapsedTimeRule.patience else { return }
    limits[device]?.isTold = true
    exercised += 1
    flag(
      context, record.uuid,
      "a position although stopAfterElapsedMinutes, \(limit.minutes), are over since \(limit.end.clockText)")
  }
}
