import Base
import Contract
import Engine
import Host
import Scenario
import Vocabulary
import World

/// I18: the record of a crossing names its fence, crossings of a fence alternate, dwell follows enter, once for each visit, no
/// more fences are monitored than the system allows, and none without the permission "Always" (SDK §15.2, §15.3).
final class GeofenceRule: Rule {
  override class var invariant: Invariant { .geofence }
  override class var interest: Interest { [.event, .life, .course] }

  private struct Visit {
    var last: GeofenceTrigger.Action
    /// The time of the last report.
    var toldAt: MonotonicInstant
    /// The time of a reported dwell event, which is the only one of this visit.
    var dwelt: MonotonicInstant?
    /// The fence, if it reports neither entries nor exits: its visits end with true exits that a phone may detect.
    var silent: TrueFence?

    /// Notes an exit that was not reported, and that the phone may have detected since the dwell event (SDK §15.3.3).
    mutating func follow(_ life: TrueLife, until now: MonotonicInstant) {
      if let silent, let since = dwelt, life.mayHaveLeft(silent, since: since, until: now) { dwelt = nil }
    }
  }

  private struct Fences {
    var visits: [String: Visit] = [:]
    /// The times of addition, removal and the end of monitoring. An earlier crossing is still reported, and does not belong to
    /// the present fence or its present visit.
    var changed: [String: Moment] = [:]
    var monitored: Set<String> = []
    /// The visits and changes when all fences were removed, as by a stop, which visits outlast (SDK §15.4).
    var interrupted: (visits: [String: Visit], changed: [String: Moment], at: MonotonicInstant)?
  }

  /// The devices that have fences.
  private var devices: [Int: Fences] = [:]

  /// The latest episodes of bodies with fences, as far back as an entry may still be reported.
  private var ways: [Int: [Episode]] = [:]

