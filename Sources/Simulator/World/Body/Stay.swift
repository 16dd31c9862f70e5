package import Base

/// A time at one place.
package struct Stay: Equatable, Sendable {
  package let place: Coordinate
  /// What is over the place.
  package let cover: Cover.Kind?
  /// At home and at work there is a network.
  package let hasWifi: Bool
  package let start: MonotonicInstant
  /// Nil: for good.
  package let end: MonotonicInstant?

  package init(
    place: Coordinate, cover: Cover.Kind? = nil, hasWifi: Bool = false, start: MonotonicInstant, end: MonotonicInstant?
  ) {
    self.place = place
    self.cover = cover
    self.hasWifi = hasWifi
    self.start = start
    self.end = end
  }
}
