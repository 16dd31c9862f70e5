import Base
import Contract
import Engine
import Host
import Scenario
import Vocabulary

/// I17: a command that sets the odometer makes a record, with the value that it sets and the position that it looks for (BGGeo 482,
/// 501, `setOdometer`; SDK §5.4, §17.6). Without a position it fails: one is certain where another record of the time of the search has
/// one (SDK §13.1, §13.2).
final class OdometerRecordRule: Rule {
  override class var invariant: Invariant { .odometerTolerance }
  override class var interest: Interest { [.location, .motionChange, .event, .life, .course] }
  override class var absence: String { "no command set the odometer" }

  private struct Due {
    let metres: Double
    let instant: MonotonicInstant
    /// Whether no other command came while it was due: then the record may have the value of either.
    let isAlone: Bool
    /// Whether a position has come while it was looked for.
    var hasPosition = false
  }

  /// What is due of devices whose odometer a command has set.
  private var devices: [Int: Due] = [:]

  /// The search for a position.
  private static let search = Nanoseconds.seconds(10)
  private static let patience = Nanoseconds.seconds(60)
  /// Records have two decimals, which the largest numbers do not have.
  private static let rounding = (metres: 0.006, greatest: 1e10)

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    let device = context.device
    if case .told(.commanded(let command)) = event { return expect(command, context) }
    guard !devices.isEmpty, let due = devices[device] else { return }
    if context.now.monotonic > due.instant + OdometerRecordRule.patience { return judge(due, context) }
    switch event {
    case .told(.engine(.location(let record))) where !record.isSample: hear(record, due, context)
    // What ends the search, or its process, ends its record.
    case .told(.engine(.enabledChange)), .told(.engine(.locationError)), .asked, .closed, .killed, .launched, .healed,
      .faultBegan, .faultEnded:
      devices[device] = nil
    default: break
    }
  }

  private func expect(_ command: Command, _ context: EventContext) {
    let metres: Double
    switch command {
    case .setOdometer(let value): metres = value
    case .resetOdometer: metres = 0
    default: return
    }
    guard metres.magnitude <= OdometerRecordRule.rounding.greatest else { return devices[context.device] = nil }
    let isAlone = devices[context.device] == nil
    devices[context.device] = Due(metres: metres, instant: context.now.monotonic, isAlone: isAlone)
  }

  private func hear(_ record: LocationRecord, _ due: Due, _ context: EventContext) {
    let device = context.device
    if record.event == nil, abs(record.odometer - due.metres) < OdometerRecordRule.rounding.metres {
      exercised += 1
      return devices[device] = nil
    }
    let age = context.now.wall.milliseconds(since: record.timestamp)
    guard record.event == nil, record.isMoving, (0...1_000).contains(age) else { return }
    let instant = context.now.monotonic - .milliseconds(age)
    if instant > due.instant, instant < due.instant + OdometerRecordRule.search { devices[device]?.hasPosition = true }
  }

  private func judge(_ due: Due, _ context: EventContext) {
    devices[context.device] = nil
    let life = ledger.truth.lives[context.device]
    guard due.hasPosition, due.isAlone, life.isUndisturbed,
      life.configuration?.geolocation.useSignificantChangesOnly == false
    else { return }
    exercised += 1
    ledger.violations.flag(
      Self.invariant, context.device, at: context.now.monotonic,
      "no record has the odometer of \(due.metres) m that a command has set at \(due.instant.clockText)")
  }
}
