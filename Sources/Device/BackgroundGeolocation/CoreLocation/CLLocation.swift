import Base
public import FoundationEssentials

/// A position as a receiver reports it. Negative accuracies, speed and course say that the value is not known.
public struct CLLocation: Hashable, Sendable {
  /// Degrees of WGS 84.
  public let coordinate: CLLocationCoordinate2D
  /// Metres above the sea.
  public let altitude: CLLocationDistance
  /// Metres above the ellipsoid of WGS 84; the same as `altitude` where the receiver tells only one.
  public let ellipsoidalAltitude: CLLocationDistance
  /// Metres.
  public let horizontalAccuracy: CLLocationAccuracy
  /// Metres.
  public let verticalAccuracy: CLLocationAccuracy
  /// Degrees clockwise from true north.
  public let course: CLLocationDirection
  /// Degrees.
  public let courseAccuracy: CLLocationDirection
  /// Metres per second.
  public let speed: CLLocationSpeed
  /// Metres per second.
  public let speedAccuracy: CLLocationSpeed
  /// When the receiver computed it.
  public let timestamp: Date

  /// A position of which only the place is known; the accuracy counts as perfect, as in Core Location.
  public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
    self.init(
      coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude), altitude: 0,
      horizontalAccuracy: 0, verticalAccuracy: -1, timestamp: Date())
  }

  /// All that a receiver tells. Pass a negative number for what is not known; altitudes have none.
  public init(
    coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
    verticalAccuracy: CLLocationAccuracy, course: CLLocationDirection = -1,
    courseAccuracy: CLLocationDirection = -1, speed: CLLocationSpeed = -1, speedAccuracy: CLLocationSpeed = -1,
    ellipsoidalAltitude: CLLocationDistance? = nil, timestamp: Date
  ) {
    self.coordinate = coordinate
    self.altitude = altitude
    self.ellipsoidalAltitude = ellipsoidalAltitude ?? altitude
    self.horizontalAccuracy = horizontalAccuracy
    self.verticalAccuracy = verticalAccuracy
    self.course = course
    self.courseAccuracy = courseAccuracy
    self.speed = speed
    self.speedAccuracy = speedAccuracy
    self.timestamp = timestamp
  }

  /// Metres along the great circle; not a number when one of the two is no place.
  public func distance(from location: CLLocation) -> CLLocationDistance {
    guard let here = place, let there = location.place else { return .nan }
    return here.distanceMetres(to: there)
  }

  /// Nil when this is no place on the earth.
  var place: Coordinate? { Coordinate(latitude: coordinate.latitude, longitude: coordinate.longitude) }
}
