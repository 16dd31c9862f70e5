import Base
import Contract
import Engine
import Host
import Scenario
import Vocabulary
import World

/// I32: with `triggerActivities` a device at rest begins to move only with one of them (SDK §2.7, §12.4.1). Commands and
/// positions outside its region may begin a trip, too (SDK §12.1): one is judged that is reported within the region.
final class TriggerActivityRule: Rule {
  override class var invariant: Invariant { .motionLiveness }
  override class var interest: Interest { [.motionChange, .event, .life, .course] }
  override class var absence: String { "no device with triggerActivities set off" }

  /// A rest that the device has reported, with nothing since that changes its task.
  private struct Rest {
    let place: Coordinate
    let instant: MonotonicInstant
    /// The number of changes of the body's motion since then.
    var moves = 0
    /// Whether the sensors have reported an activity of the list, or may have.
    var isPermitted: Bool
  }

  private struct Phone {
    var rest: Rest?
    /// The last report of the sensors; nil: unknown.
    var activity: ActivityType?
  }

  /// The devices with a list.
  private var phones: [Int: Phone] = [:]

  /// Within it no position is outside the region, but for its error.
  private static let regionMetres = 150.0
  private static let errorMetres = 40.0
  private static let step = Nanoseconds.seconds(2)

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    let device = context.device
    if case .configured(let configuration) = event { return configure(configuration, device) }
    guard !phones.isEmpty, phones[device] != nil else { return }
    switch event {
    case .sensed(let activity): hear(activity.type, device)
    case .told(.engine(.motionChange(let record))):
      if record.isMoving { judge(record, context) }
      let rest = record.isMoving ? nil : rest(at: record, context)
      phones[device]?.rest = rest
    case .moves: phones[device]?.rest?.moves += 1
    case .told(.engine(.enabledChange)), .told(.engine(.schedule)), .told(.engine(.locationError)), .told(.commanded),
      .asked, .faultBegan, .faultEnded, .killed, .launched, .healed:
      phones[device]?.rest = nil
    default: break
    }
  }

  /// A list without activity updates, or where none are requested, names what is never reported.
  private func configure(_ configuration: Configuration, _ device: Int) {
    let isWithout =
      configuration.activity.triggerActivities.isEmpty || configuration.activity.disableMotionActivityUpdates
      || configuration.geolocation.useSignificantChangesOnly
    phones[device] = isWithout ? nil : Phone(rest: nil, activity: phones[device]?.activity)
  }

  private func hear(_ type: ActivityType, _ device: Int) {
    phones[device]?.activity = type
    if isPermitted(type, device) { phones[device]?.rest?.isPermitted = true }
  }

  private func isPermitted(_ type: ActivityType?, _ device: Int) -> Bool {
    guard let type, let configuration = ledger.truth.lives[device].configuration else { return true }
    return configuration.mayPermit(type)
  }

  private func rest(at record: LocationRecord, _ context: EventContext) -> Rest? {
    record.coords.place.map {
      let isPermitted = isPermitted(phones[context.device]?.activity, context.device)
      return Rest(place: $0, instant: context.now.monotonic, isPermitted: isPermitted)
    }
  }

  private func judge(_ record: LocationRecord, _ context: EventContext) {
    guard let rest = phones[context.device]?.rest else { return }
    exercised += 1
    guard !rest.isPermitted, rest.moves <= 2, isInRegion(rest, context) else { return }
    flag(context, record.uuid, "begins to move without one of its triggerActivities")
  }

  /// Reports whether no position since the rest was outside the region.
  private func isInRegion(_ rest: Rest, _ context: EventContext) -> Bool {
    let (life, now) = (ledger.truth.lives[context.device], context.now.monotonic)
    guard let episode = life.episode, life.errors.most(since: rest.instant) == 0 else { return false }
    let before = if case .trip(let trip)? = life.previous { trip.start } else { episode.start }
    var instant = max(rest.instant, before)
    while instant <= now {
      guard let place = life.earlierPlace(at: instant),
        place.distanceMetres(to: rest.place) < TriggerActivityRule.regionMetres - TriggerActivityRule.errorMetres
      else { return false }
      instant = instant + TriggerActivityRule.step
    }
    return true
  }
}

extension Configuration {
  private var triggers: [String] {
    activity.triggerActivities.split(separator: ",").map(String.init)
  }

  /// Reports whether a trip may begin with the activity (ActivityConfig `triggerActivities`; SDK §2.7).
  func permits(_ type: ActivityType) -> Bool { triggers.contains(type.name) }

  /// Reports whether it surely may not: those on foot may count as one another.
  func mayPermit(_ type: ActivityType) -> Bool {
    let onFoot = [ActivityType.walking, .onFoot, .running]
    return onFoot.contains(type) ? onFoot.contains { permits($0) } : permits(type)
  }
}
