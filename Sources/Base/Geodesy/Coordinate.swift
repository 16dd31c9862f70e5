/// A place on the WGS 84 ellipsoid in degrees; always finite and in range.
@frozen @usableFromInline
package struct Coordinate: Hashable, Sendable {
  /// −90 to 90.
  @usableFromInline package let latitude: Double
  /// −180 to 180; both ends are the same meridian.
  @usableFromInline package let longitude: Double

  /// Nil when a number is not finite or not in range.
  @inlinable package init?(latitude: Double, longitude: Double) {
    // A comparison with NaN is false.
    guard latitude.magnitude <= 90, longitude.magnitude <= 180 else { return nil }
    self.latitude = latitude
    self.longitude = longitude
  }

  /// For calculated places: whole turns are taken off the longitude, rounding beyond a pole off the latitude.
  package init(calculatedLatitude latitude: Double, longitude: Double) {
    precondition(latitude.isFinite && longitude.isFinite, "a calculated place is finite")
    self.latitude = min(max(latitude, -90), 90)
    self.longitude = longitude.magnitude <= 180 ? longitude : longitude.remainder(dividingBy: 360)
  }
}
