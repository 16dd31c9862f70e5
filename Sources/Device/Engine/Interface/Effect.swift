package import Contract
package import Vocabulary

/// What the host is to do, in this order.
package enum Effect: Equatable, Sendable {
  /// Into the queue. The flush that follows is an effect of its own.
  indirect case persist(LocationRecord, RecordKind)
  case event(EngineEvent)
  /// The answer to the request of that id.
  indirect case completed(id: Int, Result<LocationRecord, LocationError>)
  case demand(SensorDemand)
  case flush(FlushTrigger)
  /// `Engine.state` is to be kept. Frequent: a host may keep it once for all effects of an input, or of a commit.
  case saveState
  /// The definition, or the status of the fence, is to be kept.
  indirect case saveGeofence(Geofence)
  /// Nil: all of them.
  case deleteGeofences(identifiers: [String]?)
  /// Time to run on without the app in the foreground.
  case backgroundTask(id: Int, isStart: Bool)
  case log(LogEntry)
}

extension Effect {
  /// A location that is recorded, and no sample of the search for one.
  var isRecordedLocation: Bool { if case .event(.location(let record)) = self { !record.isSample } else { false } }
}

/// A call back into the app: the SDK's events but those that uploads bring (SDK §6).
package enum EngineEvent: Equatable, Sendable {
  /// Also samples of a request, and what a watch brings.
  indirect case location(LocationRecord)
  case locationError(LocationError)
  /// The record's `isMoving` is the new state.
  indirect case motionChange(LocationRecord)
  /// The record holds the trigger.
  indirect case geofence(LocationRecord, Geofence)
  case geofencesChange(on: [Geofence], off: [String])
  indirect case heartbeat(LocationRecord)
  case activityChange(Activity)
  case providerChange(ProviderState)
  case connectivityChange(isConnected: Bool)
  case enabledChange(isEnabled: Bool)
  case powerSaveChange(isPowerSaving: Bool)
  indirect case schedule(EngineState)
  indirect case locationFilter(FilteredLocation)
  /// Headless, on Android only.
  indirect case boot(EngineState)
  /// Headless, on Android only.
  indirect case terminate(EngineState)
}

/// What the event `locationfilter` tells: a position, or a crossing, that came to nothing.
package struct FilteredLocation: Equatable, Sendable {
  package let record: LocationRecord
  /// `low-accuracy`, `implied-speed`, `outlier-capped`, `geofence-spurious-exit`, `geofence-duplicate-enter`.
  package let reason: String
  /// -1 with a crossing.
  package let thresholdMetres: Double
  package let crossing: GeofenceSuppression?

  package init(
    record: LocationRecord, reason: String, thresholdMetres: Double, crossing: GeofenceSuppression?
  ) {
    self.record = record
    self.reason = reason
    self.thresholdMetres = thresholdMetres
    self.crossing = crossing
  }
}

/// Why there is no position.
package enum LocationError: Error, CaseIterable, Sendable {
  case unknown, permissionDenied, network, backgroundWithWhenInUse, servicesDisabled, noFix, timeout, cancelled

  /// The code of the cross-platform documents (SDK §4.6). They have none for services that are switched off.
  package var code: Int {
    switch self {
    case .unknown, .servicesDisabled, .noFix: 0
    case .permissionDenied: 1
    case .network: 2
    case .backgroundWithWhenInUse: 3
    case .timeout: 408
    case .cancelled: 499
    }
  }
}
