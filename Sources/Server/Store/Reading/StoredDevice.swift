package import Base

/// A stored device.
package struct StoredDevice: Equatable, Sendable {
  /// The newest position by recorded time.
  package struct Position: Equatable, Sendable {
    package var recordedAt: Int64
    package var uuid: UUID128
    package var latitude: Double
    package var longitude: Double
    package var accuracy: Double?
    package var speed: Double?
    package var heading: Double?
    package var isMoving: Bool?
    package var event: String?

    package init(
      recordedAt: Int64, uuid: UUID128, latitude: Double, longitude: Double, accuracy: Double? = nil,
      speed: Double? = nil, heading: Double? = nil, isMoving: Bool? = nil, event: String? = nil
    ) {
      self.recordedAt = recordedAt
      self.uuid = uuid
      self.latitude = latitude
      self.longitude = longitude
      self.accuracy = accuracy
      self.speed = speed
      self.heading = heading
      self.isMoving = isMoving
      self.event = event
    }
  }

  /// Unique and never reused, in the order of first uploads.
  package var id: Int64
  package var identity: DeviceIdentity
  package var firstSeen: Int64
  package var lastSeen: Int64
  package var points: Int64
  package var duplicates: Int64
  package var quarantined: Int64
  package var latest: Position?

  package init(
    id: Int64, identity: DeviceIdentity, firstSeen: Int64, lastSeen: Int64, points: Int64, duplicates: Int64,
    quarantined: Int64, latest: Position? = nil
  ) {
    self.id = id
    self.identity = identity
    self.firstSeen = firstSeen
    self.lastSeen = lastSeen
    self.points = points
    self.duplicates = duplicates
    self.quarantined = quarantined
    self.latest = latest
  }
}

/// A stored run.
package struct StoredRun: Equatable, Sendable {
  package var run: String
  package var devices: Int64
  package var points: Int64
  package var duplicates: Int64
  package var quarantined: Int64
  package var firstSeen: Int64
  package var lastSeen: Int64

  package init(
    run: String, devices: Int64, points: Int64, duplicates: Int64, quarantined: Int64, firstSeen: Int64,
    lastSeen: Int64
  ) {
    self.run = run
    self.devices = devices
    self.points = points
    self.duplicates = duplicates
    self.quarantined = quarantined
    self.firstSeen = firstSeen
    self.lastSeen = lastSeen
  }
}
