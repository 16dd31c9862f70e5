import Base
import Contract
import Vocabulary

extension Engine {
  /// `ready` (SDK §19.1): once for each launch, before everything else.
  mutating func begin(_ launch: Launch, at now: Moment, into effects: inout [Effect]) {
    enter(.running)
    phone.begin(launch, at: now)
    note(.ready(isFirstBoot: launch.isFirstBoot), .info, into: &effects)
    for error in unusableGeofences {
      note(.error("saved geofence: \(error)", from: .geofences), .error, into: &effects)
    }
    unusableGeofences = []
    if launch.didReboot { greetBoot(into: &effects) }
    if let provider = phone.provider { effects.append(.event(.providerChange(provider))) }
    let refusal = refusal(of: launch)
    if state.isEnabled {
      demands.leftovers = .all
      if let refusal {
        refuse(refusal, into: &effects)
      } else {
        tellConnectivity(into: &effects)
        resume(after: launch, at: now, into: &effects)
        resumeLimit(at: now, into: &effects)
      }
    }
    // Where tracking may not resume after a boot, its schedule waits for the user too (AppConfig 249).
    let waitsForUser = refusal != nil && launch.didReboot && profile.platform == .android
    if state.isSchedulerEnabled && !waitsForUser { resumeSchedule(at: now, into: &effects) }
    effects.append(.flush(.ready))
    takeUpHeld(at: now, into: &effects)
  }

  /// Why a process that the system started may not go on tracking (SDK §19.2, §19.4); nil when it may.
  private func refusal(of launch: Launch) -> String? {
    guard launch.isInBackground else { return nil }
    if configuration.app.stopOnTerminate {
      return launch.didReboot
        ? "refusing to start after reboot: stopOnTerminate is true"
        : "refusing to start after being launched in the background"
    }
    let isBoot = launch.didReboot && profile.platform == .android
    return isBoot && !configuration.app.startOnBoot ? "refusing to start after reboot: startOnBoot is false" : nil
  }

  private mutating func refuse(_ reason: String, into effects: inout [Effect]) {
    note(.warning(reason, from: .launch), .warning, into: &effects)
    state.isEnabled = false
    state.isMoving = false
    state.startedAt = nil
    forgetLeftovers(into: &effects)
    effects.append(.saveState)
    effects.append(.event(.enabledChange(isEnabled: false)))
  }

  /// The system watches nothing any more of what an earlier process has left with it.
  mutating func forgetLeftovers(into effects: inout [Effect]) {
    demands.leftovers = .all
    demandStationaryRegion(nil, into: &effects)
    demandProximityRegion(nil, into: &effects)
    demandSignificantChanges(state.isSchedulerEnabled && profile.schedulesOnWakeOnly, into: &effects)
    demandBackgroundFetch(state.isSchedulerEnabled, into: &effects)
    let identifiers = fences.geofences.map(\.identifier)
    if !identifiers.isEmpty { effects.append(.demand(.geofences(on: [], off: identifiers))) }
  }

  private mutating func greetBoot(into effects: inout [Effect]) {
    note(.booted, .info, into: &effects)
    if profile.hasHeadlessEvents && configuration.app.enableHeadless { effects.append(.event(.boot(state))) }
  }

  /// The same as a start, but that nothing is announced and that the pace goes on. iOS starts the app of a device that
  /// has left its region: what the first position shows counts then, whatever it was that started the app (SDK §12.5).
  private mutating func resume(after launch: Launch, at now: Moment, into effects: inout [Effect]) {
    switch state.trackingMode {
    case .location where settings.followsSignificantChanges && launch.isInBackground:
      goOnWithSignificantChanges(at: now, into: &effects)
    case .location:
      let place = state.stationaryPlace
      let wasResting = !state.isMoving
      demandProximityRegion(nil, into: &effects)
      engage(isMoving: state.isMoving, .relaunch, at: now, into: &effects)
      // It is kept until the device has another one: the process may end before its first position.
      if launch.isInBackground && profile.platform == .ios && wasResting {
        (restBeforeLaunch, state.stationaryPlace) = (place, place)
      }
    case .geofence:
      demandStationaryRegion(nil, into: &effects)
      engageGeofences(.relaunch, at: now, into: &effects)
    }
  }

