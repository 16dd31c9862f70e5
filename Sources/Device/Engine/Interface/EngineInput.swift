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
