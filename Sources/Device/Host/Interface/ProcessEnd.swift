package import Contract
package import Engine

/// How a process ended, and so what the system goes on watching for the app (SDK §19.3, §19.4).
package enum ProcessEnd: Sendable {
  /// Its user has closed the app.
  case closed
  /// It crashed, or the system needed the memory.
  case killed
  /// The phone went off.
  case switchedOff

  /// The regions, the fences and the large moves. Android forgets them when it is switched off; its SDK registers them
  /// again when it starts.
  package func keepsRegions(on platform: DevicePlatform) -> Bool { platform == .ios || self != .switchedOff }

  /// iOS does not let an app fetch that its user has closed.
  package func keepsFetches(on platform: DevicePlatform) -> Bool { platform == .ios && self != .closed }
}

extension EngineInput {
  /// Whether the system starts an app for it that does not run (SDK §19.2). On Android the service runs, or nothing does.
  package func startsApp(on platform: DevicePlatform) -> Bool {
    switch self {
    case .stationaryRegionExit, .proximityRegionExit, .geofenceCrossing, .significantChange, .backgroundFetch:
      platform == .ios
    default: false
    }
  }
}
