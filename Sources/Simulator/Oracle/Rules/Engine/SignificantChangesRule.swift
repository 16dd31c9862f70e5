import Base
import Contract
import Engine
import Host
import Scenario
import Vocabulary
import World

/// I27: a device that follows significant changes only records no stream. They come several times an hour, some hundred metres
/// apart (GeolocationConfig `useSignificantChangesOnly`; SDK §2.1, §12.7).
final class SignificantChangesRule: Rule {
  override class var invariant: Invariant { .recording }
  override class var interest: Interest { [.location, .event, .life, .truth, .course] }

  /// The latest positions that one device recorded in this mode.
  private struct Trail {
    /// The time since which it is in this mode.
    let since: MonotonicInstant
    var latest: [Step] = []
    var isTold = false
  }

  private struct Step {
    let instant: MonotonicInstant
    /// The true distance that the body has travelled.
    let metres: Double
  }

  private var trails: [Int: Trail] = [:]
  /// The body of the device that reports the next position.
  private var stood: (device: Int, step: Step)?

  /// So many positions are a stream where one would expect one or two.
  private static let count = 10
  private static let (metres, span) = (1_000.0, Nanoseconds.seconds(600))
  /// Positions that were under way come after the mode has begun.
  private static let patience = Nanoseconds.seconds(60)

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    let (device, now) = (context.device, context.now.monotonic)
    switch event {
    case .configured(let configuration): configure(configuration, context)
    case .stood(_, let metres) where trails[device] != nil: stood = (device, Step(instant: now, metres: metres))
    case .told(.engine(.location(let record))) where trails[device] != nil: note(record, context)
    // A position far from the body leads there and back again; a command may ask for a record.
    case .strayed, .launched, .asked, .told(.commanded): trails[device]?.latest = []
    default: break
    }
  }

  private func configure(_ configuration: Configuration, _ context: EventContext) {
    guard configuration.geolocation.useSignificantChangesOnly else { return trails[context.device] = nil }
    if trails[context.device] == nil { trails[context.device] = Trail(since: context.now.monotonic) }
  }

  private func note(_ record: LocationRecord, _ context: EventContext) {
    let (device, now) = (context.device, context.now.monotonic)
    guard !record.isSample, record.event == nil, record.geofence == nil, var trail = trails[device], !trail.isTold,
      now - trail.since > SignificantChangesRule.patience, !ledger.truth.lives[device].mayRecordOdometer(at: now),
      let stood, stood.device == device, stood.step.instant == now
    else { return }
    trail.latest.append(stood.step)
    if trail.latest.count > SignificantChangesRule.count { trail.latest.removeFirst() }
    defer { trails[device] = trail }
    guard trail.latest.count == SignificantChangesRule.count, let first = trail.latest.first else { return }
    exercised += 1
    let gone = stood.step.metres - first.metres
    guard gone <= SignificantChangesRule.metres, now - first.instant <= SignificantChangesRule.span else { return }
    trail.isTold = true
    flag(
      context, record.uuid,
      "\(trail.latest.count) positions recorded in \(Int(gone)) m, although it follows significant changes only")
  }
}
