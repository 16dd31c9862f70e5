package import Base
package import Contract
package import Engine
package import Queue
package import Upload
package import Vocabulary

/// What a host leaves to the platform that it runs on.
package enum HostEffect: Equatable, Sendable {
  /// Replaces the last demand of its kind.
  case demand(SensorDemand)
  /// The answer goes to `DeviceHost.answer`.
  case send(OutgoingRequest)
  /// To the app.
  case deliver(HostEvent)
  /// Only entries that the configured level wants.
  case log(LogEntry, at: WallInstant)
  case destroyLog
  /// A server wants the whole log: `DeviceHost.uploadLog` takes it.
  case uploadLog(to: String)
  /// Time to run on without the app in the foreground.
  case backgroundTask(id: Int, isStart: Bool)
}

/// What a host tells the app.
package enum HostEvent: Equatable, Sendable {
  case engine(EngineEvent)
  case http(HTTPEvent)
  indirect case authorization(AuthorizationEvent)
  /// The answer to the position request of that id.
  indirect case position(id: Int, Result<LocationRecord, LocationError>)
  /// The answer to `DeviceHost.sync`.
  indirect case synced(completion: UInt64, Result<[QueuedRecord], SyncError>)
  /// The answer to `DeviceHost.uploadLog`; `status` is 0 when none came.
  case logUploaded(completion: UInt64, isSuccess: Bool, status: Int)
  /// Records that have left the queue without an upload, at least one; no SDK tells its app. Where commits are grouped, a
  /// group that is lost brings them back.
  case discarded([UUID128], DiscardReason)
  /// `DeviceHost.configuration` is another one now; no SDK tells its app.
  case configured
  /// A server's command is carried out; no SDK tells its app.
  indirect case commanded(Command)
}

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
