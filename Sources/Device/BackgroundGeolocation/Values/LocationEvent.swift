import Base
import Contract
public import FoundationEssentials
import JSON

/// A location as the SDK records it and hands it to its listeners.
public struct LocationEvent: Sendable {
  /// Where, how exact, how fast.
  public typealias Coords = BackgroundGeolocation.Coords
  /// What the user was doing.
  public typealias Activity = BackgroundGeolocation.Activity
  /// The state of the battery.
  public typealias Battery = BackgroundGeolocation.Battery

  /// When the receiver computed the position.
  public let timestamp: Date?
  /// When the SDK recorded it; nil in versions that do not say.
  public let recordedAt: Date?
  /// The only identity of the record; the same in every upload of it.
  public let uuid: String?
  /// Milliseconds from `timestamp` to the device's clock when the SDK got the position; negative when a clock is wrong.
  public let age: Int?
  /// The motion state of the SDK; in a location with the event `motionchange` the new one.
  public let isMoving: Bool
  /// Metres travelled since the odometer was set.
  public let odometer: Double?
  /// Metres by which the odometer may be wrong.
  public let odometerError: Double?
  /// What produced the record: `motionchange`, `geofence`, `providerchange` or `heartbeat`; nil for plain tracking and
  /// for positions that the app asked for.
  public let event: String?
  /// Where, how exact, how fast.
  public let coords: Coords?
  /// What the user was doing.
  public let activity: Activity?
  /// The state of the battery.
  public let battery: Battery?
  /// The crossing, in a location with the event `geofence`.
  public let geofence: GeofenceTrigger?
  /// True for positions of a test tool; nil for real ones.
  public let mock: Bool?
  /// Taken on the way to a better one: goes to listeners only, is not stored and not uploaded.
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

  /// The configured extras and those of the request, as they stand in the record; nil when there are none.
  public var extras: [String: Any]? { record.extras.dictionary }

  /// The record as it is uploaded when no template is configured.
  public var data: [String: Any] {
    var bytes: [UInt8] = []
    var encoder = RecordEncoder(style: style)
    encoder.append(record, to: &bytes)
    return JSONObject(parsing: bytes)?.recordDictionary ?? [:]
  }

  /// The position alone.
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

/// What the user was doing when a location was recorded.
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
  /// 0 to 1; -1 when the device does not say.
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

  /// To the millisecond; dates beyond the years 1 to 9999 become the nearest of them.
  var wallInstant: WallInstant {
    let milliseconds = (timeIntervalSince1970 * 1_000).rounded()
    let earliest = Double(WallInstant.earliest.millisecondsSince1970)
    let latest = Double(WallInstant.latest.millisecondsSince1970)
    guard milliseconds >= earliest else { return .earliest }
    return milliseconds > latest ? .latest : WallInstant(millisecondsSince1970: Int64(milliseconds))
  }

  var iso8601Text: String { wallInstant.iso8601Text }
}
