import Base

extension Coordinate {
  /// For calculated places: a longitude beyond the antimeridian comes back on the other side, a latitude beyond a pole
  /// stays at the pole.
  init(wrappingLatitude latitude: Double, longitude: Double) {
    let wrapped = longitude.magnitude <= 180 ? longitude : longitude.remainder(dividingBy: 360)
    guard let place = Coordinate(latitude: min(max(latitude, -90), 90), longitude: wrapped) else {
      preconditionFailure("a calculated place is finite")
    }
    self = place
  }

  /// The place a fraction (0 to 1) of the straight way to another, straight as on a map with square degrees.
  func between(_ other: Coordinate, fraction: Double) -> Coordinate {
    Coordinate(
      wrappingLatitude: latitude + (other.latitude - latitude) * fraction,
      longitude: longitude + Longitude.difference(other.longitude, longitude) * fraction)
  }
}
