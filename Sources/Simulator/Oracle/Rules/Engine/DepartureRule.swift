import Base
import Contract
import Engine
import Host
import Scenario
import Vocabulary
import World

/// I32: near the place of its rest a device does not set off by itself: on Android its sensors must be sure of a movement (ActivityConfig
/// `minimumActivityRecognitionConfidence`; SDK §2.7, §12.4.1), on iOS it must be fast as well (SDK §12.4.4).
final class DepartureRule: Rule {
  override class var invariant: Invariant { .motionLiveness }
  override class var interest: Interest { [.motionChange, .event, .life, .course] }
  override class var absence: String { "no device set off by itself" }

  private struct Rest {
    let place: Coordinate
    let instant: MonotonicInstant
    /// Whether the sensors were sure of a movement since then.
    var isSure: Bool
    /// Whether the body has begun more than one trip since then.
    var moves = 0
  }

  private struct Phone {
    var rest: Rest?
    /// Whether the last report of the sensors says a movement, surely.
    var isSure = false
  }

  private let phones: PerDevice<Phone>

  /// Within it, with any error, no position is outside the region.
  private static let nearMetres = 60.0
  /// Less than half of the speed that counts as fast.
  private static let slowSpeed = 2.0
  private static let step = Nanoseconds.seconds(2)

  required init(_ ledger: Ledger) {
    phones = PerDevice(Phone(), in: ledger.space)
    super.init(ledger)
  }

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    let device = context.device
    switch event {
    case .sensed(let activity): hear(activity, device)
    case .told(.engine(.motionChange(let record))):
      if record.isMoving { judge(record, context) }
      phones[device].rest = record.isMoving ? nil : rest(at: record, context)
    case .moves: phones[device].rest?.moves += 1
    case .told(.engine(.enabledChange)), .told(.engine(.schedule)), .told(.engine(.locationError)), .told(.commanded),
      .asked, .configured, .strayed, .faultBegan, .faultEnded, .killed, .launched, .healed:
      phones[device].rest = nil
    default: break
    }
  }

  private func hear(_ activity: Activity, _ device: Int) {
    let least = ledger.truth.lives[device].configuration?.activity.minimumActivityRecognitionConfidence ?? 0
    let isSure =
      switch activity.type {
      case .walking, .onFoot, .running, .onBicycle, .inVehicle: activity.confidence >= least
      case .still, .unknown, .other: false
      }
    phones[device].isSure = isSure
    if isSure { phones[device].rest?.isSure = true }
  }

  private func rest(at record: LocationRecord, _ context: EventContext) -> Rest? {
    record.coords.place.map {
      Rest(place: $0, instant: context.now.monotonic, isSure: phones[context.device].isSure)
    }
  }

  private func judge(_ record: LocationRecord, _ context: EventContext) {
    let (device, life) = (context.device, ledger.truth.lives[context.device])
    guard let rest = phones[device].rest, rest.moves <= 2, let configuration = life.configuration,
      !configuration.geolocation.useSignificantChangesOnly
    else { return }
    exercised += 1
    guard let speed = record.coords.speed, isNear(rest, context) else { return }
    let isSlow = speed < DepartureRule.slowSpeed && isSlow(since: rest, context)
    guard configuration.platform == .ios ? isSlow : !rest.isSure else { return }
    flag(context, record.uuid, "begins to move near the place of its rest, without a sign of a trip")
  }

  /// Reports whether the body was near all the time.
  private func isNear(_ rest: Rest, _ context: EventContext) -> Bool {
    passes(rest, context) { episode, instant in
      episode.place(at: instant).distanceMetres(to: rest.place) < DepartureRule.nearMetres
    }
  }

  private func isSlow(since rest: Rest, _ context: EventContext) -> Bool {
    passes(rest, context) { episode, instant in episode.speed(at: instant) < DepartureRule.slowSpeed }
  }

  private func passes(_ rest: Rest, _ context: EventContext, _ test: (Episode, MonotonicInstant) -> Bool) -> Bool {
    let (life, now) = (ledger.truth.lives[context.device], context.now.monotonic)
    guard let episode = life.episode, life.errors.most(since: rest.instant) == 0 else { return false }
    let before = if case .trip(let trip)? = life.previous { trip.start } else { episode.start }
    var instant = max(rest.instant, before)
    while instant <= now {
      guard let episode = life.episode(of: instant), test(episode, instant) else { return false }
      instant = instant + DepartureRule.step
    }
    return true
  }
}
