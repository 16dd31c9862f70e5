import Base
import Contract
import Engine
import Host
import Scenario
import Vocabulary

/// I16: a record contains the activity that the motion sensors reported last (LocationEvent 74). They report one soon after
/// updates are requested, which the SDK does as long as it tracks (BGGeo 520; SDK §12.4.4), and never with
/// `disableMotionActivityUpdates` (SDK §2.7).
final class ActivityRule: Rule {
  override class var invariant: Invariant { .motion }
  override class var interest: Interest { [.told, .life] }
  override class var absence: String { "no device that tracks and asks for activities recorded a position" }

  private struct Watch {
    /// The time since which updates are requested; nil: they are not.
    var since: MonotonicInstant?
    /// The last report since then, and its time.
    var report: (activity: Activity, instant: MonotonicInstant)?
  }

  private struct Phone {
    var isOn = false
    /// Whether the configuration permits activity updates.
    var mayAsk = true
    /// Since when the configuration forbids them; nil: it does not.
    var mustNotAsk: MonotonicInstant?
    var watch = Watch()
  }

  private let phones: PerDevice<Phone>

  /// The longest time until the sensors answer.
  private static let patience = Nanoseconds.seconds(60)

  required init(_ ledger: Ledger) {
    phones = PerDevice(Phone(), in: ledger.space)
    super.init(ledger)
  }

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    let device = context.device
    switch event {
    case .kept(let state): phones[device].isOn = state.isEnabled
    case .launched: begin(context)
    case .told(.engine(.enabledChange(let isEnabled))):
      phones[device].isOn = isEnabled
      begin(context)
    case .configured(let configuration):
      let activity = configuration.activity
      phones[device].mustNotAsk =
        activity.disableMotionActivityUpdates ? phones[device].mustNotAsk ?? context.now.monotonic : nil
      // In significant-changes mode Android requests none (SDK §12.7).
      let isWithoutAny = configuration.platform == .android && configuration.geolocation.useSignificantChangesOnly
      let mayAsk = !activity.disableMotionActivityUpdates && !isWithoutAny
      guard mayAsk != phones[device].mayAsk else { return }
      phones[device].mayAsk = mayAsk
      begin(context)
    case .killed, .healed: phones[device].watch = Watch()
    case .sensed(let activity):
      phones[device].watch.report = (activity, context.now.monotonic)
      judgeReport(context)
    case .told(.engine(.location(let record))) where !record.isSample: judge(record, context)
    default: break
    }
  }

  private func begin(_ context: EventContext) {
    let isAsked = phones[context.device].isOn && phones[context.device].mayAsk
    phones[context.device].watch = Watch(since: isAsked ? context.now.monotonic : nil)
  }

  /// A report of the instant at which the configuration changes may have been under way.
  private func judgeReport(_ context: EventContext) {
    guard let since = phones[context.device].mustNotAsk, since < context.now.monotonic,
      ledger.truth.lives[context.device].isUndisturbed
    else { return }
    exercised += 1
    flag(context, nil, "the motion sensors report activities although disableMotionActivityUpdates is on")
  }

  private func judge(_ record: LocationRecord, _ context: EventContext) {
    let (watch, now) = (phones[context.device].watch, context.now.monotonic)
    guard let since = watch.since, now - since > ActivityRule.patience else { return }
    exercised += 1
    guard let report = watch.report else {
      return flag(context, record.uuid, "the motion sensors were asked for no activity since \(since.clockText)")
    }
    // A record of the same instant may have been made before the report.
    guard record.activity != report.activity, report.instant < now else { return }
    flag(
      context, record.uuid,
      "a record says \(record.activity.words), the motion sensors have said \(report.activity.words)")
  }
}

extension Activity {
  fileprivate var words: String { "\(type.name) with \(confidence) %" }
}
