package import Base
package import Contract

/// An entry of a device's log. Its text, which differs between the platforms, is rendered only if the log level admits
/// the entry.
///
/// Large cases are indirect, so that effects, most of which are small, stay cheap to pass.
package enum LogEntry: Equatable, Sendable {
  // Life of the SDK.
  case ready(isFirstBoot: Bool)
  case started(isGeofenceMode: Bool)
  case stopped
  case scheduler(isOn: Bool)
  case schedule(window: String, isOn: Bool)
  case terminated(stopsTracking: Bool)
  case booted
  case appState(isBackground: Bool)
  case configurationChanged(key: String)

  // Motion.
  case paceChange(from: Bool, to: Bool)
  case motionChange(isMoving: Bool)
  case motionActivity(Activity, isMovingType: Bool)
  case stopDetectionIgnored(confidence: Int, minimum: Int)
  case stopTimeoutEngaged(seconds: Double)
  case motionTriggerIgnored(radiusMetres: Double, distanceMetres: Double)
  case motionTriggerDenied(activity: ActivityType)
  indirect case stationaryRegion(coords: Coordinates, radiusMetres: Double)
  case regionExit(identifier: String)
  case spuriousRegionExit(identifier: String)
  case timerStarted(name: String, seconds: Double, isRepeating: Bool)
  case timerStopped(name: String)
  case alarmFired(name: String)
  case heartbeat
  case backgroundTask(id: Int, isStart: Bool)

  // Locations.
  case locationUpdates(isOn: Bool)
  /// `purpose` as in the SDK's log, in brackets: `motionchange`, `motionState`, the label of a request.
  case locationRequest(purpose: String, desiredAccuracyMetres: Double, maximumAgeMilliseconds: Double)
  case locationRequestFailed(purpose: String, code: Int)
  /// `number` counts the fixes of this launch.
  indirect case location(Fix, number: Int, ageMilliseconds: Int64)
  case locationIgnored(reason: String, deltaMilliseconds: Int64)
  indirect case filterDecision(FilterTrace)
  case distanceFilter(new: Double, old: Double)
  case odometer(metres: Double, errorMetres: Double)

  /// Android with `useSignificantChangesOnly`.
  indirect case significant(Significant)

  // Geofences.
  case geofence(identifier: String, action: GeofenceTrigger.Action, hits: Int)
  case geofenceSuppressed(identifier: String, reason: String)
  case geofenceAdded(identifier: String)
  case geofenceRemoved(identifier: String?)
  case proximity(found: Int, of: Int, withinMetres: Double)

  // Queue.
  case inserted(uuid: UUID128, kind: RecordKind, persistMode: Int, maxRecords: Int)
  case destroyed(uuid: UUID128)
  case destroyedAll(count: Int)
  case purged(count: Int, days: Int)
  case shrunk(max: Int, deleted: Int)
  case unlockedAll

  // HTTP.
  case flushBegan(trigger: FlushTrigger, queued: Int)
  case watchdogArmed(timeoutSeconds: Double, watchdogSeconds: Double)
  case watchdogFired(locked: Int, isBatch: Bool)
  case locked(uuid: UUID128)
  case lockedBatch(count: Int)
  case posting(UploadMethod, uuid: UUID128?, count: Int, url: String)
  case response(status: Int, reason: String)
  case posted(uuid: UUID128?, status: Int, retry: Int)
  case unlocked(uuid: UUID128)
  case syncPage(isOK: Bool, size: Int)
  case flushFinished(isSuccess: Bool, queuedBefore: Int, synced: Int, pages: Int, milliseconds: Int64)
  case busy
  case autoSyncDisabled
  case noNetwork
  case notResponding(host: String, afterRecords: Int)
  case redirectNotPermitted(status: Int)
  case staleResponseIgnored
  case paramsDropped
  case connectivity(Connectivity)

  // Authorization.
  case provider(ProviderState)
  case refreshing(url: String)
  case refreshed(status: Int, hasNewRefreshToken: Bool)
  case refreshFailed(status: Int, reason: String)
  case refreshSkipped(RefreshObstacle)

  // Remote control.
  case command(CommandName, argument: String)
  indirect case commandProblem(CommandProblem)
  case commandOverflow(limit: Int, dropped: Int)

  // Entries without a form of their own.
  case warning(String, from: LogPart = .sdk)
  case error(String, from: LogPart = .sdk)
  /// Written by the app.
  case user(UserLevel, String)

  /// Android's entries about significant changes.
  package enum Significant: Equatable, Sendable {
    case position(Fix, ageMilliseconds: Int64)
    case duplicate(accuracyMetres: Double)
    case overlap(metres: Double, accuracyMetres: Double, otherMetres: Double)
    case movingGeofence(Coordinates, radiusMetres: Double)
    case movingGeofenceExit(Coordinates)
  }

  /// The reason why no refresh follows a 401 (SDK §11.2).
  package enum RefreshObstacle: Equatable, Sendable {
    case noURL, refreshedAlready
  }

  /// The message of `RefreshObstacle.noURL`.
  package static let noRefreshURL = "cannot resolve HTTP 401 since authorizationUrl is not defined"

  /// Android's name, in the log, of the timer after which a device that went nowhere is at rest.
  package static let stationaryCheckName = "SLC_STATIONARY_CHECK"

  /// The levels at which an app may write.
  package enum UserLevel: String, CaseIterable, Sendable {
    case error, warn, debug, info, notice
  }
}

/// The source of a warning or an error without a form of its own.
package enum LogPart: String, CaseIterable, Sendable {
  case sdk, configuration, launch, tracking, pace, schedule, geofences, backgroundTasks, records, http, authorization
  case logger
}

/// The result of the location filter for one fix, as shown in the log (SDK §14.2). Metres and metres per second.
package struct FilterTrace: Equatable, Sendable {
  /// The decision about the fix.
  package enum Decision: String, Sendable {
    case accepted = "Accepted"
    case adjusted = "Adjusted"
    case rejected = "Rejected"
  }

  package var decision: Decision
  /// `OK`, or the reason of a rejection or adjustment.
  package var reason: String
  package var raw: Double
  package var effective: Double
  package var smoothed: Double
  package var cap: Double
  package var accuracy: Double
  package var speed: Double
  package var sigma: Double
  package var distanceFilter: Double

  package init(
    decision: Decision, reason: String, raw: Double, effective: Double, smoothed: Double, cap: Double,
    accuracy: Double, speed: Double, sigma: Double, distanceFilter: Double
  ) {
    self.decision = decision
    self.reason = reason
    self.raw = raw
    self.effective = effective
    self.smoothed = smoothed
    self.cap = cap
    self.accuracy = accuracy
    self.speed = speed
    self.sigma = sigma
    self.distanceFilter = distanceFilter
  }
}
