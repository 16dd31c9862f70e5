package import Base

/// One location as the SDK records it. The values of plain tracking are stored inline; those that only some records have are
/// behind one reference, so that copying a record costs at most two reference counts.
package struct LocationRecord: Equatable, Sendable {
  /// The only identity of a record; the same on every retry.
  package let uuid: UUID128
  /// When the operating system got the fix.
  package var timestamp: WallInstant
  /// When the SDK recorded it; v4 records have none.
  package var recordedAt: WallInstant?
  /// Added to `timestamp`, the device's clock when the SDK got the fix; may be negative.
  package var ageMilliseconds: Int64?
  /// The SDK's motion state; in a motionchange record the new one.
  package var isMoving: Bool
  /// Metres.
  package var odometer: Double
  /// Metres; v4 records have none.
  package var odometerError: Double?
  package var event: RecordEvent?
  package var coords: Coordinates
  package var activity: Activity
  package var battery: Battery
  /// The extras of the configuration and of the request, merged at record time.
  package var extras = RenderedObject.empty
  package var isMock = false
  /// For callbacks only: a sample is never persisted or uploaded.
  package var isSample = false
  private var rare: RareParts?

  package init(
    uuid: UUID128, timestamp: WallInstant, isMoving: Bool, odometer: Double, coords: Coordinates, activity: Activity,
    battery: Battery
  ) {
    self.uuid = uuid
    self.timestamp = timestamp
    self.isMoving = isMoving
    self.odometer = odometer
    self.coords = coords
    self.activity = activity
    self.battery = battery
  }

  /// Only in geofence records.
  package var geofence: GeofenceTrigger? {
    get { rare?.geofence }
    set { rare = RareParts(newValue, provider, timestampMeta, activities) }
  }

  /// Only in providerchange records.
  package var provider: ProviderState? {
    get { rare?.provider }
    set { rare = RareParts(geofence, newValue, timestampMeta, activities) }
  }

  /// Only if the configuration asks for it.
  package var timestampMeta: TimestampMeta? {
    get { rare?.timestampMeta }
    set { rare = RareParts(geofence, provider, newValue, activities) }
  }

  /// All activities that the sensors consider, as newer natives add them; empty when the device has none.
  package var activities: [Activity] {
    get { rare?.activities ?? [] }
    set { rare = RareParts(geofence, provider, timestampMeta, newValue) }
  }

  /// The values that plain tracking does not have.
  private final class RareParts: Equatable, Sendable {
    let geofence: GeofenceTrigger?
    let provider: ProviderState?
    let timestampMeta: TimestampMeta?
    let activities: [Activity]

    /// Returns nil when all values are absent.
    init?(
      _ geofence: GeofenceTrigger?, _ provider: ProviderState?, _ timestampMeta: TimestampMeta?,
      _ activities: [Activity]
    ) {
      if geofence == nil && provider == nil && timestampMeta == nil && activities.isEmpty { return nil }
      self.geofence = geofence
      self.provider = provider
      self.timestampMeta = timestampMeta
      self.activities = activities
    }

    static func == (left: RareParts, right: RareParts) -> Bool {
      left.geofence == right.geofence && left.provider == right.provider && left.timestampMeta == right.timestampMeta
        && left.activities == right.activities
    }
  }
}

/// The `coords` of a record. Nil means that the value is unknown; most of these are -1 on the wire.
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

  /// Latitude and longitude that are not finite are a programming error: a fix without a position is not a fix.
  package init(latitude: Double, longitude: Double) {
    precondition(latitude.isFinite && longitude.isFinite, "coordinates must be finite")
    self.latitude = latitude
    self.longitude = longitude
  }
}

extension Coordinates {
  /// The position; nil when it is not on earth.
  package var place: Coordinate? { Coordinate(latitude: latitude, longitude: longitude) }
}

/// An activity and the confidence of the sensors.
package struct Activity: Equatable, Sendable {
  package var type: ActivityType
  /// Percent, 0 to 100.
  package var confidence: Int

  package init(_ type: ActivityType, confidence: Int) {
    self.type = type
    self.confidence = confidence
  }
}

