package import Base
package import JSON

/// A region whose crossings are reported (SDK §15.1).
package struct Geofence: Equatable, Sendable {
  /// A corner of a polygon, in degrees.
  package struct Vertex: Equatable, Sendable {
    package var latitude: Double
    package var longitude: Double

    package init(latitude: Double, longitude: Double) {
      self.latitude = latitude
      self.longitude = longitude
    }
  }

  /// Where the region is.
  package enum Shape: Equatable, Sendable {
    case circle(center: Vertex, radiusMetres: Double)
    /// At least three corners in the order given; the first need not be repeated at the end.
    case polygon([Vertex])
  }

  /// What an engine knows about a fence. Apps and servers can read but not set it: adding a fence again begins anew.
  package struct Status: Equatable, Sendable {
    package var isInside = false
    /// Seconds since 1970 of the last transition; 0 for none yet.
    package var updatedAtSeconds = 0.0
    /// Transitions so far that were reported: exits and dwells included, unwanted ones not (SDK §15.1).
    package var hits = 0
    /// When the device has dwelt, unless it leaves before; nil when no dwell is to come of this visit.
    package var dwellDeadline: WallInstant?

    package init() {}
  }

  /// Not empty.
  package var identifier: String
  package var shape: Shape
  package var notifyOnEntry = true
  package var notifyOnExit = true
  package var notifyOnDwell = false
  package var loiteringDelayMilliseconds = 0.0
  /// An object or nil.
  package var extras: JSONValue?
  package var status = Status()

  package init(identifier: String, shape: Shape) {
    self.identifier = identifier
    self.shape = shape
  }
}
