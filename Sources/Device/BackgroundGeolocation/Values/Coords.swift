import Contract

/// Where a location is and how the device moved there. As on the wire, -1 stands for what the device could not tell.
public struct Coords: Hashable, Sendable {
  /// Degrees, north positive.
  public let latitude: Double
  /// Degrees, east positive.
  public let longitude: Double
  /// Metres.
  public let accuracy: Double?
  /// Metres per second.
  public let speed: Double?
  /// Metres per second.
  public let speedAccuracy: Double?
  /// Degrees clockwise from north.
  public let heading: Double?
  /// Degrees.
  public let headingAccuracy: Double?
  /// Metres above the sea; nil when unknown.
  public let altitude: Double?
  /// Metres.
  public let altitudeAccuracy: Double?
  /// Metres above the ellipsoid of WGS 84; nil when unknown.
  public let ellipsoidalAltitude: Double?
  /// The storey of a building; nil outdoors.
  public let floor: Int?

  private static let unknown = -1.0

  init(_ coords: Coordinates) {
    latitude = coords.latitude
    longitude = coords.longitude
    accuracy = coords.accuracy ?? Self.unknown
    speed = coords.speed ?? Self.unknown
    speedAccuracy = coords.speedAccuracy ?? Self.unknown
    heading = coords.heading ?? Self.unknown
    headingAccuracy = coords.headingAccuracy ?? Self.unknown
    altitude = coords.altitude
    altitudeAccuracy = coords.altitudeAccuracy ?? Self.unknown
    ellipsoidalAltitude = coords.ellipsoidalAltitude
    floor = coords.floor
  }
}