/// The user's activity according to the motion sensors.
package enum ActivityType: Equatable, Sendable {
  case still, walking, onFoot, running, onBicycle, inVehicle, unknown
  /// A name that this version does not know, unchanged.
  case other(String)

  /// The name on the wire.
  package var name: String {
    switch self {
    case .still: "still"
    case .walking: "walking"
    case .onFoot: "on_foot"
    case .running: "running"
    case .onBicycle: "on_bicycle"
    case .inVehicle: "in_vehicle"
    case .unknown: "unknown"
    case .other(let name): name
    }
  }

  package init(name: String) {
    switch name {
    case "still": self = .still
    case "walking": self = .walking
    case "on_foot": self = .onFoot
    case "running": self = .running
    case "on_bicycle": self = .onBicycle
    case "in_vehicle": self = .inVehicle
    case "unknown": self = .unknown
    default: self = .other(name)
    }
  }
}

/// The state of the device's battery.
package struct Battery: Equatable, Sendable {
  /// 0 to 1; nil when unknown (as in the iOS simulator), which is -1 on the wire.
  package var level: Double?
  package var isCharging: Bool

  package init(level: Double?, isCharging: Bool) {
    self.level = level
    self.isCharging = isCharging
  }
}

/// The `geofence` of a record that a geofence transition produced.
package struct GeofenceTrigger: Equatable, Sendable {
  /// The crossing of the boundary.
  package enum Action: String, Sendable {
    case enter = "ENTER"
    case exit = "EXIT"
    case dwell = "DWELL"
  }

  package let identifier: String
  package let action: Action
  package let timestamp: WallInstant
  /// The extras of the geofence itself.
  package let extras: RenderedObject

  package init(identifier: String, action: Action, timestamp: WallInstant, extras: RenderedObject = .empty) {
    self.identifier = identifier
    self.action = action
    self.timestamp = timestamp
    self.extras = extras
  }
}

/// The `provider` of a record: the permissions and sources of locations.
package struct ProviderState: Equatable, Sendable {
  package let isEnabled: Bool
  /// The SDK's AuthorizationStatus: 0 not determined, 1 restricted, 2 denied, 3 always, 4 when in use, 5 denied for good.
  package let authorizationStatus: Int
  package let hasGPS: Bool
  package let hasNetwork: Bool
  /// 0 full, 1 reduced.
  package let accuracyAuthorization: Int

  package init(
    isEnabled: Bool, authorizationStatus: Int, hasGPS: Bool, hasNetwork: Bool, accuracyAuthorization: Int
  ) {
    self.isEnabled = isEnabled
    self.authorizationStatus = authorizationStatus
    self.hasGPS = hasGPS
    self.hasNetwork = hasNetwork
    self.accuracyAuthorization = accuracyAuthorization
  }
}

/// The SDK event that produced a record; plain tracking and single requests have none.
package enum RecordEvent: Equatable, Sendable {
  case motionchange, geofence, providerchange
  /// Documented for the wire although the SDK does not store heartbeats; a server accepts it.
  case heartbeat
  /// A name that this version does not know, unchanged.
  case other(String)

  /// The name on the wire.
  package var name: String {
    switch self {
    case .motionchange: "motionchange"
    case .geofence: "geofence"
    case .providerchange: "providerchange"
    case .heartbeat: "heartbeat"
    case .other(let name): name
    }
  }

  package init(name: String) {
    switch name {
    case "motionchange": self = .motionchange
    case "geofence": self = .geofence
    case "providerchange": self = .providerchange
    case "heartbeat": self = .heartbeat
    default: self = .other(name)
    }
  }
}

/// The clocks of a timestamp, to find out which of them is wrong.
package struct TimestampMeta: Equatable, Sendable {
  /// The time of the fix.
  package let time: WallInstant
  /// The device's clock when the fix arrived.
  package let systemTime: WallInstant
  /// Milliseconds since boot when the fix arrived.
  package let systemElapsedMilliseconds: Int64
  /// Milliseconds since boot at the fix; written in the Android style only.
  package let fixElapsedMilliseconds: Int64

  package init(
    time: WallInstant, systemTime: WallInstant, systemElapsedMilliseconds: Int64, fixElapsedMilliseconds: Int64
  ) {
    self.time = time
    self.systemTime = systemTime
    self.systemElapsedMilliseconds = systemElapsedMilliseconds
    self.fixElapsedMilliseconds = fixElapsedMilliseconds
  }
}
