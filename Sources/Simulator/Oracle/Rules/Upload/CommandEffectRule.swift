import Base
import Contract
import Engine
import Host
import Scenario
import Upload
import Vocabulary

/// I23: a command that is carried out has its effect: `start` and `stop` turn tracking on and off, `setConfig` sets its
/// keys and leaves the others, `changePace` changes the pace, `uploadLog` sends the log (HttpConfig 73 to 84; BGGeo 156,
/// 390; SDK §1.2, §10.2). What a schedule does beside the commands is left to `ScheduleRule`.
final class CommandEffectRule: Rule {
  override class var invariant: Invariant { .remoteCommands }
  override class var interest: Interest { [.sent, .told, .life, .course] }
  override class var absence: String { "no server sent a command" }

  /// The expectations of an instant, until it is over.
  private struct Due {
    let at: MonotonicInstant
    var isOn: Bool?
    var configuration: Configuration?
    /// The addresses to which the log goes.
    var logs: [String] = []
  }

  private struct Phone {
    /// Whether tracking is on; nil where that is not known.
    var isOn: Bool?
    /// The pace of the last motion change.
    var isMoving: Bool?
    var due: Due?
    /// The pace that a command asks for, and until when.
    var pace: (isMoving: Bool, since: MonotonicInstant, due: MonotonicInstant)?
  }

  private let phones: PerDevice<Phone>

  /// The position of a motion change is searched for four times (SDK §12.6.4).
  private static let attempts = 4.0
  private static let patience = Nanoseconds.seconds(120)
  private static let lead = Nanoseconds.seconds(600)

  required init(_ ledger: Ledger) {
    phones = PerDevice(Phone(), in: ledger.space)
    super.init(ledger)
  }

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    let (device, now) = (context.device, context.now.monotonic)
    if let due = phones[device].due, due.at < now { settle(due, context) }
    if let pace = phones[device].pace, pace.due < now { judge(pace, context) }
    switch event {
    case .told(.commanded(let command)): expect(command, context)
    case .kept(let state): phones[device].isOn = state.isEnabled
    case .told(.engine(.enabledChange(let isOn))): (phones[device].isOn, phones[device].pace) = (isOn, nil)
    case .told(.engine(.motionChange(let record))):
      (phones[device].isMoving, phones[device].pace) = (record.isMoving, nil)
    case .told(.engine(.schedule)), .asked: forget(device)
    case .configured: phones[device].pace = nil
    case .sent(let request) where request.purpose == .log:
      if let index = phones[device].due?.logs.firstIndex(of: request.url) { phones[device].due?.logs.remove(at: index) }
    case .killed, .launched, .healed, .faultBegan, .faultEnded:
      forget(device)
      phones[device].isMoving = nil
    default: break
    }
  }

  private func forget(_ device: Int) { (phones[device].due, phones[device].pace) = (nil, nil) }

  private func expect(_ command: Command, _ context: EventContext) {
    let (device, now, life) = (context.device, context.now.monotonic, ledger.truth.lives[context.device])
    exercised += 1
    var due = phones[device].due ?? Due(at: now)
    phones[device].pace = nil
    switch command {
    case .start, .startGeofences: due.isOn = true
    case .stop: due.isOn = false
    case .startSchedule, .stopSchedule: due.isOn = nil
    case .setConfig(let document):
      if var configuration = due.configuration ?? life.configuration {
        _ = configuration.apply(document)
        due.configuration = configuration
      }
    case .changePace(let isMoving): expectPace(isMoving, context)
    case .uploadLog(let url): if life.disturbances == 0 { due.logs.append(url) }
    case .addGeofence, .addGeofences, .removeGeofence, .removeGeofences, .setOdometer, .resetOdometer, .destroyLog:
      break
    case .ban: due.configuration = nil
    }
    phones[device].due = due
  }

  /// Expects a change of the pace of a device that tracks, and not on Android without "Always", where it may be refused
  /// (SDK §19.5).
  private func expectPace(_ isMoving: Bool, _ context: EventContext) {
    let (device, now, life) = (context.device, context.now.monotonic, ledger.truth.lives[context.device])
    guard let pace = phones[device].isMoving, pace != isMoving, let wanted = life.expectation, wanted.goal == .location,
      wanted.since < now, !life.isScheduled, !life.isWhenInUse, let configuration = life.configuration
    else { return }
    let search = CommandEffectRule.attempts * min(max(configuration.geolocation.locationTimeoutSeconds, 0), 3_600)
    phones[device].pace = (isMoving, now, now + .seconds(Int64(search)) + CommandEffectRule.patience)
  }

  private func judge(_ pace: (isMoving: Bool, since: MonotonicInstant, due: MonotonicInstant), _ context: EventContext)
  {
    let (device, life) = (context.device, ledger.truth.lives[context.device])
    phones[device].pace = nil
    // Without a position there is no motion change (SDK §12.6.4).
    guard life.seesSky(since: pace.since - CommandEffectRule.lead), !life.isScheduled, life.runsSince != nil,
      life.expectation?.goal == .location
    else { return }
    ledger.violations.flag(
      Self.invariant, device, at: pace.due,
      "changePace(\(pace.isMoving)) was carried out at \(pace.since.clockText), and no motion change has followed")
  }

  private func settle(_ due: Due, _ context: EventContext) {
    let (device, life) = (context.device, ledger.truth.lives[context.device])
    phones[device].due = nil
    guard life.isUndisturbed else { return }
    if let isOn = due.isOn, phones[device].isOn == !isOn, !life.isScheduled {
      tell("'\(isOn ? "start" : "stop")' was carried out, and tracking is \(isOn ? "off" : "on")", due, device)
    }
    if let expected = due.configuration, let told = life.configuration, let key = difference(of: told, from: expected) {
      tell("'setConfig' was carried out, and \(key) is another", due, device)
    }
    if let url = due.logs.first {
      tell("'uploadLog' was carried out, and no log was sent to \(url)", due, device)
    }
  }

  private func tell(_ what: String, _ due: Due, _ device: Int) {
    ledger.violations.flag(Self.invariant, device, at: due.at, what)
  }

  /// Returns the name of the first group that differs; tokens may be replaced in the same instant.
  private func difference(of told: Configuration, from expected: Configuration) -> String? {
    if told.geolocation != expected.geolocation { return "geolocation" }
    if told.app != expected.app { return "app" }
    if told.http != expected.http { return "http" }
    if told.persistence != expected.persistence { return "persistence" }
    return told.activity != expected.activity ? "activity" : nil
  }
}
