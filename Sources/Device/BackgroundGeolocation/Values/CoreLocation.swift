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

/// Which use of positions the user has allowed.
public enum CLAuthorizationStatus: Int, CaseIterable, Sendable {
  /// The user was not asked yet.
  case notDetermined = 0
  /// The app may not use positions, and the user cannot change that.
  case restricted = 1
  case denied = 2
  /// Also in the background.
  case authorizedAlways = 3
  /// Only while the app is in use.
  case authorizedWhenInUse = 4
}

/// Whether an app may know the accurate place.
public enum CLAccuracyAuthorization: Int, CaseIterable, Sendable {
  case fullAccuracy = 0
  /// Positions are off by kilometres.
  case reducedAccuracy = 1
}

/// What iOS is told that the positions are for.
public enum CLActivityType: Int, CaseIterable, Sendable {
  case other = 1
  case automotiveNavigation = 2
  case fitness = 3
  case otherNavigation = 4
  case airborne = 5
}

// The names of Core Location that the SDK's documents use, with the values that Apple documents, so that code written
// against them compiles without that framework.

/// Degrees of latitude, north positive, or of longitude, east positive.
public typealias CLLocationDegrees = Double
/// Metres.
public typealias CLLocationDistance = Double
/// Metres per second; negative when unknown.
public typealias CLLocationSpeed = Double
/// Degrees clockwise from true north; negative when unknown.
public typealias CLLocationDirection = Double
/// Metres; the accuracy classes below are not positive.
public typealias CLLocationAccuracy = Double

/// The best accuracy with additional sensors, for navigation.
public let kCLLocationAccuracyBestForNavigation: CLLocationAccuracy = -2
/// The best accuracy of satellites, Wi-Fi and cells together.
public let kCLLocationAccuracyBest: CLLocationAccuracy = -1
/// Within ten metres.
public let kCLLocationAccuracyNearestTenMeters: CLLocationAccuracy = 10
/// Within a hundred metres.
public let kCLLocationAccuracyHundredMeters: CLLocationAccuracy = 100
/// Within a kilometre.
public let kCLLocationAccuracyKilometer: CLLocationAccuracy = 1_000
/// Within three kilometres.
public let kCLLocationAccuracyThreeKilometers: CLLocationAccuracy = 3_000
/// What an app gets that may not know the accurate place.
public let kCLLocationAccuracyReduced: CLLocationAccuracy = 6_378_137
/// As a distance filter: every position counts.
public let kCLDistanceFilterNone: CLLocationDistance = -1
