package import Base
internal import Contract
package import Vocabulary

/// One entry of every kind, so that no line goes unread by the vendor's tool.
package enum EveryLogEntry {
  package static let uuid = UUID128(high: 0x1234_5678_9ABC_4DEF, low: 0x8123_4567_89AB_CDEF)

  package static func all(at instant: WallInstant) -> [LogEntry] {
    var coords = Coordinates(latitude: 45.518019, longitude: -116.297214)
    coords.accuracy = 5
    coords.speed = 1.85
    coords.heading = 31.06
    let fix = Fix(coords: coords, timestamp: instant)
    return life + motion(coords) + locations(fix) + geofences + queue + http + authorization
  }

  private static var life: [LogEntry] {
    [
      .ready(isFirstBoot: true), .started(isGeofenceMode: false), .started(isGeofenceMode: true), .stopped,
      .scheduler(isOn: true), .scheduler(isOn: false), .schedule(window: "2-6 09:00-17:00", isOn: true),
      .schedule(window: "2-6 09:00-17:00", isOn: false), .terminated(stopsTracking: true),
      .terminated(stopsTracking: false), .booted, .appState(isBackground: true),
      .appState(isBackground: false), .configurationChanged(key: "http.url"), .warning("a warning"),
      .error("an error"), .user(.notice, "text of the app"),
    ]
  }

  private static func motion(_ coords: Coordinates) -> [LogEntry] {
    [
      .paceChange(from: false, to: true), .motionChange(isMoving: true),
      .motionActivity(Activity(.inVehicle, confidence: 100), isMovingType: true),
      .stopDetectionIgnored(confidence: 33, minimum: 70), .stopTimeoutEngaged(seconds: 60),
      .motionTriggerIgnored(radiusMetres: 25, distanceMetres: 17), .motionTriggerDenied(activity: .inVehicle),
      .stationaryRegion(coords: coords, radiusMetres: 150), .regionExit(identifier: "stationary"),
      .spuriousRegionExit(identifier: "stationary"),
      .timerStarted(name: "stopTimeout", seconds: 60, isRepeating: false), .timerStopped(name: "stopTimeout"),
      .alarmFired(name: LogEntry.stationaryCheckName), .heartbeat, .backgroundTask(id: 7, isStart: true),
      .backgroundTask(id: 7, isStart: false),
    ]
  }

  private static func locations(_ fix: Fix) -> [LogEntry] {
    let trace = FilterTrace(
      decision: .accepted, reason: "OK", raw: 104.9, effective: 97.8, smoothed: 93.7, cap: 392.8, accuracy: 5,
      speed: 7.05, sigma: 62.9, distanceFilter: 100)
    return [
      .locationUpdates(isOn: true), .locationUpdates(isOn: false),
      .locationRequest(purpose: "motionchange", desiredAccuracyMetres: 20, maximumAgeMilliseconds: 5_000),
      .locationRequestFailed(purpose: "motionchange", code: 408), .location(fix, number: 1, ageMilliseconds: 30),
      .location(fix, number: 0, ageMilliseconds: 30), .locationIgnored(reason: "", deltaMilliseconds: 0),
      .locationIgnored(reason: "accuracy", deltaMilliseconds: 0), .filterDecision(trace),
      .distanceFilter(new: 150, old: 50), .odometer(metres: 507.54, errorMetres: 10),
      .significant(.position(fix, ageMilliseconds: 2_030)), .significant(.duplicate(accuracyMetres: 17.9)),
      .significant(.overlap(metres: 10.3, accuracyMetres: 12.1, otherMetres: 15.6)),
      .significant(.movingGeofence(fix.coords, radiusMetres: 250)), .significant(.movingGeofenceExit(fix.coords)),
    ]
  }

  private static var geofences: [LogEntry] {
    [
      .geofence(identifier: "home", action: .enter, hits: 178), .geofence(identifier: "home", action: .exit, hits: 179),
      .geofenceSuppressed(identifier: "home", reason: "geofence-duplicate-enter"), .geofenceAdded(identifier: "home"),
      .geofenceRemoved(identifier: "home"), .geofenceRemoved(identifier: nil),
      .proximity(found: 1, of: 1, withinMetres: 2_000),
    ]
  }

  private static var queue: [LogEntry] {
    [
      .destroyedAll(count: 3), .purged(count: 2, days: 1), .shrunk(max: 1, deleted: 4), .unlockedAll,
    ]
  }

  private static var http: [LogEntry] {
    [
      .flushBegan(trigger: .insert, queued: 1), .watchdogArmed(timeoutSeconds: 60, watchdogSeconds: 65),
      .watchdogFired(locked: 2, isBatch: true), .lockedBatch(count: 2),
      .posting(.post, uuid: nil, count: 2, url: "http://localhost/"),
      .posting(.put, uuid: uuid, count: 1, url: "http://localhost/"),
      .response(status: 200, reason: "OK"), .response(status: 401, reason: "Unauthorized"),
      .response(status: 0, reason: "connect timed out"), .posted(uuid: uuid, status: 200, retry: 0),
      .unlocked(uuid: uuid), .syncPage(isOK: true, size: 1), .syncPage(isOK: true, size: 2),
      .syncPage(isOK: false, size: 1),
      .flushFinished(isSuccess: true, queuedBefore: 1, synced: 1, pages: 1, milliseconds: 516), .busy,
      .autoSyncDisabled,
      .noNetwork, .notResponding(host: "localhost", afterRecords: 10), .redirectNotPermitted(status: 302),
      .staleResponseIgnored, .paramsDropped, .connectivity(.none), .connectivity(.cellular), .connectivity(.wifi),
    ]
  }

  private static var authorization: [LogEntry] {
    let provider = ProviderState(
      isEnabled: true, authorizationStatus: 3, hasGPS: true, hasNetwork: true, accuracyAuthorization: 0)
    return [
      .provider(provider), .refreshing(url: "http://localhost/refresh"),
      .refreshed(status: 200, hasNewRefreshToken: true), .refreshFailed(status: 401, reason: "Unauthorized"),
      .refreshSkipped(.noURL), .refreshSkipped(.refreshedAlready), .command(.stop, argument: ""),
      .commandProblem(.nullCommand), .commandProblem(.wrongShape(found: "string")),
      .commandProblem(.unknownCommand("strat", nearest: .start)),
      .commandProblem(.wrongArgument(.changePace, expected: "boolean", found: "string")),
      .commandOverflow(limit: 100, dropped: 1),
    ]
  }
}
