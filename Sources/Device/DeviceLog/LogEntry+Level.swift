package import Contract
package import Vocabulary

/// The level at which the SDK writes each entry (SDK §20.2). Both platforms use the same ones here, so that a
/// level set by a server means the same on every device of a fleet.
extension LogEntry {
  package var level: Contract.LogLevel {
    switch self {
    case .error: .error
    case .commandProblem(let problem): problem.logLevel
    case .warning, .commandOverflow, .busy, .autoSyncDisabled, .noNetwork, .notResponding,
      .redirectNotPermitted, .staleResponseIgnored, .paramsDropped, .watchdogFired, .refreshFailed, .refreshSkipped,
      .locationRequestFailed, .spuriousRegionExit:
      .warning
    case .ready, .started, .stopped, .scheduler, .schedule, .terminated, .booted, .appState, .paceChange, .motionChange,
      .stopDetectionIgnored, .stopTimeoutEngaged, .motionTriggerIgnored, .motionTriggerDenied, .stationaryRegion,
      .regionExit, .timerStarted, .timerStopped, .alarmFired, .locationUpdates, .locationRequest, .locationIgnored,
      .distanceFilter,
      .odometer, .purged, .shrunk, .watchdogArmed, .posting, .response, .posted, .syncPage, .connectivity, .provider,
      .refreshing, .command, .geofenceAdded, .geofenceRemoved:
      .info
    case .configurationChanged, .motionActivity, .heartbeat, .refreshed, .geofenceSuppressed, .significant: .debug
    case .backgroundTask, .location, .filterDecision, .geofence, .proximity, .inserted, .destroyed, .destroyedAll,
      .unlockedAll, .flushBegan, .locked, .lockedBatch, .unlocked, .flushFinished:
      .verbose
    case .user(let level, _): level.level
    }
  }
}

extension LogEntry.UserLevel {
  /// `notice` is stored as info (SDK §20.1).
  package var level: Contract.LogLevel {
    switch self {
    case .error: .error
    case .warn: .warning
    case .info, .notice: .info
    case .debug: .debug
    }
  }

  /// What stands before the message (SDK §20.4).
  var icon: String {
    switch self {
    case .error: "‼️"
    case .warn: "⚠️"
    case .debug: "🐞"
    case .info: "ℹ️"
    case .notice: "🔵"
    }
  }
}
