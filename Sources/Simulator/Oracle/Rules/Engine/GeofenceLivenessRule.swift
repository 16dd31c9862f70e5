import Base
import Contract
import Engine
import Host
import Scenario
import Vocabulary
import World

/// I19: a device that truly enters one of its fences, circle or polygon, or clearly leaves it, and stays so, is notified: on
/// a trip, at rest, in geofences-only mode, after the app was down (Geofence `notifyOnEntry`, `notifyOnExit`, "Removing
/// geofences"; SDK §15.3 to §15.6). I28: a stay of `loiteringDelay` is reported, once for each visit (SDK §15.3.4). Which fences
/// the SDK monitors is not judged.
///
/// A crossing is owed by `FenceWatch`, until a deadline of `OwedReport`; a dwell event by `FenceStay`. Where one does not come in
/// time, the rule asks for `CrossingExcuses` and `DwellExcuses`.
final class GeofenceLivenessRule: Rule {
  override class var invariant: Invariant { .geofenceLiveness }
  override class var invariants: Set<Invariant> { [.geofenceLiveness, .dwell] }
  override class var interest: Interest { [.told, .life, .course] }
  override class var absence: String { "no device with monitored geofences crossed one" }

  /// The devices that have fences.
  private var devices: [Int: WatchedFences] = [:]

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    switch event {
    case .asked(.addGeofences(let added)), .told(.commanded(.addGeofences(let added))): learn(added, context)
    case .told(.commanded(.addGeofence(let added))): learn([added], context)
    case .told(.commanded): learn([], context)
    default: break
    }
    let (device, now) = (context.device, context.now.monotonic)
    guard let next = devices[device]?.next, now >= next || GeofenceLivenessRule.matters(event),
      var fences = devices[device]
    else { return }
    if now >= fences.next { pass(to: now, &fences, context) }
    switch event {
    case .moves(let episode): move(episode, &fences, context)
    case .told(.engine(.geofence(let record, let fence))): hear(record, fence.identifier, &fences, context)
    case .told(.engine(.locationFilter(let filtered))):
      if let identifier = filtered.crossing?.identifier { fences.putOff(identifier, at: now) }
    case .killed: fences.pause(at: now)
    case .healed: fences = WatchedFences()
    default: fences.monitor(life(context), context)
    }
    fences.schedule()
    devices[device] = fences
  }

  /// Reports whether the event concerns fences; most reports do not.
  private static func matters(_ event: SimulationEvent) -> Bool {
    switch event {
    case .told(.engine(.geofence)), .told(.engine(.locationFilter)), .told(.engine(.enabledChange)),
      .told(.engine(.schedule)), .told(.commanded):
      true
    case .told, .network: false
    default: true
    }
  }

  private func life(_ context: EventContext) -> TrueLife { ledger.truth.lives[context.device] }

  /// Notes the fences of a device.
  private func learn(_ added: [Geofence], _ context: EventContext) {
    let life = life(context)
    guard devices[context.device] != nil || !life.fences.isEmpty, life.episode != nil else { return }
    var fences = devices[context.device, default: WatchedFences()]
    guard fences.fences != life.fences || !added.isEmpty else { return }
    pass(to: context.now.monotonic, &fences, context)
    fences.learn(life, added: added, context)
    devices[context.device] = fences
  }

  private func move(_ episode: Episode, _ fences: inout WatchedFences, _ context: EventContext) {
    fences.follow(episode, from: episode.start)
    pass(to: context.now.monotonic, &fences, context)
    fences.monitor(life(context), context)
  }

  /// Follows the body up to an instant, and judges what was due until then.
  private func pass(to now: MonotonicInstant, _ fences: inout WatchedFences, _ context: EventContext) {
    while let crossing = fences.takeCrossing(until: now) {
      judge(before: crossing.instant, &fences, context)
      fences.cross(crossing, life(context))
    }
    judge(before: now, &fences, context)
  }

  // MARK: The SDK's reports.

  private func hear(
    _ record: LocationRecord, _ identifier: String, _ fences: inout WatchedFences, _ context: EventContext
  ) {
    guard let action = record.geofence?.action, let index = fences.index(of: identifier) else { return }
    switch action {
    case .enter, .exit:
      let isEntry = action == .enter
      if fences.watches[index].owed?.isEntry == isEntry { exercised += 1 }
      fences.watches[index].hear(entry: isEntry, since: crossing(of: record, context), life(context), context)
    case .dwell:
      if let earliest = fences.watches[index].dwellsTooEarly(context) {
        ledger.violations.flag(
          .dwell, context.device, record.uuid, at: context.now.monotonic,
          "reported dwelling in '\(identifier)' before \(earliest.clockText), when its time was over")
      }
      if fences.watches[index].stay.due != nil { ledger.dwells += 1 }
      fences.watches[index].hearDwell()
    }
  }

  /// Returns the time of the crossing; it is reported once there is a position, which may be much later (SDK §15.3.1).
  private func crossing(of record: LocationRecord, _ context: EventContext) -> MonotonicInstant {
    let age = record.geofence.map { context.now.wall.milliseconds(since: $0.timestamp) } ?? 0
    return context.now.monotonic - .milliseconds(max(0, age))
  }

  // MARK: The verdicts.

  private func judge(before instant: MonotonicInstant, _ fences: inout WatchedFences, _ context: EventContext) {
    guard fences.isJudged else { return }
    for index in fences.watches.indices {
      if let owed = fences.watches[index].takeMissed(before: instant) { judge(owed, index, &fences, context) }
      if let due = fences.watches[index].takeMissedDwell(before: instant) {
        judgeDwell(due: due, fences.watches[index], among: fences, context)
      }
    }
  }

  /// Judges a crossing that was not reported in time.
  private func judge(_ owed: OwedReport, _ index: Int, _ fences: inout WatchedFences, _ context: EventContext) {
    let (life, watch) = (life(context), fences.watches[index])
    let excuses = CrossingExcuses(
      owed: owed, fence: watch.truth, fences: fences, life: life, now: context.now.monotonic)
    if excuses.mayBeUnnoticed { return }
    if watch.isSilent(owed) { return fences.watches[index].settleSilently(owed, life, context) }
    if excuses.mayBeUnrecorded { return }
    exercised += 1
    ledger.violations.flag(
      Self.invariant, context.device, at: owed.due ?? owed.since,
      "no event reported the \(owed.isEntry ? "entry into" : "exit from") '\(watch.fence.identifier)' at \(owed.since.clockText)"
    )
  }

  /// Judges a dwell event that was not reported in time.
  private func judgeDwell(
    due: MonotonicInstant, _ watch: FenceWatch, among fences: WatchedFences, _ context: EventContext
  ) {
    let excuses = DwellExcuses(
      due: due, watch: watch, fences: fences, life: life(context), now: context.now.monotonic)
    if excuses.areAny { return }
    ledger.dwells += 1
    ledger.violations.flag(
      .dwell, context.device, at: due,
      "no dwell event was reported in '\(watch.fence.identifier)' until \(due.clockText)")
  }
}
