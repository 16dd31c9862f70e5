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
