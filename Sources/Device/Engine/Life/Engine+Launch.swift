import Base
import Contract
import Vocabulary

extension Engine {
  /// Performs `ready` (SDK §19.1): once for each launch, before everything else.
  mutating func begin(_ launch: Launch, at now: Moment, into effects: inout [Effect]) {
    enter(.running)
    phone.begin(launch, at: now)
    note(.ready(isFirstBoot: launch.isFirstBoot), .info, into: &effects)
    for error in unusableGeofences {
      note(.error("saved geofence: \(error)", from: .geofences), .error, into: &effects)
    }
    unusableGeofences = []
    if launch.didReboot { handleBoot(into: &effects) }
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
    // If tracking may not resume after a boot, its schedule also waits for the user (AppConfig 249).
    let waitsForUser = refusal != nil && launch.didReboot && profile.platform == .android
    if state.isSchedulerEnabled && !waitsForUser { resumeSchedule(at: now, into: &effects) }
    effects.append(.flush(.ready))
    processHeldInputs(at: now, into: &effects)
  }

  /// The reason why a process started by the system may not resume tracking (SDK §19.2, §19.4); nil when it may.
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

  /// Makes the system stop watching anything that an earlier process registered.
  mutating func forgetLeftovers(into effects: inout [Effect]) {
    demands.leftovers = .all
    demandStationaryRegion(nil, into: &effects)
    demandProximityRegion(nil, into: &effects)
    demandSignificantChanges(state.isSchedulerEnabled && profile.schedulesOnWakeOnly, into: &effects)
    demandBackgroundFetch(state.isSchedulerEnabled, into: &effects)
    let identifiers = fences.geofences.map(\.identifier)
    if !identifiers.isEmpty { effects.append(.demand(.geofences(on: [], off: identifiers))) }
  }

  private mutating func handleBoot(into effects: inout [Effect]) {
    note(.booted, .info, into: &effects)
    if profile.hasHeadlessEvents && configuration.app.enableHeadless { effects.append(.event(.boot(state))) }
  }

  /// Resumes tracking like a start, but without events and with the previous motion state. iOS may have started the app
  /// because the device has left its region: the first position decides, whatever started the app (SDK §12.5).
  private mutating func resume(after launch: Launch, at now: Moment, into effects: inout [Effect]) {
    switch state.trackingMode {
    case .location where settings.followsSignificantChanges && launch.isInBackground:
      goOnWithSignificantChanges(at: now, into: &effects)
    case .location:
      let place = state.stationaryPlace
      let wasResting = !state.isMoving
      demandProximityRegion(nil, into: &effects)
      engage(isMoving: state.isMoving, .relaunch, at: now, into: &effects)
      // Kept until there is another place: the process may end before its first position.
      if launch.isInBackground && profile.platform == .ios && wasResting {
        (restBeforeLaunch, state.stationaryPlace) = (place, place)
      }
    case .geofence:
      demandStationaryRegion(nil, into: &effects)
      engageGeofences(.relaunch, at: now, into: &effects)
    }
  }

  /// Reports whether this first position of a launch is outside the region of the previous rest.
  mutating func hasLeftBeforeLaunch(_ fix: Fix) -> Bool {
    guard let rest = restBeforeLaunch else { return false }
    restBeforeLaunch = nil
    guard !state.isMoving, let place = Coordinate(fix) else { return false }
    return rest.distanceMetres(to: place) - max(0, fix.coords.accuracy ?? 0) > settings.regionRadiusMetres
  }

  /// The demands that an earlier process left with the system, as far as they were stored: for a system without memory of them.
  package var leftWithSystem: [SensorDemand] {
    guard state.isEnabled else { return [] }
    var demands: [SensorDemand] = []
    if state.trackingMode == .location, let place = state.stationaryPlace {
      demands.append(.stationaryRegion(Circle(center: place, radiusMetres: settings.regionRadiusMetres)))
    }
    // Above the system's limit it is not stored which fences were registered; those around the device were among them.
    let isUnlimited = fences.count <= settings.geofenceRules.limitWithoutQuery
    let watched = fences.geofences.filter { isUnlimited || $0.status.isInside }
    if !watched.isEmpty { demands.append(.geofences(on: watched, off: [])) }
    return demands
  }
}

/// Before `ready` (SDK §19.1): no events, no records, no uploads.
extension Engine {
  /// Applies facts about the device at once, and holds events.
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
      // `ready` reports the current state; only the record that Android creates for a change remains.
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

  /// Performs calls that need only the database; holds those that need a position or a permission, with a log entry.
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

  /// Handles the held inputs, each with the time of its event. Calls and searches for positions begin now, because they
  /// could not be answered before.
  mutating func processHeldInputs(at now: Moment, into effects: inout [Effect]) {
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

  /// An app closed before `ready` sends no event; tracking that the last launch had started is turned off anyway.
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

/// The inputs and calls before `ready`, in order, to be handled afterwards (SDK §19.1).
struct HeldInputs: Sendable {
  enum Item: Sendable {
    case input(EngineInput, at: Moment)
    /// `wasNoted` says whether the log has the call already. Events come from calls that took effect at once.
    case call(EngineCall, wasNoted: Bool)
    case event(EngineEvent)
  }

  /// The maximum number of held sensor inputs; then the oldest is dropped. A device at rest produces as many in a day.
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

  /// An app waits for each call: none is dropped.
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
