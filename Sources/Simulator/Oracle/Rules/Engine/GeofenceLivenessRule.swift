import Base
import Contract
import Engine
import Host
import Scenario
import Vocabulary
import World

/// I19: a device that truly enters one of its fences, circle or polygon, or clearly leaves it, and stays so, is notified: on
/// a trip, at rest, in geofences-only mode, after the app was down (Geofence `notifyOnEntry`, `notifyOnExit`, "Removing
/// geofences"; SDK §15.3 to §15.6). I28: a stay of `loiteringDelay` is reported, once for each visit. Which fences the SDK
/// monitors is not judged.
final class GeofenceLivenessRule: Rule {
  override class var invariant: Invariant { .geofenceLiveness }
  override class var invariants: Set<Invariant> { [.geofenceLiveness, .dwell] }
  override class var interest: Interest { [.told, .life, .course] }
  override class var absence: String { "no device with monitored geofences crossed one" }

  /// The devices that have fences.
  private var devices: [Int: WatchedFences] = [:]

  /// The time until the next circle test, the system's delay, the search for a position, and the same again as reserve.
  private static let patience = Nanoseconds.seconds(90)
  /// The time until the nearest fences are selected again, when there are more than the system monitors.
  private static let choice = Nanoseconds.seconds(120)
  /// High-frequency tests begin with a position, which a receiver may find slowly.
  private static let polygonPatience = Nanoseconds.seconds(180)
  /// The error of cell positions.
  private static let poorMetres = 1_000.0

