package import Base

/// The records of one request, stored all or none. They share one buffer, usually the body of the request.
package struct IngestBatch: Sendable {
  package var device: DeviceIdentity
  package var receivedAt: WallInstant
  /// Verified in the same transaction; nil when the request needs no token.
  package var credential: TokenCredential?
  /// The other values of the request, as a JSON object; empty for none.
  package var parameters: [UInt8]
  package var bytes: [UInt8]
  package var points: [Point]
  package var quarantined: [QuarantinedItem]
  /// The maximum number of commands that are marked as sent and returned with the receipt.
  package var commandLimit: Int

  package init(
    device: DeviceIdentity, receivedAt: WallInstant, credential: TokenCredential? = nil, parameters: [UInt8] = [],
    bytes: [UInt8], points: [Point], quarantined: [QuarantinedItem] = [], commandLimit: Int = 100
  ) {
    self.device = device
    self.receivedAt = receivedAt
    self.credential = credential
    self.parameters = parameters
    self.bytes = bytes
    self.points = points
    self.quarantined = quarantined
    self.commandLimit = commandLimit
  }
}

/// One record to be stored: the values that queries need, and the range of its bytes.
package struct Point: Sendable {
  /// The record's own time in milliseconds since 1970, 0 when it has none. Never the time of arrival: a retry must have the
  /// same key as the first delivery.
  package var recordedAt: Int64
  /// The record's uuid, or a hash of its bytes when it has none.
  package var uuid: UUID128
  /// Degrees; nil when a template left them out.
  package var latitude: Double?
  package var longitude: Double?
  /// Metres.
  package var accuracy: Double?
  /// Metres per second.
  package var speed: Double?
  /// Degrees clockwise from north.
  package var heading: Double?
  package var isMoving: Bool?
  /// Metres. Evaluated on arrival, not stored in a column.
  package var odometer: Double?
  /// The event that made the SDK write the record; nil or empty for plain tracking.
  package var event: String?
  /// The range of the record's JSON in the bytes of the batch.
  package var record: Range<Int>

  package init(
    recordedAt: Int64, uuid: UUID128, latitude: Double? = nil, longitude: Double? = nil, accuracy: Double? = nil,
    speed: Double? = nil, heading: Double? = nil, isMoving: Bool? = nil, odometer: Double? = nil, event: String? = nil,
    record: Range<Int>
  ) {
    self.recordedAt = recordedAt
    self.uuid = uuid
    self.latitude = latitude
    self.longitude = longitude
    self.accuracy = accuracy
    self.speed = speed
    self.heading = heading
    self.isMoving = isMoving
    self.odometer = odometer
    self.event = event
    self.record = record
  }
}

/// An invalid record. It is kept with its reason, and its batch is acknowledged, because a refusal would leave it at the head
/// of the client's queue forever.
package struct QuarantinedItem: Sendable {
  /// A hash of the bytes, so that a retry is recognised.
  package var identity: UUID128
  /// A fixed word for programs.
  package var reason: String
  /// A sentence for people.
  package var detail: String
  /// The range of its bytes in those of the batch.
  package var record: Range<Int>

  package init(identity: UUID128, reason: String, detail: String, record: Range<Int>) {
    self.identity = identity
    self.reason = reason
    self.detail = detail
    self.record = record
  }
}

/// A log file that a device uploaded.
package struct UploadedLog: Sendable {
  package var device: DeviceIdentity
  package var receivedAt: WallInstant
  package var fileName: String
  package var bytes: [UInt8]

  package init(device: DeviceIdentity, receivedAt: WallInstant, fileName: String, bytes: [UInt8]) {
    self.device = device
    self.receivedAt = receivedAt
    self.fileName = fileName
    self.bytes = bytes
  }
}

/// The result of a batch. The three counts add up to the records of the request.
package struct IngestReceipt: Equatable, Sendable {
  package var accepted = 0
  package var duplicate = 0
  package var quarantined = 0
  /// The commands marked as sent in the transaction that stored the batch.
  package var commands: [TakenCommand] = []
  /// Commands of earlier answers that a record of the batch confirms.
  package var confirmed: [Int64] = []

  package init(
    accepted: Int = 0, duplicate: Int = 0, quarantined: Int = 0, commands: [TakenCommand] = [], confirmed: [Int64] = []
  ) {
    self.accepted = accepted
    self.duplicate = duplicate
    self.quarantined = quarantined
    self.commands = commands
    self.confirmed = confirmed
  }
}
