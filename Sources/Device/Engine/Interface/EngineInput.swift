package import Contract
package import Vocabulary

/// Something that happens to a device.
package enum EngineInput: Equatable, Sendable {
  // Positions.
  /// A position of the updates that `SensorDemand.locationUpdates` asked for.
  case fix(Fix)
  /// A position of the sampling that `SensorDemand.sampling` asked for; the first may be one the system still had.
  case sample(Fix)
  /// The coarse position that a significant change brings.
  case significantChange(Fix)
  /// A position that the platform computed for another app. Only Android with significant changes looks at it.
  case passive(Fix)
  case locationFailed(LocationError)
  /// iOS has paused the updates by itself because nothing moved for a quarter of an hour.
  case updatesPaused

  // Regions.
  /// The device left the circle that `SensorDemand.stationaryRegion` asked for. A fix that came with it proves it.
  case stationaryRegionExit(Fix?)
  /// The device left the circle that `SensorDemand.proximityRegion` asked for.
  case proximityRegionExit(Fix?)
  /// The platform saw the boundary of a monitored fence crossed.
  case geofenceCrossing(identifier: String, isEntry: Bool, Fix?)
  /// The platform saw the device dwell in a monitored fence, when it measures that by itself.
  case geofenceDwell(identifier: String, Fix?)

  // Other sensors.
  case activity(Activity)
  case battery(Battery)
  case connectivity(Connectivity)
  case provider(ProviderState)
  case powerSave(Bool)
  /// The device's zone, for the schedule; UTC until told.
  case timeZone(ZoneRules)
  /// The device's clock was set. A device that is not told finds out at its next look at the clock.
  case clockSet
  /// The screen lights up or goes dark; on until told.
  case screen(isOn: Bool)

  // Life of the process.
  /// `ready` was called; until then nothing else has an effect, and calls wait.
  case ready(Launch)
  case foreground
  case background
  case backgroundFetch
  /// The app is about to be killed. What stays armed is up to the configuration (SDK §19.3).
  case terminate

  // Orders.
  case call(EngineCall)
  /// The configuration is this now. The keys are those of `ConfigurationChange`.
  case configured(Configuration, changedKeys: [String])
  /// `nextDeadline` is reached.
  case timersDue
}

/// How the process came to life, as its first input tells.
package struct Launch: Equatable, Sendable {
  /// Nothing was persisted yet.
  package var isFirstBoot = false
  /// The system started the process, for a region, a fence, a fetch; not the user.
  package var isInBackground = false
  /// The first start since the device was switched on.
  package var didReboot = false

  package init(isFirstBoot: Bool = false, isInBackground: Bool = false, didReboot: Bool = false) {
    self.isFirstBoot = isFirstBoot
    self.isInBackground = isInBackground
    self.didReboot = didReboot
  }
}

/// What the app, or a server through a command, may ask of the engine (SDK §3, §10.2).
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
  /// The position that goes with it becomes a record whose odometer is the new one.
  case setOdometer(metres: Double, PositionRequest)

  /// Fences that are there already are replaced.
  case addGeofences([Geofence])
  /// Nil: all of them.
  case removeGeofences(identifiers: [String]?)

  case startBackgroundTask(id: Int)
  case stopBackgroundTask(id: Int)

  /// Nil for the commands that are not the engine's: configuration, log, ban.
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

/// One position, asked for by the app (SDK §13.3). The defaults are those of `getCurrentPosition`.
package struct PositionRequest: Equatable, Sendable {
  /// Comes back with `Effect.completed`; nil when no caller waits for the answer.
  package var id: Int?
  package var timeoutSeconds = 10.0
  package var desiredAccuracyMetres = 5.0
  /// 0: the position must be newer than the request.
  package var maximumAgeMilliseconds = 0.0
  package var samples = 3
  /// A position that is too old or too coarse is better than none when the time is up.
  package var allowStale = true
  /// Nil: as the persist mode says, while tracking is enabled.
  package var persist: Bool?
  /// Go into this record only.
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

/// A stream of positions beside the tracking, asked for by the app (SDK §13.3).
package struct WatchRequest: Equatable, Sendable {
  /// By which the watch is stopped.
  package var id: Int
  package var intervalMilliseconds = 1_000.0
  /// Nil: as the persist mode says, while tracking is enabled.
  package var persist: Bool?
  package var extras = RenderedObject.empty

  package init(id: Int) { self.id = id }
}

/// When a single position is good enough (SDK §13.1).
package struct RequestTerms: Equatable, Sendable {
  package var desiredAccuracyMetres: Double
  /// 0: it must be newer than the request.
  package var maximumAgeMilliseconds: Double
  package var timeoutSeconds: Double
  /// After so many positions the best of them is taken.
  package var samples: Int
  /// A position that is not good enough is better than none when the time is up.
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