  override func see(_ event: SimulationEvent, _ context: EventContext) {
    let device = context.device
    switch event {
    case .asked(.addGeofences(let added)), .told(.commanded(.addGeofences(let added))): learn(added, context)
    case .told(.commanded(.addGeofence(let added))): learn([added], context)
    case .told(.commanded): learn([], context)
    default: break
    }
    let now = context.now.monotonic
    guard let next = devices[device]?.next, now >= next || GeofenceLivenessRule.matters(event),
      var fences = devices[device]
    else { return }
    if now >= fences.next { pass(to: now, &fences, context) }
    switch event {
    case .moves(let episode): move(episode, &fences, context)
    case .told(.engine(.geofence(let record, let fence))): hear(record, fence.identifier, &fences, context)
    case .told(.engine(.locationFilter(let filtered))):
      if let identifier = filtered.crossing?.identifier {
        fences.putOff(identifier, until: now + GeofenceLivenessRule.patience)
      }
    case .killed: fences.pause(at: now)
    case .healed: fences = WatchedFences()
    default: watch(&fences, context)
    }
    fences.next = fences.nextInstant
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

  // MARK: The fences to monitor.

  /// Notes the fences of a device. One that is added again loses its state (Geofence 34; SDK §15.1).
  private func learn(_ added: [Geofence], _ context: EventContext) {
    let (device, life) = (context.device, ledger.truth.lives[context.device])
    guard devices[device] != nil || !life.fences.isEmpty, let episode = life.episode else { return }
    var fences = devices[device, default: WatchedFences()]
    let (before, now) = (fences.watches, context.now.monotonic)
    pass(to: now, &fences, context)
    guard before.map(\.fence) != life.fences || !added.isEmpty else { return }
    let new = Set(added.map(\.identifier))
    fences.watches = life.fences.compactMap { fence in
      if !new.contains(fence.identifier), let known = fences.watches.first(where: { $0.fence == fence }) {
        return known
      }
      return TrueFence(fence).map {
        FenceWatch(
          truth: $0, isInside: $0.isInside(episode.place(at: now)) ?? false, insideSince: now,
          isUnsaved: !life.isSound(since: now))
      }
    }
    fences.follow(episode, from: now)
    if fences.isOn {
      for index in fences.watches.indices {
        let fence = fences.watches[index].fence
        guard new.contains(fence.identifier) || !before.contains(where: { $0.fence == fence }) else { continue }
        begin(&fences.watches[index], context)
      }
    }
    devices[device] = fences
  }

  /// Starts or stops monitoring according to the device's task.
  private func watch(_ fences: inout WatchedFences, _ context: EventContext) {
    let (life, now) = (ledger.truth.lives[context.device], context.now.monotonic)
    guard life.runsSince != nil else { return }
    let limit = life.configuration?.geolocation.maxMonitoredGeofences ?? -1
    let isOn =
      life.expectation.map { $0.goal != .off && $0.since <= now } ?? false
      && (limit < 0 || limit >= fences.watches.count) && !life.isWhenInUse
    guard isOn != fences.isOn || fences.isPaused else { return }
    let isResumed = fences.isOn && fences.isPaused && isOn
    (fences.isOn, fences.isPaused) = (isOn, false)
    if isOn { leaveOpen(&fences, context) }
    for index in fences.watches.indices {
      if !isOn {
        (fences.watches[index].owed, fences.watches[index].dwellDue) = (nil, nil)
      } else if isResumed {
        resume(&fences.watches[index], context)
      } else {
        begin(&fences.watches[index], context)
      }
    }
  }

  /// Resets uncertain sides when monitoring begins. At the rim, positions may show either side: the SDK's side counts until
  /// the device is clearly on the other.
  private func leaveOpen(_ fences: inout WatchedFences, _ context: EventContext) {
    let now = context.now.monotonic
    guard let episode = ledger.truth.lives[context.device].episode else { return }
    let place = episode.place(at: now)
    for index in fences.watches.indices where fences.watches[index].truth.isInside(place) == nil {
      if let told = fences.watches[index].told { fences.watches[index].isInside = told }
    }
    fences.follow(episode, from: now)
  }

  /// Begins monitoring: being inside is reported, unless the configuration forbids it (SDK §15.4). The SDK then knows it only
  /// after the time for a position.
  private func begin(_ watch: inout FenceWatch, _ context: EventContext) {
    let geolocation = ledger.truth.lives[context.device].configuration?.geolocation
    watch.silentUntil = nil
    if !(geolocation?.geofenceInitialTriggerEntry ?? true) {
      watch.silentUntil = context.now.monotonic + FenceWatch.search
    }
    if watch.isInside && watch.told == false {
      // At the rim the first position may be outside, which is not reported either.
      let place = ledger.truth.lives[context.device].place(at: context.now.monotonic)
      if watch.silentUntil != nil, place.map({ watch.truth.isAtRim($0) }) ?? true { return watch.told = nil }
      owe(true, &watch, since: context.now.monotonic, context)
      watch.owed?.isSilent = watch.silentUntil != nil
    } else if !watch.isInside {
      // After a reported entry, the device left while nothing was monitored, or the exit is still to come because
      // of a position error.
      let wasTold = watch.told == true
      watch.settle(false, at: context.now.monotonic)
      // A poor first position may lie inside, which is not reported then.
      if wasTold || watch.silentUntil != nil && !(depth(of: context, in: watch) < -Self.poorMetres) { watch.told = nil }
    } else if watch.told == true, !watch.hasDwelt, watch.dwellEarliest != nil {
      // The stay began with its report, not when monitoring certainly runs: the delay continues meanwhile (SDK §15.3).
      watch.expectDwell(at: context)
    }
  }

  /// Returns how far the device is inside its circle, negative outside; NaN where its place is unknown.
  private func depth(of context: EventContext, in watch: FenceWatch) -> Double {
    let (place, circle) = (ledger.truth.lives[context.device].place(at: context.now.monotonic), watch.truth.circle)
    return place.map { circle.radiusMetres - circle.center.distanceMetres(to: $0) } ?? .nan
  }

  /// Resumes after a launch: what happened meanwhile is owed now.
  private func resume(_ watch: inout FenceWatch, _ context: EventContext) {
    let now = context.now.monotonic
    // The process ended before its first position, with which monitoring begins.
    if watch.silentUntil != nil { watch.silentUntil = now + FenceWatch.search }
    if watch.told == !watch.isInside {
      let isSilent = watch.isInside && (watch.silentUntil != nil || watch.owed?.isSilent ?? false)
      owe(watch.isInside, &watch, since: now, context)
      watch.owed?.isSilent = isSilent
    } else {
      watch.owed = nil
    }
    if watch.dwellEarliest != nil, !watch.hasDwelt, watch.isInside { watch.expectDwell(at: context) }
  }

  // MARK: The true movement.

  private func move(_ episode: Episode, _ fences: inout WatchedFences, _ context: EventContext) {
    fences.follow(episode, from: episode.start)
    pass(to: context.now.monotonic, &fences, context)
    watch(&fences, context)
  }

  private func pass(to now: MonotonicInstant, _ fences: inout WatchedFences, _ context: EventContext) {
    while let next = fences.takeCrossing(until: now) {
      judge(before: next.instant, &fences, context)
      cross(&fences.watches[next.index], isInside: next.isInside, at: next.instant, fences, context)
    }
    judge(before: now, &fences, context)
  }

  /// Notes a true crossing. A visit that was too short to be detected need not be reported.
  private func cross(
    _ watch: inout FenceWatch, isInside: Bool, at instant: MonotonicInstant, _ fences: WatchedFences,
    _ context: EventContext
  ) {
    watch.isInside = isInside
    if isInside { watch.insideSince = instant }
    if !isInside { watch.endVisit() }
    guard fences.isOn else { return }
    if let owed = watch.owed {
      if watch.isSilent(owed) { watch.told = nil }
      watch.owed = nil
    }
    guard watch.told == !isInside else { return }
    owe(isInside, &watch, since: instant, context)
    // The first position shows that the device is inside, not that it entered.
    if isInside, let until = watch.silentUntil, instant < until { watch.owed?.isSilent = true }
    if fences.isPaused { watch.owed?.due = nil }
  }

  private func owe(_ isEntry: Bool, _ watch: inout FenceWatch, since instant: MonotonicInstant, _ context: EventContext)
  {
    let life = ledger.truth.lives[context.device]
    var patience = watch.truth.isPolygon ? GeofenceLivenessRule.polygonPatience : GeofenceLivenessRule.patience
    if life.hasChosenFences { patience = patience + GeofenceLivenessRule.choice }
    watch.owed = FenceWatch.Owed(isEntry: isEntry, since: instant, due: instant + patience)
  }

  // MARK: The SDK's reports.

  private func hear(
    _ record: LocationRecord, _ identifier: String, _ fences: inout WatchedFences, _ context: EventContext
  ) {
    guard let action = record.geofence?.action,
      let index = fences.watches.firstIndex(where: { $0.fence.identifier == identifier })
    else { return }
    let now = context.now.monotonic
    switch action {
    case .enter, .exit:
      if let owed = fences.watches[index].owed {
        if owed.isEntry == (action == .enter) { exercised += 1 }
        // The SDK knew of the unreported entry; at the rim it detects the exit before it is certain.
        if owed.isEntry != (action == .enter), fences.watches[index].isSilent(owed) { fences.watches[index].owed = nil }
      }
      if action == .enter { fences.watches[index].enterAgain() }
      fences.watches[index].settle(action == .enter, at: now, since: crossing(of: record, context))
      fences.watches[index].clock = context.clockLead
      fences.watches[index].isUnsaved = !ledger.truth.lives[context.device].isSound(since: now)
    case .dwell:
      // Only the wall clock measures a stay across the end of a process, and it may have been set.
      let isClockSet = (fences.watches[index].clock - context.clockLead).magnitude > 30_000
      if let earliest = fences.watches[index].dwellEarliest, now < earliest - FenceWatch.search, !isClockSet {
        ledger.violations.flag(
          .dwell, context.device, record.uuid, at: now,
          "reported dwelling in '\(identifier)' before \(earliest.clockText), when its time was over")
      }
      if fences.watches[index].dwellDue != nil { ledger.dwells += 1 }
      fences.watches[index].dwell()
    }
  }

  /// Returns the time of the crossing; it is reported once there is a position, which may be much later (SDK §15.3.1).
  private func crossing(of record: LocationRecord, _ context: EventContext) -> MonotonicInstant {
    let age = record.geofence.map { context.now.wall.milliseconds(since: $0.timestamp) } ?? 0
    return context.now.monotonic - .milliseconds(max(0, age))
  }

  // MARK: The verdicts.

  private func judge(before instant: MonotonicInstant, _ fences: inout WatchedFences, _ context: EventContext) {
    guard fences.isOn, !fences.isPaused else { return }
    let life = ledger.truth.lives[context.device]
    for index in fences.watches.indices {
      if let owed = fences.watches[index].owed, let due = owed.due, due < instant {
        fences.watches[index].owed = nil
        miss(owed, &fences, index, life, context)
      }
      guard let due = fences.watches[index].dwellDue, due < instant else { continue }
      fences.watches[index].dwellDue = nil
      fences.watches[index].hasDwelt = true
      if let place = life.place(at: context.now.monotonic), fences.watches[index].truth.isInside(place) == nil {
        continue
      }
      // A process that has begun since needs a position to know that it is still inside.
      if life.knowsNoPlace(at: due - FenceWatch.dwellPatience) { continue }
      if fences.watches[index].mayHaveEnded(life, at: context.now.monotonic) { continue }
      let earliest = due - FenceWatch.dwellPatience - GeofenceLivenessRule.choice
      if fences.isCrowded(life, since: earliest, until: context.now.monotonic) { continue }
      ledger.dwells += 1
      let identifier = fences.watches[index].fence.identifier
      ledger.violations.flag(
        .dwell, context.device, at: due, "no dwell event was reported in '\(identifier)' until \(due.clockText)")
    }
  }

  private func miss(
    _ owed: FenceWatch.Owed, _ fences: inout WatchedFences, _ index: Int, _ life: TrueLife, _ context: EventContext
  ) {
    let before = owed.since - GeofenceLivenessRule.choice
    fences.watches[index].told = nil
    let metres = owed.isEntry ? life.metresBetweenChoices(since: before) : 0
    if fences.isCrowded(life, since: before, until: context.now.monotonic, behind: metres) { return }
    miss(owed, &fences.watches[index], life, since: before, context)
  }

  private func miss(
    _ owed: FenceWatch.Owed, _ watch: inout FenceWatch, _ life: TrueLife, since before: MonotonicInstant,
    _ context: EventContext
  ) {
    // The device crossed and returned to the rim before the phone checked.
    if !life.stays(owed.isEntry, watch.truth, behind: owed.since, until: owed.due ?? owed.since) { return }
    if owed.isEntry && life.hasChosenFences && !life.choosesFencesInTime(since: before) { return }
    // A trip that begins elsewhere, in the fence, is there before the fence is monitored (SDK §15.4).
    if owed.isEntry && life.hasChosenFences && life.setOut(at: owed.since),
      life.configuration?.geolocation.geofenceInitialTriggerEntry == false
    {
      return
    }
    // The selection of nearby fences and polygon tests need positions.
    if life.hasChosenFences || watch.truth.isPolygon, !life.seesSky(since: before) { return }
    if watch.isSilent(owed) {
      // A silent visit begins with a position.
      let began = min(owed.since, life.expectation?.since ?? owed.since)
      let isTold = life.toldPlaceAt != nil || life.expectation?.goal == .geofences
      if owed.isSilent, !isTold || !life.sees(since: began) { return }
      let since = owed.isEntry ? life.mayBeInside(watch.truth, since: owed.since) : nil
      watch.clock = context.clockLead
      // It may have been selected as late as an event would be due.
      let choice = life.hasChosenFences ? GeofenceLivenessRule.choice : .zero
      watch.settle(owed.isEntry, at: owed.since + choice, since: since)
      // After a poor first position it is unknown when the stay began (SDK §15.4).
      guard owed.isSilent, !(depth(of: context, in: watch) > Self.poorMetres) else { return }
      return (watch.dwellDue, watch.dwellEarliest) = (nil, nil)
    }
    // A record that cannot be written is not reported.
    if !life.isSound(since: owed.since) || life.lacksPlaceOfCrossing(at: owed.since) { return }
    exercised += 1
    ledger.violations.flag(
      Self.invariant, context.device, at: owed.due ?? owed.since,
      "no event reported the \(owed.isEntry ? "entry into" : "exit from") '\(watch.fence.identifier)' at \(owed.since.clockText)"
    )
  }
}
