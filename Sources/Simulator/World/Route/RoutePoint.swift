package import Base

/// A point of a recorded route.
package struct RoutePoint: Equatable, Sendable {
  package let place: Coordinate
  /// Metres; nil when the file does not say.
  package let elevation: Double?
  /// Nil when the file does not say.
  package let time: WallInstant?
  /// Where it stands in its file.
  package let spot: FileSpot

  package init(place: Coordinate, elevation: Double? = nil, time: WallInstant? = nil, at spot: FileSpot) {
    self.place = place
    self.elevation = elevation
    self.time = time
    self.spot = spot
  }
}