  /// Whether this first position of a launch lies beyond the region of the rest before it.
  mutating func hasLeftBeforeLaunch(_ fix: Fix) -> Bool {
    guard let rest = restBeforeLaunch else { return false }
    restBeforeLaunch = nil
    guard !state.isMoving, let place = Coordinate(fix) else { return false }
    return rest.distanceMetres(to: place) - max(0, fix.coords.accuracy ?? 0) > settings.regionRadiusMetres
  }

  /// What an earlier process has left with the system, as far as it was kept: for a system that was not there then.
  package var leftWithSystem: [SensorDemand] {
    guard state.isEnabled else { return [] }
    var demands: [SensorDemand] = []
    if state.trackingMode == .location, let place = state.stationaryPlace {
      demands.append(.stationaryRegion(Circle(center: place, radiusMetres: settings.regionRadiusMetres)))
    }
    // Of more than the system takes it is not kept which they were; those with the device inside were among them.
    let isUnlimited = fences.count <= settings.geofenceRules.limitWithoutQuery
    let watched = fences.geofences.filter { isUnlimited || $0.status.isInside }
    if !watched.isEmpty { demands.append(.geofences(on: watched, off: [])) }
    return demands
  }
}

/// Before `ready` (SDK §19.1): no events, no records, no uploads.
extension Engine {
  /// What the device is like is known at once; what happens to it is held.
  mutating func prepare(_ input: EngineInput, at now: Moment, into effects: inout [Effect]) {
    switch input {
    case .ready(let launch): begin(launch, at: now, into: &effects)
    case .configured(let configuration, _): adopt(configuration)
    case .battery(let battery): phone.battery = battery
    case .timeZone(let zone): phone.zone = zone
    case .screen(let isOn): phone.isScreenOn = isOn
    case .connectivity(let connectivity):
      if held.isConnectivityKnown { return held.hold(input, at: now) }
      phone.connectivity = connectivity
      held.isConnectivityKnown = true
    case .powerSave(let isOn):
      if held.isPowerSaveKnown { return held.hold(input, at: now) }
      phone.isPowerSaving = isOn
      held.isPowerSaveKnown = true
    case .provider(let provider):
      // Told right after `ready`, as it is then; only the record that Android makes of a change is left.
      if let before = phone.provider, before != provider { held.hold(input, at: now) }
      phone.provider = provider
    case .call(let call): prepare(call, at: now, into: &effects)
    case .timersDue: expireBackgroundTasks(at: now, into: &effects)
    case .terminate: terminateBeforeReady(into: &effects)
    case .fix, .sample, .significantChange, .passive, .locationFailed, .updatesPaused, .stationaryRegionExit,
      .proximityRegionExit, .geofenceCrossing, .geofenceDwell, .activity, .clockSet, .foreground, .background,
      .backgroundFetch:
      held.hold(input, at: now)
    }
  }

  /// What touches only the database takes effect at once; what needs a position or a permission waits, and the log says
  /// so.
  private mutating func prepare(_ call: EngineCall, at now: Moment, into effects: inout [Effect]) {
    switch call {
    case .addGeofences, .removeGeofences, .startBackgroundTask, .stopBackgroundTask:
      let first = effects.count
      perform(call, at: now, into: &effects)
      var silent: [Effect] = []
      for effect in effects[first...] {
        if case .event(let event) = effect { held.hold(event) } else { silent.append(effect) }
      }
      effects.replaceSubrange(first..., with: silent)
    case .start, .startGeofences, .stop, .changePace, .startSchedule, .stopSchedule, .currentPosition, .watchPosition,
      .stopWatchPosition, .setOdometer:
      note(call.waitsForReady, .warning, into: &effects)
      held.hold(call, wasNoted: settings.logLevel >= .warning)
    }
  }

