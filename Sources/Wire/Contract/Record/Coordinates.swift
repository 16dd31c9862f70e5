/// The `coords` of a record. Nil means that the device could not tell; the wire says -1 for most of these.
package struct Coordinates: Equatable, Sendable {
  /// Degrees, finite; on the wire with all digits.
  package let latitude: Double
  /// Degrees, finite; on the wire with all digits.
  package let longitude: Double
  /// Metres.
  package var accuracy: Double?
  /// Metres per second.
  package var speed: Double?
  /// Metres per second.
  package var speedAccuracy: Double?
  /// Degrees clockwise from north.
  package var heading: Double?
  /// Degrees.
  package var headingAccuracy: Double?
  /// Metres above the sea.
  package var altitude: Double?
  /// Metres.
  package var altitudeAccuracy: Double?
  /// Metres above the ellipsoid of WGS 84.
  package var ellipsoidalAltitude: Double?
  /// The storey of a building; iOS only, and only indoors.
  package var floor: Int?

  /// Latitude and longitude that are not finite are a programmer error: a fix without a place is no fix.
  package init(latitude: Double, longitude: Double) {
    precondition(latitude.isFinite && longitude.isFinite, "coordinates must be finite")
    self.latitude = latitude
    self.longitude = longitude
  }
}
