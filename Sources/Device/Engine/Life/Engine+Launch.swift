import Base
import Contract
import Vocabulary

extension Engine {
  /// `ready` (SDK §19.1): once for each launch, before everything else.
  mutating func begin(_ launch: Launch, at now: Moment, into effects: inout [Effect]) {
    phase = .running
    isInBackground = launch.isInBackground
    lastStir = now.monotonic
    note(.ready(isFirstBoot: launch.isFirstBoot), .info, into: &effects)
    for error in unusableGeofences {
      note(.error("a kept geofence: \(error)", from: .geofences), .error, into: &effects)
    }
    unusableGeofences = []
    if launch.didReboot { greetBoot(into: &effects) }
    if let provider { effects.append(.event(.providerChange(provider))) }
    if state.isEnabled {
      demands.leftovers = .all
      if let refusal = refusal(of: launch) {
        refuse(refusal, into: &effects)
      } else {
        resume(after: launch, at: now, into: &effects)
      }
    }
    if state.isSchedulerEnabled { resumeSchedule(at: now, into: &effects) }
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
      if launch.isInBackground && profile.platform == .ios && wasResting { restBeforeLaunch = place }
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
