package import Base

/// One location as the SDK records it. What plain tracking produces lies in the value itself; what only some records
/// have lies behind one reference, so that copying a record costs two reference counts at most.
package struct LocationRecord: Equatable, Sendable {
  /// The only identity of a record; the same on every retry.
  package let uuid: UUID128
  /// When the operating system got the fix.
  package var timestamp: WallInstant
  /// When the SDK recorded it; v4 does not say.
  package var recordedAt: WallInstant?
  /// `timestamp` plus this is the device's clock when the SDK got the fix; may be negative.
  package var ageMilliseconds: Int64?
  /// The SDK's motion state; in a motionchange record the new one.
  package var isMoving: Bool
  /// Metres.
  package var odometer: Double
  /// Metres; v4 does not say.
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

  /// Only when the configuration asks for it.
  package var timestampMeta: TimestampMeta? {
    get { rare?.timestampMeta }
    set { rare = RareParts(geofence, provider, newValue, activities) }
  }

  /// All activities the sensors consider, as newer natives add them; empty when the device does not say.
  package var activities: [Activity] {
    get { rare?.activities ?? [] }
    set { rare = RareParts(geofence, provider, timestampMeta, newValue) }
  }

  /// What plain tracking does not have.
  private final class RareParts: Equatable, Sendable {
    let geofence: GeofenceTrigger?
    let provider: ProviderState?
    let timestampMeta: TimestampMeta?
    let activities: [Activity]

    /// Nil when there is nothing to hold.
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
