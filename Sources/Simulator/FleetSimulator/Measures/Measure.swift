import Scenario

/// The metrics that thresholds can name, in the order of `Metric.all`.
enum Measure: Int, CaseIterable {
  case checks
  case recordsCreated, recordsDelivered, recordsLost, recordsExpired, recordsEvicted
  case duplicatesExplained, duplicatesUnexplained, duplicatesRatio
  case uploadDuration, uploadWait, recordDeliveryLatency, timeToVisible
  case queueDepth, queueOldestAge, drainTime
  case batchSize, uploadBytes, uploads, uploadFailed, retriesPerRecord
  case tlsHandshakes, connects, connectionReuse
  case authRefreshes, authRefreshFailures
  case geofenceTransitions, geofenceDelay, odometerError, remoteCommandsApplied
  case devicesActive, devicesMoving, droppedTrips
  case generatorLag, generatorCPU

  var metric: Metric { Metric.all[rawValue] }

  static func of(_ metric: Metric) -> Measure? { allCases.first { $0.metric.name == metric.name } }

  /// How many units of its histogram make one of the metric: times are kept in microseconds and told in milliseconds.
  var resolution: Double {
    switch self {
    case .uploadDuration, .uploadWait, .recordDeliveryLatency, .timeToVisible, .queueOldestAge, .drainTime,
      .geofenceDelay, .generatorLag:
      1_000
    case .odometerError: 1_000_000
    default: 1
    }
  }

  /// Forty days in microseconds; more records, bytes and requests than a device has.
  var highestTrackableValue: UInt64 { resolution == 1_000 ? 3_456_000_000_000 : 1_000_000_000 }

  /// Nobody can tell it yet.
  var isBeyondUs: Bool {
    switch self {
    case .timeToVisible, .geofenceDelay, .odometerError,
      .remoteCommandsApplied, .generatorCPU:
      true
    default: false
    }
  }

  /// Known of the run as a whole and not of its devices.
  var isOfTheWhole: Bool {
    switch self {
    case .recordsLost, .duplicatesExplained, .duplicatesUnexplained, .duplicatesRatio, .droppedTrips, .generatorLag:
      true
    default: false
    }
  }
}
