import Base
import Contract
import Vocabulary

/// Before `ready` (SDK §19.1): no events, no records, no uploads.
extension Engine {
  /// What the device is like is known at once; what happens to it is held.
  mutating func prepare(_ input: EngineInput, at now: Moment, into effects: inout [Effect]) {
    switch input {
    case .ready(let launch): begin(launch, at: now, into: &effects)
    case .configured(let configuration, _): adopt(configuration)
    case .battery(let battery): self.battery = battery
    case .timeZone(let zone): self.zone = zone
    case .screen(let isOn): isScreenOn = isOn
    case .connectivity(let connectivity):
      if held.isConnectivityKnown { return held.hold(input, at: now) }
      self.connectivity = connectivity
      held.isConnectivityKnown = true
    case .powerSave(let isOn):
      if held.isPowerSaveKnown { return held.hold(input, at: now) }
      isPowerSaving = isOn
      held.isPowerSaveKnown = true
    case .provider(let provider):
      // Told right after `ready`, as it is then; only the record that Android makes of a change is left.
      if let before = self.provider, before != provider { held.hold(input, at: now) }
      self.provider = provider
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
      let text = "\(held.droppedCount) of the events before ready were too many to be held"
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

  /// An app that is closed before it is ready tells of nothing; what was on from the last launch is off all the same.
  private mutating func terminateBeforeReady(into effects: inout [Effect]) {
    for case .call(let call, wasNoted: _) in held.take() { cancel(call, into: &effects) }
    if configuration.app.stopOnTerminate && state.isEnabled {
      state.isEnabled = false
      state.isMoving = false
      state.stationaryPlace = nil
      effects.append(.saveState)
      forgetLeftovers(into: &effects)
    }
    endBackgroundTasks(into: &effects)
    phase = .ended
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
