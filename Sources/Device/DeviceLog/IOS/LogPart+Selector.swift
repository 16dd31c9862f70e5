import Vocabulary

extension LogPart {
  /// Whose line it is in the iOS log.
  var selector: String {
    switch self {
    case .sdk: "-[TSLocationManager ready]"
    case .configuration: "-[TSConfig onChange:]"
    case .launch: "-[TSTrackingService onResume]"
    case .tracking: "-[TSTrackingService start:]"
    case .pace: "-[TSTrackingService changePace:]"
    case .schedule: "-[TSScheduler start]"
    case .geofences: "-[TSGeofenceManager evaluateProximity:]"
    case .backgroundTasks: "-[TSBackgroundTaskManager stopBackgroundTask:]_block_invoke"
    case .records: "-[TSLocationDAO persist:]"
    case .http: "-[TSHttpService doPost:callback:]_block_invoke"
    case .authorization: "-[TSAuthorization applyResponseData:]"
    case .logger: "-[TSLog uploadLog:]"
    }
  }
}
