import Base
import Contract
import Engine
import Host
import Scenario
import Vocabulary

/// I31: at rest an Android phone sends heartbeats at its interval, of at least a minute, and no phone sends them more often
/// or when they are off (AppConfig `heartbeatInterval`; SDK §18). On iOS none is owed, as the system decides about background
/// time; there are none on the way, none in the background without `preventSuspend`, nor for long on an unplugged phone (SDK §18.2, §18.3).
final class HeartbeatRule: Rule {
  override class var invariant: Invariant { .heartbeat }
  override class var interest: Interest { [.told, .life, .course] }
  override class var absence: String { "no heartbeat was due or sent" }

  private struct Heart {
    /// The time since which the device is at rest, truly and for the SDK, or of the last heartbeat. Whether the SDK has
    /// noticed a departure is unknown until it reports it.
    var since: MonotonicInstant?
    var last: MonotonicInstant?
    var beforeLast: MonotonicInstant?
    /// The time since which each heartbeat has followed the last by exactly one interval, without other reports.
    var rhythm: MonotonicInstant?
  }

  private let hearts: PerDevice<Heart>
  /// iOS devices whose app runs in the background.
  private var inBackground: Set<Int> = []
  /// Of the interval between two heartbeats.
  private static let tolerance = Nanoseconds.seconds(2)
  /// A sleeping phone is woken late.
  private static let slack = Nanoseconds.seconds(120)
  /// The time without activity after which iOS withholds heartbeats.
  private static let grace = Nanoseconds.seconds(120)

  required init(_ ledger: Ledger) {
    hearts = PerDevice(Heart(), in: ledger.space)
    super.init(ledger)
  }

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    let (device, now) = (context.device, context.now.monotonic)
    switch event {
    // The interval may change with this event; what was due so far is not judged by the new one.
    case .told(.commanded), .configured: break
    default: if hearts[device].since != nil { judge(context) }
    }
    if HeartbeatRule.interruptsHeartbeats(event) { hearts[device].rhythm = nil }
    switch event {
    case .launched(let launch) where launch.isInBackground:
      hearts[device] = Heart()
      if ledger.truth.lives[device].configuration?.platform == .ios { inBackground.insert(device) }
    case .opened: inBackground.remove(device)
    case .told(.engine(.motionChange(let record))):
      let rests = !record.isMoving && ledger.truth.lives[device].restsSince != nil
      hearts[device] = Heart(since: rests ? now : nil)
    case .moves: hearts[device].since = nil
    case .told(.engine(.heartbeat(let record))): beat(record, context)
    // It tells the last known position, and makes no record (BGGeo 220, SDK §18.4).
    case .told(.engine(.location(let record))) where record.event == .heartbeat:
      flag(context, record.uuid, "a heartbeat is a record")
    case .told(.engine(.enabledChange(isEnabled: false))), .told(.commanded), .killed, .launched, .healed, .configured,
      .asked:
      hearts[device] = Heart()
      if case .killed = event { inBackground.remove(device) }
    default: break
    }
  }

  private static func interruptsHeartbeats(_ event: SimulationEvent) -> Bool {
    switch event {
    case .told(.engine(.heartbeat)): false
    case .told(.engine), .moves, .opened: true
    default: false
    }
  }

  /// Returns the interval; nil: none. Below a minute Android uses a minute.
  private func interval(_ device: Int) -> Nanoseconds? {
    guard let configuration = ledger.truth.lives[device].configuration else { return nil }
    let seconds = configuration.app.heartbeatIntervalSeconds
    guard seconds > 0 else { return nil }
    return .seconds(Int64(configuration.platform == .android ? max(seconds, 60) : max(seconds, 1)))
  }

  private func judge(_ context: EventContext) {
    let (device, life) = (context.device, ledger.truth.lives[context.device])
    guard let since = hearts[device].since, let interval = interval(device),
      life.configuration?.platform == .android, let wanted = life.expectation, wanted.goal == .location
    else { return }
    let due = max(since, wanted.since) + interval + HeartbeatRule.slack
    guard due < context.now.monotonic else { return }
    hearts[device].since = nil
    ledger.violations.flag(
      Self.invariant, device, at: due, "at rest since \(since.clockText), and no heartbeat until \(due.clockText)")
  }

  /// Follows regular heartbeats: those of an app that iOS suspends come with whatever wakes it, not at their interval.
  private func followRhythm(_ record: LocationRecord, _ interval: Nanoseconds, _ context: EventContext) {
    let (device, now) = (context.device, context.now.monotonic)
    guard let last = hearts[device].last, let rhythm = hearts[device].rhythm, now - last == interval,
      inBackground.contains(device), ledger.truth.lives[device].restsSince != nil, !record.battery.isCharging
    else { return hearts[device].rhythm = now }
    guard now - rhythm > HeartbeatRule.grace + interval, !isKeptAwake(context) else { return }
    hearts[device].rhythm = now
    flag(context, nil, "heartbeats continue in the background, unplugged, since \(rhythm.clockText)")
  }

  /// Reports whether the device is near a polygon, where positions are checked all the time (SDK §15.5.2).
  private func isKeptAwake(_ context: EventContext) -> Bool {
    let life = ledger.truth.lives[context.device]
    guard let place = life.place(at: context.now.monotonic) else { return false }
    return life.fences.compactMap { TrueFence($0) }.contains { fence in
      fence.isPolygon && fence.circle.center.distanceMetres(to: place) < fence.circle.radiusMetres + 100
    }
  }

  private func beat(_ record: LocationRecord, _ context: EventContext) {
    let (device, now) = (context.device, context.now.monotonic)
    exercised += 1
    // On the way there are positions instead (AppConfig `heartbeatInterval`; SDK §18).
    if record.isMoving { flag(context, nil, "a heartbeat of a device that moves") }
    guard let interval = interval(device) else {
      return flag(context, nil, "a heartbeat although heartbeats are off")
    }
    if inBackground.contains(device), ledger.truth.lives[device].configuration?.preventsSuspend == false {
      flag(context, nil, "a heartbeat in the background, without preventSuspend")
    }
    followRhythm(record, interval, context)
    // An iOS timer is late while the app sleeps, but keeps its schedule: the next heartbeat may follow soon, a third may not.
    let isIOS = ledger.truth.lives[device].configuration?.platform == .ios
    if let earlier = isIOS ? hearts[device].beforeLast : hearts[device].last,
      now - earlier < interval - HeartbeatRule.tolerance - ledger.lateness
    {
      let count = isIOS ? "the last but one" : "the one before"
      flag(context, nil, "a heartbeat \((now - earlier).wholeMilliseconds / 1_000) s after \(count)")
    }
    (hearts[device].beforeLast, hearts[device].last) = (hearts[device].last, now)
    if hearts[device].since != nil { hearts[device].since = now }
  }
}
