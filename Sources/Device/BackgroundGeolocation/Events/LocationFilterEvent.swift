import Contract
import Engine

/// A position, or a crossing, that came to nothing.
public struct LocationFilterEvent: Sendable {
  /// The crossing of a geofence that was suppressed.
  public struct Crossing: Hashable, Sendable {
    /// Of the geofence.
    public let identifier: String
    /// `ENTER`, `EXIT` or `DWELL`.
    public let action: String
    /// Metres from the centre.
    public let distance: Double
    /// Metres.
    public let radius: Double
    /// Metres beyond the boundary; 0 inside.
    public let outsideBy: Double
  }

  /// Not stored, and not given to `onLocation`.
  public let location: LocationEvent
  /// `low-accuracy`, `implied-speed`, `outlier-capped`, `geofence-spurious-exit` or `geofence-duplicate-enter`.
  public let reason: String
  /// Metres; of the position.
  public let accuracy: Double
  /// Metres; -1 with a crossing.
  public let trackingAccuracyThreshold: Double
  /// Nil unless a crossing was suppressed.
  public let geofence: Crossing?

  init(_ filtered: FilteredLocation, style: RecordStyle) {
    location = LocationEvent(filtered.record, style: style)
    reason = filtered.reason
    accuracy = filtered.record.coords.accuracy ?? -1
    trackingAccuracyThreshold = filtered.thresholdMetres
    geofence = filtered.crossing.map {
      Crossing(
        identifier: $0.identifier, action: $0.action.rawValue, distance: $0.distanceMetres, radius: $0.radiusMetres,
        outsideBy: $0.outsideByMetres)
    }
  }
}
