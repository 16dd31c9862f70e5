package import Base
package import Contract
package import Engine
package import Queue
package import Upload
package import Vocabulary

/// An effect that a host leaves to its platform.
package enum HostEffect: Equatable, Sendable {
  /// Replaces the last demand of its kind.
  case demand(SensorDemand)
  /// The answer must be passed to `DeviceHost.answer`.
  case send(OutgoingRequest)
  /// Notifies the app.
  case deliver(HostEvent)
  /// Only entries that the configured level admits.
  case log(LogEntry, at: WallInstant)
  case destroyLog
  /// A server requests the whole log: pass it to `DeviceHost.uploadLog`.
  case uploadLog(to: String)
  /// Background execution time.
  case backgroundTask(id: Int, isStart: Bool)
}

/// An event for the app.
package enum HostEvent: Equatable, Sendable {
  case engine(EngineEvent)
  case http(HTTPEvent)
  indirect case authorization(AuthorizationEvent)
  /// The answer to the position request with that id.
  indirect case position(id: Int, Result<LocationRecord, LocationError>)
  /// The answer to `DeviceHost.sync`.
  indirect case synced(completion: UInt64, Result<[QueuedRecord], SyncError>)
  /// The answer to `DeviceHost.uploadLog`; `status` is 0 without a response.
  case logUploaded(completion: UInt64, isSuccess: Bool, status: Int)
  /// Records that left the queue without an upload, at least one. With grouped commits, the loss of a group restores
  /// them. The SDK does not report this to apps.
  case discarded([UUID128], DiscardReason)
  /// `DeviceHost.configuration` has changed to this one, before anything follows from that. The SDK does not report this to apps.
  indirect case configured(Configuration)
  /// A server's command was executed. The SDK does not report this to apps.
  indirect case commanded(Command)
}

/// How a process ended, which determines what the system keeps watching for the app (SDK §19.3, §19.4).
package enum ProcessEnd: Sendable {
  /// The user closed the app.
  case closed
  /// It crashed, or the system reclaimed its memory.
  case killed
  /// The phone was switched off.
  case switchedOff

  /// Whether regions, fences and large moves are kept. Android loses them when it is switched off; its SDK registers
  /// them again at its start.
  package func keepsRegions(on platform: DevicePlatform) -> Bool { platform == .ios || self != .switchedOff }

  /// Whether background fetches continue. iOS ends them for an app that its user has closed.
  package func keepsFetches(on platform: DevicePlatform) -> Bool { platform == .ios && self != .closed }
}

extension EngineInput {
  /// Whether the system starts a stopped app for this input (SDK §19.2). On Android only a running service receives any.
  package func startsApp(on platform: DevicePlatform) -> Bool {
    switch self {
    case .stationaryRegionExit, .proximityRegionExit, .geofenceCrossing, .significantChange, .backgroundFetch:
      platform == .ios
    default: false
    }
  }
}
