package import Base

/// A point of a recorded route.
package struct RoutePoint: Equatable, Sendable {
  package let place: Coordinate
  /// Metres; nil when the file does not say.
  package let elevation: Double?
  /// Nil when the file does not say.
  package let time: WallInstant?
  /// The line of the file, from 1.
  package let line: Int

  package init(place: Coordinate, elevation: Double? = nil, time: WallInstant? = nil, line: Int) {
    self.place = place
    self.elevation = elevation
    self.time = time
    self.line = line
  }
}
