import Contract
public import FoundationEssentials

/// The device has crossed the boundary of a geofence, or stayed inside for its loitering delay.
public struct GeofenceEvent: Sendable {
  /// Of the geofence.
  public let identifier: String
  /// `ENTER`, `EXIT` or `DWELL`.
  public let action: String
  /// Of the crossing; the location may be a little younger.
  public let timestamp: Date
  /// The record that is stored for it.
  public let location: LocationEvent
  /// As it is after the crossing.
  public let geofence: Geofence
  /// Those of the geofence; nil when it has none.
  public var extras: [String: Any]? { geofence.extras }
  /// Where the device was.
  public let triggerCoordinate: CLLocationCoordinate2D
  /// Degrees clockwise from north; nil when unknown.
  public let triggerHeading: CLLocationDirection?

  /// Nil for a record without a crossing.
  init?(_ record: LocationRecord, _ fence: Contract.Geofence, style: RecordStyle) {
    guard let trigger = record.geofence else { return nil }
    identifier = trigger.identifier
    action = trigger.action.rawValue
    timestamp = Date(trigger.timestamp)
    location = LocationEvent(record, style: style)
    geofence = Geofence(fence)
    triggerCoordinate = CLLocationCoordinate2D(
      latitude: record.coords.latitude, longitude: record.coords.longitude)
    triggerHeading = record.coords.heading.flatMap { $0 < 0 ? nil : $0 }
  }
}
