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
  case generatorLag, generatorCPU, clausesBroken

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

  /// Why nobody can tell it of that run; nil when it is measured.
  func absence(in setup: RunSetup) -> String? {
    let isVirtual = setup.outside == nil
    return switch self {
    case .timeToVisible where isVirtual:
      "the server in virtual time commits before it answers, so that what is acknowledged is visible: "
        + "record_delivery_latency tells when"
    case .timeToVisible:
      "target.verify is asked once, at the end, so that questions keep no device waiting: "
        + "record_delivery_latency tells when a record was acknowledged"
    case .odometerError:
      "how far a body has truly gone is not kept; invariant I17-odometer-tolerance watches over the odometer"
    case .tlsHandshakes where isVirtual:
      "links in virtual time carry no TLS: drive at an https target with --mode realtime"
    case .generatorCPU where isVirtual:
      "virtual time goes as fast as the processor lets it: it is known with --mode realtime and accelerated"
    case .clausesBroken where isVirtual:
      "only the answers of a real server are held against the clauses: drive at it with --target"
    default: nil
    }
  }

  /// Only the end of a run can tell it.
  var isKnownAtTheEnd: Bool {
    switch self {
    case .recordsLost, .duplicatesExplained, .duplicatesUnexplained, .duplicatesRatio, .droppedTrips, .clausesBroken:
      true
    default: false
    }
  }

  /// Known of the run as a whole and not of its devices.
  var isOfTheWhole: Bool {
    switch self {
    case .recordsLost, .duplicatesExplained, .duplicatesUnexplained, .duplicatesRatio, .droppedTrips, .generatorLag,
      .generatorCPU, .clausesBroken:
      true
    default: false
    }
  }
}
