/// A place on the earth, in degrees of WGS 84.
public struct CLLocationCoordinate2D: Hashable, Sendable {
  /// North positive.
  public var latitude: CLLocationDegrees
  /// East positive.
  public var longitude: CLLocationDegrees

  /// The place 0°, 0°.
  public init() { self.init(latitude: 0, longitude: 0) }

  /// Nothing is checked; what is no place is refused where it is used.
  public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
    self.latitude = latitude
    self.longitude = longitude
  }
}
