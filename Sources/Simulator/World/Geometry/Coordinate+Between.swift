import Base

extension Coordinate {
  /// The place a fraction (0 to 1) of the straight way to another, straight as on a map with square degrees.
  func between(_ other: Coordinate, fraction: Double) -> Coordinate {
    Coordinate(
      calculatedLatitude: latitude + (other.latitude - latitude) * fraction,
      longitude: longitude + Longitude.difference(other.longitude, longitude) * fraction)
  }
}
