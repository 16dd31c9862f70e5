import Base
public import FoundationEssentials

/// A position as a receiver reports it. Negative accuracies, speed and course mean unknown.
public struct CLLocation: Hashable, Sendable {
  /// Degrees of WGS 84.
  public let coordinate: CLLocationCoordinate2D
  /// Metres above the sea.
  public let altitude: CLLocationDistance
  /// Metres above the ellipsoid of WGS 84; equal to `altitude` where the receiver reports only one.
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
  /// The time at which the receiver computed it.
  public let timestamp: Date

  /// Creates a position with coordinates only; the accuracy counts as perfect, as in Core Location.
  public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
    self.init(
      coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude), altitude: 0,
      horizontalAccuracy: 0, verticalAccuracy: -1, timestamp: Date())
  }

  /// Creates a complete position. Pass a negative number for an unknown value, except for altitudes, which are always known.
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

  /// Returns the distance in metres along the great circle; not a number when a coordinate is invalid.
  public func distance(from location: CLLocation) -> CLLocationDistance {
    guard let here = place, let there = location.place else { return .nan }
    return here.distanceMetres(to: there)
  }

  /// The coordinate; nil when it is not on the earth.
  var place: Coordinate? { Coordinate(latitude: coordinate.latitude, longitude: coordinate.longitude) }
}

/// A place on the earth, in degrees of WGS 84.
public struct CLLocationCoordinate2D: Hashable, Sendable {
  /// North positive.
  public var latitude: CLLocationDegrees
  /// East positive.
  public var longitude: CLLocationDegrees

  /// Creates the place 0°, 0°.
  public init() { self.init(latitude: 0, longitude: 0) }

  /// Does not check its arguments; functions that use an invalid place refuse it.
  public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
    self.latitude = latitude
    self.longitude = longitude
  }
}

/// The use of positions that the user has allowed.
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

/// Whether an app may know the precise location.
public enum CLAccuracyAuthorization: Int, CaseIterable, Sendable {
  case fullAccuracy = 0
  /// Positions are off by kilometres.
  case reducedAccuracy = 1
}

/// The purpose of the positions, as declared to iOS.
public enum CLActivityType: Int, CaseIterable, Sendable {
  case other = 1
  case automotiveNavigation = 2
  case fitness = 3
  case otherNavigation = 4
  case airborne = 5
}

// The Core Location names that the SDK's documents use, with the values that Apple documents, so that code written
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

/// The best accuracy, with additional sensors for navigation.
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
/// The accuracy of an app without permission for the precise location.
public let kCLLocationAccuracyReduced: CLLocationAccuracy = 6_378_137
/// No distance filter: every position counts.
public let kCLDistanceFilterNone: CLLocationDistance = -1
