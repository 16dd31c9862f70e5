import Base
import Contract
import Vocabulary

extension Engine {
  mutating func enterForeground(at now: Moment, into effects: inout [Effect]) {
    phone.isInBackground = false
    note(.appState(isBackground: false), .info, into: &effects)
    stop(.preventSuspend, into: &effects)
    if state.isSchedulerEnabled && scheduler == nil {
      resumeSchedule(at: now, into: &effects)
    } else {
      evaluateSchedule(at: now, into: &effects)
    }
    effects.append(.flush(.appResume))
  }

  mutating func enterBackground(at now: Moment, into effects: inout [Effect]) {
    phone.isInBackground = true
    note(.appState(isBackground: true), .info, into: &effects)
    if configuration.preventsSuspend && state.isEnabled {
      start(.preventSuspend, for: profile.preventSuspendFirst, at: now, into: &effects)
    }
    evaluateSchedule(at: now, into: &effects)
    effects.append(.flush(.appPause))
  }

  /// Keeps the app running on iOS by successive background tasks.
  mutating func cyclePreventSuspend(at now: Moment, into effects: inout [Effect]) {
    guard phone.isInBackground, state.isEnabled, configuration.preventsSuspend else { return }
    start(.preventSuspend, for: profile.preventSuspendCycle, at: now, into: &effects)
  }

  mutating func fetch(at now: Moment, into effects: inout [Effect]) {
    evaluateSchedule(at: now, into: &effects)
    effects.append(.flush(.backgroundFetch))
  }

  mutating func take(_ connectivity: Connectivity, into effects: inout [Effect]) {
    let wasConnected = phone.connectivity.isConnected
    guard connectivity != phone.connectivity else { return }
    phone.connectivity = connectivity
    note(.connectivity(connectivity), .info, into: &effects)
    guard connectivity.isConnected != wasConnected else { return }
    effects.append(.event(.connectivityChange(isConnected: connectivity.isConnected)))
    if connectivity.isConnected { effects.append(.flush(.connectivity)) }
  }

  mutating func takePowerSave(_ isOn: Bool, into effects: inout [Effect]) {
    guard isOn != phone.isPowerSaving else { return }
    phone.isPowerSaving = isOn
    effects.append(.event(.powerSaveChange(isPowerSaving: isOn)))
  }

  /// SDK §19.5. Android records the change by itself.
  mutating func take(_ provider: ProviderState, at now: Moment, into effects: inout [Effect]) {
    guard provider != phone.provider else { return }
    let before = denial
    phone.provider = provider
    note(.provider(provider), .info, into: &effects)
    effects.append(.event(.providerChange(provider)))
    if let denial {
      fail(denial, at: now, into: &effects)
      if denial != before { failWatches(denial, into: &effects) }
    } else if before != nil {
      findRest(at: now, into: &effects)
    }
    followAuthorization(at: now, into: &effects)
    recordChange(of: provider, at: now, into: &effects)
  }

  mutating func recordChange(of provider: ProviderState, at now: Moment, into effects: inout [Effect]) {
    let isRecorded = profile.recordsProviderChange && !configuration.persistence.disableProviderChangeRecord
    if isRecorded && state.isEnabled && denial == nil {
      request(.providerChange(provider), profile.providerChange, at: now, into: &effects)
    }
  }
}

/// SDK §18: the app must end each task that it starts; the system limits its duration.
extension Engine {
  mutating func startBackgroundTask(_ id: Int, at now: Moment, into effects: inout [Effect]) {
    guard !backgroundTasks.contains(where: { $0.id == id }) else { return }
    backgroundTasks.append(BackgroundTask(id: id, deadline: now.monotonic + profile.backgroundTaskLimit))
    note(.backgroundTask(id: id, isStart: true), .verbose, into: &effects)
    effects.append(.backgroundTask(id: id, isStart: true))
  }

  mutating func stopBackgroundTask(_ id: Int, into effects: inout [Effect]) {
    guard let index = backgroundTasks.firstIndex(where: { $0.id == id }) else {
      note(.warning("no background task \(id)", from: .backgroundTasks), .warning, into: &effects)
      return
    }
    backgroundTasks.remove(at: index)
    note(.backgroundTask(id: id, isStart: false), .verbose, into: &effects)
    effects.append(.backgroundTask(id: id, isStart: false))
  }

  mutating func endBackgroundTasks(into effects: inout [Effect]) {
    for task in backgroundTasks { effects.append(.backgroundTask(id: task.id, isStart: false)) }
    backgroundTasks.removeAll()
  }

  mutating func expireBackgroundTasks(at now: Moment, into effects: inout [Effect]) {
    while let task = backgroundTasks.first(where: { $0.deadline <= now.monotonic }) {
      note(
        .warning("background task \(task.id) ran too long and is ended", from: .backgroundTasks), .warning,
        into: &effects)
      stopBackgroundTask(task.id, into: &effects)
    }
  }
}

/// Background time that the app requested.
struct BackgroundTask: Sendable {
  let id: Int
  let deadline: MonotonicInstant
}