  /// Each with the time at which it happened; calls begin now, and so do searches for positions, which could not be
  /// answered before.
  mutating func takeUpHeld(at now: Moment, into effects: inout [Effect]) {
    let items = held.take()
    if held.droppedCount > 0 {
      let text = "\(held.droppedCount) events before ready were dropped"
      note(.warning(text, from: .launch), .warning, into: &effects)
    }
    for item in items {
      switch item {
      case .input(.provider(let provider), at: _): recordChange(of: provider, at: now, into: &effects)
      case .input(let input, at: let moment):
        fireTimers(ofEngineAt: moment, into: &effects)
        act(on: input, at: moment, into: &effects)
        requests = requests.map { SingleRequest($0.purpose, terms: $0.terms, at: now) }
      case .call(let call, let wasNoted):
        if !wasNoted { note(call.waitsForReady, .warning, into: &effects) }
        perform(call, at: now, into: &effects)
      case .event(let event): effects.append(.event(event))
      }
    }
  }

  /// An app that is closed before it calls `ready` sends no event; tracking that the last launch had started is turned off anyway.
  private mutating func terminateBeforeReady(into effects: inout [Effect]) {
    for case .call(let call, wasNoted: _) in held.take() { cancel(call, into: &effects) }
    if configuration.app.stopOnTerminate && state.isEnabled {
      state.isEnabled = false
      state.isMoving = false
      state.stationaryPlace = nil
      state.startedAt = nil
      effects.append(.saveState)
      forgetLeftovers(into: &effects)
    }
    endBackgroundTasks(into: &effects)
    enter(.ended)
  }

  private func cancel(_ call: EngineCall, into effects: inout [Effect]) {
    switch call {
    case .currentPosition(let request), .setOdometer(metres: _, let request):
      if let id = request.id { effects.append(.completed(id: id, .failure(.cancelled))) }
    default: break
    }
  }
}

extension EngineCall {
  fileprivate var waitsForReady: LogEntry {
    let name = "\(self)".prefix { $0 != "(" }
    return .warning("\(name) waits for ready", from: .launch)
  }
}

/// What happens to a device, and what it is asked for, before its app calls `ready`: held in its order, and taken up then
/// (SDK §19.1).
struct HeldInputs: Sendable {
  enum Item: Sendable {
    case input(EngineInput, at: Moment)
    /// Of a call that takes effect at once; `wasNoted` says that the log has it already.
    case call(EngineCall, wasNoted: Bool)
    case event(EngineEvent)
  }

  /// Of what the sensors say, this much is held; then the oldest goes. A device says as much in a day at rest.
  static let limit = 1_000

  private var items: [Item] = []
  private var inputCount = 0
  private(set) var droppedCount = 0
  var isConnectivityKnown = false
  var isPowerSaveKnown = false

  mutating func hold(_ input: EngineInput, at now: Moment) {
    if inputCount == HeldInputs.limit, let oldest = items.firstIndex(where: \.isInput) {
      items.remove(at: oldest)
      inputCount -= 1
      droppedCount += 1
    }
    items.append(.input(input, at: now))
    inputCount += 1
  }

  /// Behind each call an app waits: none is dropped.
  mutating func hold(_ call: EngineCall, wasNoted: Bool) { items.append(.call(call, wasNoted: wasNoted)) }

  mutating func hold(_ event: EngineEvent) { items.append(.event(event)) }

  mutating func take() -> [Item] {
    defer { (items, inputCount) = ([], 0) }
    return items
  }
}

extension HeldInputs.Item {
  fileprivate var isInput: Bool { if case .input = self { true } else { false } }
}
