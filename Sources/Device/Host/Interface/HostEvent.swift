package import Base
package import Contract
package import Engine
package import Queue
package import Upload

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
