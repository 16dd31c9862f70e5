package import Contract
package import Vocabulary

/// An input of the engine.
package enum EngineInput: Equatable, Sendable {
  // Positions.
  /// A position of the updates demanded by `SensorDemand.locationUpdates`.
  case fix(Fix)
  /// A position of the sampling demanded by `SensorDemand.sampling`; the first may be a cached one.
  case sample(Fix)
  /// The coarse position of a significant change.
  case significantChange(Fix)
  /// A position computed for another app. Used only by Android with significant changes.
  case passive(Fix)
  case locationFailed(LocationError)
  /// iOS has paused the updates because nothing moved for a quarter of an hour.
  case updatesPaused

  // Regions.
  /// The device left the circle demanded by `SensorDemand.stationaryRegion`. A fix that came with it proves it.
  case stationaryRegionExit(Fix?)
  /// The device left the circle demanded by `SensorDemand.proximityRegion`.
  case proximityRegionExit(Fix?)
  /// The platform detected a crossing of a monitored fence.
  case geofenceCrossing(identifier: String, isEntry: Bool, Fix?)
  /// The platform, if it measures dwelling, detected a dwell in a monitored fence.
  case geofenceDwell(identifier: String, Fix?)

  // Other sensors.
  case activity(Activity)
  case battery(Battery)
  case connectivity(Connectivity)
  case provider(ProviderState)
  case powerSave(Bool)
  /// The device's time zone, for the schedule; initially UTC.
  case timeZone(ZoneRules)
  /// The device's clock was set. Without this input the device notices at its next look at the clock.
  case clockSet
  /// The screen was switched on or off; initially on.
  case screen(isOn: Bool)

  // Life of the process.
  /// `ready` was called; before it nothing else has an effect, and calls wait.
  case ready(Launch)
  case foreground
  case background
  case backgroundFetch
  /// The app is about to be terminated. What stays registered depends on the configuration (SDK §19.3).
  case terminate

  // Calls and configuration.
  case call(EngineCall)
  /// The new configuration. The keys are those of `ConfigurationChange`.
  case configured(Configuration, changedKeys: [String])
  /// `nextDeadline` was reached.
  case timersDue
}

/// The way in which the process was started, in its first input.
package struct Launch: Equatable, Sendable {
  /// Whether nothing was stored yet.
  package var isFirstBoot = false
  /// Whether the system, not the user, started the process, for a region, a fence or a fetch.
  package var isInBackground = false
  /// Whether this is the first start since the device was switched on.
  package var didReboot = false

  package init(isFirstBoot: Bool = false, isInBackground: Bool = false, didReboot: Bool = false) {
    self.isFirstBoot = isFirstBoot
    self.isInBackground = isInBackground
    self.didReboot = didReboot
  }
}

/// A call of the app, or of a server through a command, to the engine (SDK §3, §10.2).
package enum EngineCall: Equatable, Sendable {
  case start
  case startGeofences
  case stop
  case changePace(isMoving: Bool)
  case startSchedule
  case stopSchedule

  case currentPosition(PositionRequest)
  case watchPosition(WatchRequest)
  case stopWatchPosition(id: Int)
  /// The record of the requested position has the new odometer.
  case setOdometer(metres: Double, PositionRequest)

  /// Existing fences are replaced.
  case addGeofences([Geofence])
  /// Nil removes all.
  case removeGeofences(identifiers: [String]?)

  case startBackgroundTask(id: Int)
  case stopBackgroundTask(id: Int)

  /// Nil for commands that the engine does not handle: configuration, log, ban.
  package init?(_ command: Command) {
    switch command {
    case .start: self = .start
    case .stop: self = .stop
    case .startGeofences: self = .startGeofences
    case .changePace(let isMoving): self = .changePace(isMoving: isMoving)
    case .startSchedule: self = .startSchedule
    case .stopSchedule: self = .stopSchedule
    case .addGeofence(let geofence): self = .addGeofences([geofence])
    case .addGeofences(let geofences): self = .addGeofences(geofences)
    case .removeGeofence(let identifier): self = .removeGeofences(identifiers: [identifier])
    case .removeGeofences(let identifiers): self = .removeGeofences(identifiers: identifiers)
    case .setOdometer(let metres): self = .setOdometer(metres: metres, .odometer(id: nil))
    case .resetOdometer: self = .setOdometer(metres: 0, .odometer(id: nil))
    case .setConfig, .uploadLog, .destroyLog, .ban: return nil
    }
  }
}

/// The app's request for one position (SDK §13.3). The defaults are those of `getCurrentPosition`.
package struct PositionRequest: Equatable, Sendable {
  /// Returned with `Effect.completed`; nil when no caller waits for the answer.
  package var id: Int?
  package var timeoutSeconds = 10.0
  package var desiredAccuracyMetres = 5.0
  /// 0: the position must be newer than the request.
  package var maximumAgeMilliseconds = 0.0
  package var samples = 3
  /// Whether, at the timeout, a position that is too old or too inaccurate is better than none.
  package var allowStale = true
  /// Nil: by the persist mode, while tracking is enabled.
  package var persist: Bool?
  /// Added to this record only.
  package var extras = RenderedObject.empty
  package var label = "getCurrentPosition"

  package init(id: Int?) { self.id = id }

  /// The defaults of `setOdometer` and `resetOdometer`.
  package static func odometer(id: Int?) -> PositionRequest {
    var request = PositionRequest(id: id)
    request.maximumAgeMilliseconds = 5_000
    request.persist = true
    request.label = "TSLocationManager.setOdometer"
    return request
  }
}

/// The app's request for a stream of positions, independent of tracking (SDK §13.3).
package struct WatchRequest: Equatable, Sendable {
  /// The id with which the watch is stopped.
  package var id: Int
  package var intervalMilliseconds = 1_000.0
  /// Nil: by the persist mode, while tracking is enabled.
  package var persist: Bool?
  package var extras = RenderedObject.empty

  package init(id: Int) { self.id = id }
}

/// The criteria for a single position (SDK §13.1).
package struct RequestTerms: Equatable, Sendable {
  package var desiredAccuracyMetres: Double
  /// 0: it must be newer than the request.
  package var maximumAgeMilliseconds: Double
  package var timeoutSeconds: Double
  /// The number of positions after which the best of them is taken.
  package var samples: Int
  /// Whether, at the timeout, an insufficient position is better than none.
  package var allowsStale = true

  package init(
    desiredAccuracyMetres: Double, maximumAgeMilliseconds: Double, timeoutSeconds: Double, samples: Int
  ) {
    self.desiredAccuracyMetres = desiredAccuracyMetres
    self.maximumAgeMilliseconds = maximumAgeMilliseconds
    self.timeoutSeconds = timeoutSeconds
    self.samples = samples
  }
}
