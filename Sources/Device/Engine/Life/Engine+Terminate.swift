import Base
import Contract
import Vocabulary

/// The user closes the app (SDK §19.3).
extension Engine {
  package var isHeadless: Bool { phase == .headless }

  /// Without `stopOnTerminate` iOS leaves a region behind whose exit starts the next process, and Android goes on
  /// without a user interface.
  mutating func terminate(at now: Moment, into effects: inout [Effect]) {
    let stopsTracking = configuration.app.stopOnTerminate
    note(.terminated(stopsTracking: stopsTracking), .info, into: &effects)
    if stopsTracking && state.isEnabled { stop(at: now, into: &effects) }
    if profile.hasHeadlessEvents && configuration.app.enableHeadless { effects.append(.event(.terminate(state))) }
    let isService = profile.platform == .android && !stopsTracking && (state.isEnabled || state.isSchedulerEnabled)
    leaveApp(isEnd: !isService, at: now, into: &effects)
    isInBackground = true
    guard !isService else { return phase = .headless }
    if state.isEnabled && state.trackingMode == .location { leaveRegion(into: &effects) }
    timers.stopAll()
    phase = .ended
  }

  /// The app that made these requests is gone.
  private mutating func leaveApp(isEnd: Bool, at now: Moment, into effects: inout [Effect]) {
    cancelRequests(isEnd: isEnd, at: now, into: &effects)
    watches.removeAll()
    demandSampling(into: &effects)
    endBackgroundTasks(into: &effects)
  }

  private mutating func leaveRegion(into effects: inout [Effect]) {
    if let lastFix, state.isMoving || state.stationaryPlace == nil {
      armStationaryRegion(at: lastFix, into: &effects)
    } else if let restBeforeLaunch {
      state.stationaryPlace = restBeforeLaunch
      effects.append(.saveState)
    }
    demandLocationUpdates(false, into: &effects)
  }

  /// The app is opened again, over a service that went on.
  mutating func rejoin(_ launch: Launch, into effects: inout [Effect]) {
    phase = .running
    isInBackground = launch.isInBackground
    note(.ready(isFirstBoot: false), .info, into: &effects)
    if let provider { effects.append(.event(.providerChange(provider))) }
    effects.append(.flush(.ready))
  }
}
