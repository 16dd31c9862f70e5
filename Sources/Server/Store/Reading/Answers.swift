package import Base

/// A device as the store knows it.
package struct StoredDevice: Equatable, Sendable {
  /// Its newest position in recorded time.
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

  /// Unique and never given to another device, in the order of their first uploads.
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

/// What the store knows of a run.
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

/// A record as it was kept.
package struct StoredPoint: Equatable, Sendable {
  package var cursor: PointCursor
  package var uuid: UUID128
  /// Milliseconds since 1970, 0 when the record has no time.
  package var recordedAt: Int64
  package var receivedAt: Int64
  package var latitude: Double?
  package var longitude: Double?
  package var accuracy: Double?
  package var speed: Double?
  package var heading: Double?
  package var isMoving: Bool?
  package var event: String?
  /// The record's JSON, byte for byte.
  package var record: [UInt8]
  /// What the request said beside its records; empty for nothing.
  package var parameters: [UInt8]

  package init(
    cursor: PointCursor, uuid: UUID128, recordedAt: Int64, receivedAt: Int64, latitude: Double? = nil,
    longitude: Double? = nil, accuracy: Double? = nil, speed: Double? = nil, heading: Double? = nil,
    isMoving: Bool? = nil, event: String? = nil, record: [UInt8], parameters: [UInt8]
  ) {
    self.cursor = cursor
    self.uuid = uuid
    self.recordedAt = recordedAt
    self.receivedAt = receivedAt
    self.latitude = latitude
    self.longitude = longitude
    self.accuracy = accuracy
    self.speed = speed
    self.heading = heading
    self.isMoving = isMoving
    self.event = event
    self.record = record
    self.parameters = parameters
  }
}

/// A stored record, with what conditions on it look at.
package struct ArrivedRecord: Sendable {
  package var device: DeviceIdentity
  package var key: PointKey
  /// Milliseconds since 1970.
  package var receivedAt: Int64
  package var event: String?
  /// The record's JSON, byte for byte.
  package var record: [UInt8]
  package var cursor: PointCursor

  package init(
    device: DeviceIdentity, key: PointKey, receivedAt: Int64, event: String? = nil, record: [UInt8],
    cursor: PointCursor
  ) {
    self.device = device
    self.key = key
    self.receivedAt = receivedAt
    self.event = event
    self.record = record
    self.cursor = cursor
  }
}

/// A stored record, for reconciliation: its device, its identity, its time.
package struct StoredKey: Equatable, Sendable {
  package var device: DeviceIdentity
  package var key: PointKey

  package init(device: DeviceIdentity, key: PointKey) {
    self.device = device
    self.key = key
  }
}

/// What became of an order at one device.
package struct OrderedCommand: Equatable, Sendable {
  /// How far an order came at a device.
  package enum State: String, Sendable {
    case queued, sent
    /// The device showed that it read the answer that carried it.
    case delivered
    /// A record that the device made later shows what was ordered.
    case confirmed
    case expired

    /// `kept` is the number that the store has of a delivery, nil where there is none.
    package init(kept: Int64?, expires: Int64, now: Int64) {
      self =
        switch kept {
        case DeliveryState.confirmed: .confirmed
        case DeliveryState.delivered: .delivered
        case DeliveryState.sent: .sent
        default: expires <= now ? .expired : .queued
        }
    }
  }

  package var id: Int64
  package var target: QueuedCommand.Target
  package var command: [UInt8]
  package var createdAt: Int64
  package var expiresAt: Int64
  /// The name of the device that fetched it; nil until a device has.
  package var device: String?
  package var state: State
  package var sentAt: Int64?
  package var deliveredAt: Int64?
  package var confirmedAt: Int64?
  package var attempts: Int
  package var cursor: OrderCursor

  package init(
    id: Int64, target: QueuedCommand.Target, command: [UInt8], createdAt: Int64, expiresAt: Int64,
    device: String? = nil, state: State, sentAt: Int64? = nil, deliveredAt: Int64? = nil, confirmedAt: Int64? = nil,
    attempts: Int, cursor: OrderCursor
  ) {
    self.id = id
    self.target = target
    self.command = command
    self.createdAt = createdAt
    self.expiresAt = expiresAt
    self.device = device
    self.state = state
    self.sentAt = sentAt
    self.deliveredAt = deliveredAt
    self.confirmedAt = confirmedAt
    self.attempts = attempts
    self.cursor = cursor
  }
}

/// A record that was put aside.
package struct QuarantinedRecord: Equatable, Sendable {
  package var id: Int64
  package var device: DeviceIdentity
  package var receivedAt: Int64
  package var reason: String
  package var detail: String
  package var record: [UInt8]

  package init(id: Int64, device: DeviceIdentity, receivedAt: Int64, reason: String, detail: String, record: [UInt8]) {
    self.id = id
    self.device = device
    self.receivedAt = receivedAt
    self.reason = reason
    self.detail = detail
    self.record = record
  }
}

/// A device log that was kept.
package struct StoredLog: Equatable, Sendable {
  package var id: Int64
  package var receivedAt: Int64
  package var fileName: String
  package var byteCount: Int

  package init(id: Int64, receivedAt: Int64, fileName: String, byteCount: Int) {
    self.id = id
    self.receivedAt = receivedAt
    self.fileName = fileName
    self.byteCount = byteCount
  }
}

/// The store in numbers.
package struct StoreCounts: Equatable, Sendable {
  package var devices: Int64
  /// Records ever accepted from the devices that are known, those that retention dropped included.
  package var accepted: Int64
  package var duplicates: Int64
  package var quarantined: Int64
  /// Days with a partition of their own, and the one of odd times if it is there.
  package var partitions: Int64
  /// Bytes of the main file that hold data.
  package var usedBytes: Int64

  package init(
    devices: Int64, accepted: Int64, duplicates: Int64, quarantined: Int64, partitions: Int64, usedBytes: Int64
  ) {
    self.devices = devices
    self.accepted = accepted
    self.duplicates = duplicates
    self.quarantined = quarantined
    self.partitions = partitions
    self.usedBytes = usedBytes
  }
}

/// Records that go on next, and how far a sink has come with them.
package struct ForwardPage: Sendable {
  package var records: [ArrivedRecord] = []
  /// Behind the records, and behind rows of devices that were deleted meanwhile.
  package var end: SinkPosition

  package init(records: [ArrivedRecord] = [], end: SinkPosition) {
    self.records = records
    self.end = end
  }
}
