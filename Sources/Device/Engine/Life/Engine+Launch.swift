import Base
import Contract
import Vocabulary

extension Engine {
  /// `ready` (behaviour §19.1): once for each launch, before everything else.
  mutating func begin(_ launch: Launch, at now: Moment, into effects: inout [Effect]) {
    self.launch = launch
    isInBackground = launch.isInBackground
    note(.ready(isFirstBoot: launch.isFirstBoot), .info, into: &effects)
    for error in unusableGeofences {
      note(.error("a kept geofence: \(error)", from: .geofences), .error, into: &effects)
    }
    unusableGeofences = []
    if launch.didReboot { greetBoot(into: &effects) }
    if let provider { effects.append(.event(.providerChange(provider))) }
    if state.isEnabled {
      if let refusal = refusal(of: launch) {
        note(.warning(refusal, from: .launch), .warning, into: &effects)
        state.isEnabled = false
        state.isMoving = false
        effects.append(.saveState)
        effects.append(.event(.enabledChange(isEnabled: false)))
      } else {
        resume(at: now, into: &effects)
      }
    }
    if state.isSchedulerEnabled { resumeSchedule(at: now, into: &effects) }
    effects.append(.flush(.ready))
    let calls = waitingCalls
    waitingCalls = []
    for call in calls { perform(call, at: now, into: &effects) }
  }

  /// Why a process that the system started may not go on tracking (behaviour §19.2, §19.4); nil when it may.
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

  private mutating func greetBoot(into effects: inout [Effect]) {
    note(.booted, .info, into: &effects)
    if profile.hasHeadlessEvents && configuration.app.enableHeadless { effects.append(.event(.boot(state))) }
  }

  /// The same as a start, but that nothing is announced and that the pace goes on.
  private mutating func resume(at now: Moment, into effects: inout [Effect]) {
    switch state.trackingMode {
    case .location: engage(isMoving: state.isMoving, .relaunch, at: now, into: &effects)
    case .geofence: engageGeofences(.relaunch, at: now, into: &effects)
    }
  }

  /// The process is about to end (behaviour §19.3). Without `stopOnTerminate` iOS leaves a region behind whose exit
  /// starts the next one, and Android goes on without a user interface.
  mutating func terminate(at now: Moment, into effects: inout [Effect]) {
    let stopsTracking = configuration.app.stopOnTerminate
    note(.terminated(stopsTracking: stopsTracking), .info, into: &effects)
    if stopsTracking && state.isEnabled { stop(at: now, into: &effects) }
    if profile.hasHeadlessEvents && configuration.app.enableHeadless { effects.append(.event(.terminate(state))) }
    guard profile.platform == .ios || stopsTracking else { return }
    cancelRequests(at: now, into: &effects)
    if state.isEnabled && state.trackingMode == .location {
      if let lastFix, state.isMoving || state.stationaryPlace == nil {
        armStationaryRegion(at: lastFix, into: &effects)
      }
      demandLocationUpdates(false, into: &effects)
    }
    timers.stopAll()
    watches.removeAll()
    for task in backgroundTasks { effects.append(.backgroundTask(id: task.id, isStart: false)) }
    backgroundTasks.removeAll()
    launch = nil
  }
}
