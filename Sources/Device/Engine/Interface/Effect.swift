package import Contract
package import Vocabulary

/// An effect for the host to perform, in order.
package enum Effect: Equatable, Sendable {
  /// Inserts a record into the queue. The flush that follows is an effect of its own.
  indirect case persist(LocationRecord, RecordKind)
  case event(EngineEvent)
  /// The answer to the request with that id.
  indirect case completed(id: Int, Result<LocationRecord, LocationError>)
  case demand(SensorDemand)
  case flush(FlushTrigger)
  /// `Engine.state` must be stored. Frequent: a host may store it once for all effects of an input, or of a commit.
  case saveState
  /// The definition or the status of the fence must be stored.
  indirect case saveGeofence(Geofence)
  /// Nil deletes all.
  case deleteGeofences(identifiers: [String]?)
  /// Background execution time.
  case backgroundTask(id: Int, isStart: Bool)
  case log(LogEntry)
}

extension Effect {
  /// Whether it is a recorded location, not a sample of a request.
  var isRecordedLocation: Bool { if case .event(.location(let record)) = self { !record.isSample } else { false } }
}

/// An event for the app: the SDK's events except those of uploads (SDK §6).
package enum EngineEvent: Equatable, Sendable {
  /// Also samples of a request, and what a watch brings.
  indirect case location(LocationRecord)
  case locationError(LocationError)
  /// The record's `isMoving` is the new state.
  indirect case motionChange(LocationRecord)
  /// The record contains the trigger.
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

/// The contents of the event `locationfilter`: a rejected position or a suppressed crossing.
package struct FilteredLocation: Equatable, Sendable {
  package let record: LocationRecord
  /// `low-accuracy`, `implied-speed`, `outlier-capped`, `geofence-spurious-exit`, `geofence-duplicate-enter`.
  package let reason: String
  /// -1 for a crossing.
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

/// The reason why there is no position.
package enum LocationError: Error, CaseIterable, Sendable {
  case unknown, permissionDenied, network, backgroundWithWhenInUse, servicesDisabled, noFix, timeout, cancelled

  /// The code in the cross-platform documents. They have none for disabled location services: that is iOS's (SDK §4.6).
  package var code: Int {
    switch self {
    case .unknown, .noFix: 0
    case .permissionDenied: 1
    case .network: 2
    case .backgroundWithWhenInUse: 3
    case .timeout: 408
    case .cancelled: 499
    case .servicesDisabled: 503
    }
  }
}