  override class var absence: String { "no geofence crossing was reported" }

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    switch event {
    case .told(.engine(.geofence(let record, let fence))): cross(record, fence, context)
    case .told(.engine(.geofencesChange(let on, let off))): monitor(on, off, context)
    // All fences are monitored anew, and were not monitored meanwhile.
    case .launched: devices[context.device] = nil
    case .told(.engine(.enabledChange(isEnabled: false))): endMonitoring(context)
    case .moves(let episode): follow(episode, context)
    case .asked(let command), .told(.commanded(let command)): forget(command, context)
    default: break
    }
  }

  /// Ends monitoring. Without an initial trigger, a visit may begin silently when monitoring begins again (SDK §15.4).
  private func endMonitoring(_ context: EventContext) {
    devices[context.device]?.monitored = []
    if let interrupted = devices[context.device]?.interrupted, interrupted.at == context.now.monotonic {
      devices[context.device]?.visits = interrupted.visits
      devices[context.device]?.changed = interrupted.changed
    }
    let geolocation = ledger.truth.lives[context.device].configuration?.geolocation
    if geolocation?.geofenceInitialTriggerEntry == false { devices[context.device]?.visits = [:] }
  }

  /// Forgets the visits of changed fences: one that is added again replaces the old one, whose state becomes invalid (SDK §15.1).
  private func forget(_ command: Command, _ context: EventContext) {
    guard var fences = devices[context.device] else { return }
    let changed: [String] =
      switch command {
      case .addGeofence(let fence): [fence.identifier]
      case .addGeofences(let fences): fences.map(\.identifier)
      case .removeGeofence(let identifier): [identifier]
      case .removeGeofences(let identifiers): identifiers ?? Array(fences.visits.keys)
      default: []
      }
    for identifier in changed {
      fences.visits[identifier] = nil
      fences.changed[identifier] = context.now
    }
    devices[context.device] = fences
  }

  private func cross(_ record: LocationRecord, _ fence: Geofence, _ context: EventContext) {
    guard let crossing = record.geofence, crossing.identifier == fence.identifier, record.event == .geofence else {
      return flag(context, record.uuid, "the record of a crossing of '\(fence.identifier)' does not name it")
    }
    if let changed = devices[context.device]?.changed[fence.identifier],
      GeofenceRule.isOfBefore(crossing, changed, context)
    {
      // A visit that outlasts a stop ends or begins with it, and another one does not.
      devices[context.device]?.visits[fence.identifier] = nil
      return
    }
    let action = crossing.action
    let known = devices[context.device, default: Fences()].visits[fence.identifier]
    let now = context.now.monotonic
    var visit = known ?? Visit(last: action, toldAt: now)
    // Changes that the store could not save since the last report were not reported.
    let isSound = ledger.truth.lives[context.device].isSound(since: visit.toldAt)
    switch action {
    case .dwell:
      visit.follow(ledger.truth.lives[context.device], until: now)
      if isSound, visit.dwelt != nil {
        flag(context, record.uuid, "dwelling in '\(fence.identifier)' reported twice on one visit")
      }
      if isSound && known?.last == .exit && fence.notifyOnEntry {
        flag(context, record.uuid, "dwelling in '\(fence.identifier)' reported after its exit")
      }
      visit.dwelt = now - GeofenceRule.age(of: crossing, context)
      visit.silent = fence.notifyOnEntry || fence.notifyOnExit ? nil : TrueFence(fence)
    case .enter, .exit:
      if isSound && known?.last == action && fence.notifyOnEntry && fence.notifyOnExit {
        flag(context, record.uuid, "\(action.rawValue) of '\(fence.identifier)' twice in a row")
      }
      if action == .enter, isFarFrom(fence, record, context) {
        flag(context, record.uuid, "entry into '\(fence.identifier)' after minutes far outside it")
      } else if action == .enter, let metres = metresOutside(fence, at: crossing, context) {
        flag(
          context, record.uuid,
          "entry into '\(fence.identifier)' at \(crossing.timestamp.iso8601Text), when the device was \(Int(metres)) m outside"
        )
      } else if action == .enter, isInitial(context), let metres = metresInside(fence, at: crossing, record, context) {
        flag(
          context, record.uuid,
          "entry into '\(fence.identifier)' \(Int(metres)) m inside it, and geofenceInitialTriggerEntry is off")
      } else if action == .exit, let metres = metresInside(fence, at: crossing, record, context) {
        flag(
          context, record.uuid,
          "exit from '\(fence.identifier)' at \(crossing.timestamp.iso8601Text), when the device was \(Int(metres)) m inside"
        )
      }
      visit = Visit(last: action, toldAt: now)
    }
    devices[context.device, default: Fences()].visits[fence.identifier] = visit
    exercised += 1
  }

  /// Reports whether the body was never near the fence, within any position error, for longer than the SDK takes to report a
  /// crossing; an app that was down may report it later.
  private func isFarFrom(_ fence: Geofence, _ record: LocationRecord, _ context: EventContext) -> Bool {
    let (life, now) = (ledger.truth.lives[context.device], context.now.monotonic)
    guard let truth = TrueFence(fence), let runsSince = life.runsSince, runsSince + GeofenceRule.lateness < now,
      let episode = life.episode, life.isSound(since: now)
    else { return false }
    let wait = life.awaitsPlace(at: now) ? GeofenceRule.age(of: record, in: life, context) : .zero
    // An outlier or a poor position may have shown the entry, and the record is made with a later one.
    let error = life.errors.most(since: now - GeofenceRule.lateness - wait)
    let margin = max(GeofenceRule.margin + error, 3 * (record.coords.accuracy ?? 0))
    let way = ways[context.device] ?? []
    if wait > GeofenceRule.lateness, way.first.map({ $0.start > now - wait }) ?? true { return false }
    let earliest = GeofenceRule.lateness.count + wait.count
    return stride(from: Int64(0), through: earliest, by: 2_000_000_000).allSatisfy { ago in
      let instant = MonotonicInstant(nanoseconds: now.nanoseconds - ago)
      let body =
        way.last { $0.start <= instant } ?? (instant < episode.start ? life.previous ?? episode : episode)
      return truth.metresOutside(body.place(at: instant)) > margin
    }
  }

  /// Returns how far outside the body was at the time of an entry, where no position can have shown it inside (SDK §15.3.2); nil
  /// otherwise, and for a time that is not known.
  private func metresOutside(_ fence: Geofence, at crossing: GeofenceTrigger, _ context: EventContext) -> Double? {
    let (life, now) = (ledger.truth.lives[context.device], context.now.monotonic)
    let instant = now - GeofenceRule.age(of: crossing, context)
    guard let truth = TrueFence(fence), life.clockLead == context.clockLead, let runsSince = life.runsSince,
      runsSince < instant, let episode = (ways[context.device] ?? []).last(where: { $0.start <= instant })
    else { return nil }
    let metres = truth.metresOutside(episode.place(at: instant))
    return metres > GeofenceRule.crossingMargin + life.errors.most(since: instant - GeofenceRule.lateness)
      ? metres : nil
  }

  /// Reports whether the report of an entry long before can only be the initial one, which the configuration forbids (GeolocationConfig
  /// `geofenceInitialTriggerEntry`; SDK §15.4): the receiver has worked all the time.
  private func isInitial(_ context: EventContext) -> Bool {
    let (life, now) = (ledger.truth.lives[context.device], context.now.monotonic)
    return life.configuration?.geolocation.geofenceInitialTriggerEntry == false && life.isUndisturbed
      && life.seesSky(since: now - GeofenceRule.blindness) && life.errors.most(since: now - GeofenceRule.blindness) == 0
  }

  /// Returns how far inside the body was at the time of an exit, where no position of the minute before can have shown it outside
  /// (SDK §15.3.2, §15.3.6); nil otherwise, and for a time that is not known.
  private func metresInside(
    _ fence: Geofence, at crossing: GeofenceTrigger, _ record: LocationRecord, _ context: EventContext
  ) -> Double? {
    let (life, now) = (ledger.truth.lives[context.device], context.now.monotonic)
    let instant = now - GeofenceRule.age(of: crossing, context)
    guard let truth = TrueFence(fence), life.clockLead == context.clockLead, let runsSince = life.runsSince,
      runsSince + GeofenceRule.memory < instant, life.isSound(since: now), let way = ways[context.device]
    else { return nil }
    let error = life.errors.most(since: instant - GeofenceRule.lateness)
    let margin = max(GeofenceRule.margin + error, 3 * (record.coords.accuracy ?? 0))
    let isInside = stride(from: 0, through: GeofenceRule.memory.count, by: 2_000_000_000).allSatisfy { ago in
      let instant = MonotonicInstant(nanoseconds: instant.nanoseconds - ago)
      return way.last { $0.start <= instant }.map { truth.metresInside($0.place(at: instant)) > margin } ?? false
    }
    guard isInside else { return nil }
    return way.last { $0.start <= instant }.map { truth.metresInside($0.place(at: instant)) }
  }

  /// The time of the last positions before an exit, which may show it.
  private static let memory = Nanoseconds.seconds(60)
  private static let blindness = Nanoseconds.seconds(3_600)

  /// Returns the age of the crossing; if the clock was set since the process began, the age is unknown and the longest
  /// possible one is returned.
  private static func age(of record: LocationRecord, in life: TrueLife, _ context: EventContext) -> Nanoseconds {
    guard let crossing = record.geofence, let runsSince = life.runsSince else { return .zero }
    let longest = context.now.monotonic - runsSince
    return life.clockLead == context.clockLead ? min(age(of: crossing, context), longest) : longest
  }

  /// Reports whether the crossing precedes the change. A clock that has only drifted orders the two to the millisecond; for
  /// one that was set since, only the age of the crossing counts.
  private static func isOfBefore(_ crossing: GeofenceTrigger, _ change: Moment, _ context: EventContext) -> Bool {
    let monotonic = (context.now.monotonic - change.monotonic).count / 1_000_000
    let wall = context.now.wall.milliseconds(since: change.wall)
    if Double((wall - monotonic).magnitude) <= drift * Double(monotonic) + 1 {
      return crossing.timestamp <= change.wall
    }
    return context.now.monotonic - age(of: crossing, context) <= change.monotonic
  }

  /// The fastest drift of a scenario's clock.
  private static let drift = 0.1

  private static func age(of crossing: GeofenceTrigger, _ context: EventContext) -> Nanoseconds {
    .milliseconds(max(0, context.now.wall.milliseconds(since: crossing.timestamp)))
  }

  private func follow(_ episode: Episode, _ context: EventContext) {
    let (life, now) = (ledger.truth.lives[context.device], context.now.monotonic)
    guard !life.fences.isEmpty else { return ways[context.device] = nil }
    if let visits = devices[context.device]?.visits {
      devices[context.device]?.visits = visits.mapValues { visit in
        var visit = visit
        visit.follow(life, until: now)
        return visit
      }
    }
    var way = ways[context.device] ?? [life.previous].compactMap { $0 }
    way.append(episode)
    let earliest = GeofenceRule.earliest(life, at: now)
    if let first = way.lastIndex(where: { $0.start <= earliest }) { way.removeFirst(first) }
    ways[context.device] = way
  }

  /// Returns the time before which nothing counts for a report.
  private static func earliest(_ life: TrueLife, at now: MonotonicInstant) -> MonotonicInstant {
    (life.awaitsPlace(at: now) ? life.runsSince ?? now : now) - lateness
  }

  /// Of more fences than the system can monitor only those within `geofenceProximityRadius` are monitored (GeolocationConfig
  /// `geofenceProximityRadius`; SDK §15.2). The position that counted may be older than the body.
  private func judgeProximity(of fence: Geofence, _ context: EventContext) {
    let (device, now) = (context.device, context.now.monotonic)
    let life = ledger.truth.lives[device]
    guard life.hasChosenFences, life.isUndisturbed, let geolocation = life.configuration?.geolocation,
      let runsSince = life.runsSince, runsSince + GeofenceRule.lateness < now,
      life.sees(since: now - GeofenceRule.lateness),
      let truth = TrueFence(fence), life.episode != nil
    else { return }
    let reach = max(1_000, geolocation.geofenceProximityRadiusMetres) + life.metresBetweenChoices(since: now)
    let error = life.errors.most(since: now - GeofenceRule.lateness)
    let margin = reach + error + GeofenceRule.proximityMargin + truth.circle.radiusMetres
    let isFar = [now, now - GeofenceRule.lateness].allSatisfy { instant in
      life.earlierPlace(at: instant).map { truth.circle.center.distanceMetres(to: $0) > margin } ?? false
    }
    guard isFar else { return }
    flag(context, nil, "'\(fence.identifier)' is monitored beyond geofenceProximityRadius")
  }

  private static let lateness = Nanoseconds.seconds(300)
  /// The accuracy of a position, and more.
  private static let proximityMargin = 500.0
  private static let margin = 150.0
  private static let crossingMargin = 300.0

  private func monitor(_ on: [Geofence], _ off: [String], _ context: EventContext) {
    var fences = devices[context.device, default: Fences()]
    if on.isEmpty { fences.interrupted = (fences.visits, fences.changed, context.now.monotonic) }
    let geolocation = ledger.truth.lives[context.device].configuration?.geolocation
    // Without an initial trigger, a visit may begin silently where monitoring begins, before the last exit is reported.
    let isSilent = geolocation?.geofenceInitialTriggerEntry == false
    for identifier in off + (isSilent ? on.map(\.identifier) : []) {
      fences.visits[identifier] = nil
      fences.changed[identifier] = context.now
    }
    fences.monitored.subtract(off)
    // All were removed (Geofence "Listening for events").
    if on.isEmpty && off.isEmpty { fences.monitored = [] }
    for fence in on { fences.monitored.insert(fence.identifier) }
    devices[context.device] = fences
    let allowed = ledger.pages[context.device].terms?.platform == .ios ? 20 : 100
    let wanted = geolocation?.maxMonitoredGeofences ?? 0
    let limit = wanted > 0 ? min(wanted, allowed) : allowed
    if !on.isEmpty, ledger.truth.lives[context.device].isWhenInUse {
      flag(context, nil, "\(on.count.of("geofence")) monitored although its app may use positions while in use only")
    }
    for fence in on { judgeProximity(of: fence, context) }
    if fences.monitored.count > limit {
      flag(context, nil, "\(fences.monitored.count) geofences are monitored, and \(limit) may be")
    }
  }
}
