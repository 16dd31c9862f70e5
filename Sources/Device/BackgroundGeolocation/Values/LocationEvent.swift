import Base
import Contract
public import FoundationEssentials
import JSON

/// A location as the SDK records it and delivers it to listeners.
public struct LocationEvent: Sendable {
  /// The position, its accuracy and the speed.
  public typealias Coords = BackgroundGeolocation.Coords
  /// The activity of the user.
  public typealias Activity = BackgroundGeolocation.Activity
  /// The state of the battery.
  public typealias Battery = BackgroundGeolocation.Battery

  /// The time at which the receiver computed the position.
  public let timestamp: Date?
  /// The time at which the SDK recorded it; nil in versions that do not report it.
  public let recordedAt: Date?
  /// The unique identity of the record; the same in every upload of it.
  public let uuid: String?
  /// The milliseconds from `timestamp` to the device's clock when the SDK got the position; negative when a clock is wrong.
  public let age: Int?
  /// The motion state; with the event `motionchange`, the new one.
  public let isMoving: Bool
  /// Metres travelled since the odometer was set.
  public let odometer: Double?
  /// The possible error of the odometer in metres.
  public let odometerError: Double?
  /// The cause of the record: `motionchange`, `geofence`, `providerchange` or `heartbeat`; nil for plain tracking and
  /// for requested positions.
  public let event: String?
  /// The position, its accuracy and the speed.
  public let coords: Coords?
  /// The activity of the user.
  public let activity: Activity?
  /// The state of the battery.
  public let battery: Battery?
  /// The crossing, with the event `geofence`.
  public let geofence: GeofenceTrigger?
  /// True for positions of a test tool; otherwise nil.
  public let mock: Bool?
  /// Whether it is an intermediate sample, which is delivered to listeners only, neither stored nor uploaded.
  public let sample: Bool

  private let record: LocationRecord
  private let style: RecordStyle

  init(_ record: LocationRecord, style: RecordStyle) {
    self.record = record
    self.style = style
    timestamp = Date(record.timestamp)
    recordedAt = record.recordedAt.map { Date($0) }
    uuid = style.text(of: record.uuid)
    age = record.ageMilliseconds.map { Int($0) }
    isMoving = record.isMoving
    odometer = record.odometer
    odometerError = record.odometerError
    event = record.event?.name
    coords = Coords(record.coords)
    activity = Activity(record.activity)
    battery = Battery(record.battery)
    geofence = record.geofence.map { GeofenceTrigger($0) }
    mock = record.isMock ? true : nil
    sample = record.isSample
  }

  /// The configured extras and those of the request, as in the record; nil when there are none.
  public var extras: [String: Any]? { record.extras.dictionary }

  /// The record in the form in which it is uploaded without a template.
  public var data: [String: Any] {
    var bytes: [UInt8] = []
    var encoder = RecordEncoder(style: style)
    encoder.append(record, to: &bytes)
    return JSONObject(parsing: bytes)?.recordDictionary ?? [:]
  }

  /// The position.
  public var location: CLLocation {
    let coords = record.coords
    return CLLocation(
      coordinate: CLLocationCoordinate2D(latitude: coords.latitude, longitude: coords.longitude),
      altitude: coords.altitude ?? 0, horizontalAccuracy: coords.accuracy ?? -1,
      verticalAccuracy: coords.altitudeAccuracy ?? -1, course: coords.heading ?? -1,
      courseAccuracy: coords.headingAccuracy ?? -1, speed: coords.speed ?? -1,
      speedAccuracy: coords.speedAccuracy ?? -1, ellipsoidalAltitude: coords.ellipsoidalAltitude,
      timestamp: Date(record.timestamp))
  }

  /// `timestamp` in ISO 8601, to the millisecond, in UTC.
  public var timestampString: String { Date(record.timestamp).iso8601Text }
}

extension LocationEvent: CustomStringConvertible {
  /// The record as JSON.
  public var description: String {
    var bytes: [UInt8] = []
    var encoder = RecordEncoder(style: style)
    encoder.append(record, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// The position of a location, its accuracy and the motion of the device. As on the wire, -1 means unknown.
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

/// The activity of the user when a location was recorded.
public struct Activity: Hashable, Sendable {
  /// `still`, `on_foot`, `walking`, `running`, `on_bicycle`, `in_vehicle` or `unknown`.
  public let type: String?
  /// Percent, 0 to 100.
  public let confidence: Int?

  init(_ activity: Contract.Activity) {
    type = activity.type.name
    confidence = activity.confidence
  }
}

/// The battery when a location was recorded.
public struct Battery: Hashable, Sendable {
  /// 0 to 1; -1 when unknown.
  public let level: Double?
  /// Whether the phone is plugged in.
  public let isCharging: Bool?

  init(_ battery: Contract.Battery) {
    level = battery.level ?? -1
    isCharging = battery.isCharging
  }
}

extension Date {
  init(_ instant: WallInstant) {
    self.init(timeIntervalSince1970: Double(instant.millisecondsSince1970) / 1_000)
  }

  /// The instant in milliseconds; dates outside the years 1 to 9999 are clamped.
  var wallInstant: WallInstant {
    let milliseconds = (timeIntervalSince1970 * 1_000).rounded()
    let earliest = Double(WallInstant.earliest.millisecondsSince1970)
    let latest = Double(WallInstant.latest.millisecondsSince1970)
    guard milliseconds >= earliest else { return .earliest }
    return milliseconds > latest ? .latest : WallInstant(millisecondsSince1970: Int64(milliseconds))
  }

  var iso8601Text: String { wallInstant.iso8601Text }
}
