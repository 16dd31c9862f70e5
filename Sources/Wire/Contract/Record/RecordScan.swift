import Base
import JSON

/// One pass over one record.
struct RecordScan: ~Escapable {
  private let bytes: Span<UInt8>
  private let table: FieldTable
  var reader: JSONReader
  private var record = DecodedRecord()
  /// Two bits for each field: the rank of the name that gave its value.
  private var ranks: UInt64 = 0
  /// For the few keys and texts that contain escapes.
  private var unescaped: [UInt8] = []

  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>, table: FieldTable) {
    self.bytes = bytes
    self.table = table
    reader = JSONReader(bytes)
  }

  mutating func kind() throws(JSONError) -> JSONKind { try reader.peek() }

  mutating func readObject(in place: FieldTable.Place) throws(JSONError) {
    try reader.enterObject()
    while let key = try reader.nextKey() {
      switch meaning(of: key, in: place) {
      case .field(let field, let rank): try readValue(of: field, rank)
      case .object(let inner): try readInner(inner)
      case nil: _ = try reader.skipValue()
      }
    }
  }

  /// The record, or what is wrong with its coordinates.
  func result() throws(RecordProblem) -> DecodedRecord {
    try check(.latitude, record.latitude, limit: 90)
    try check(.longitude, record.longitude, limit: 180)
    return record
  }

  private func check(_ field: RecordField, _ degrees: Double, limit: Double) throws(RecordProblem) {
    if record.unreadable.contains(field) { throw RecordProblem(.unreadableCoordinate, field) }
    if degrees.isNaN { throw RecordProblem(.missingCoordinate, field) }
    if degrees.magnitude > limit { throw RecordProblem(.coordinateOutOfRange, field) }
  }

  private mutating func meaning(of key: JSONText, in place: FieldTable.Place) -> FieldTable.Meaning? {
    if key.isPlain { return table.meaning(of: bytes.extracting(key.range), in: place) }
    unescape(key)
    return table.meaning(of: unescaped.span, in: place)
  }

  private mutating func unescape(_ text: JSONText) {
    unescaped.removeAll(keepingCapacity: true)
    reader.append(text, to: &unescaped)
  }

  /// The value of a key whose value is an object in the default schema; a flat record gives the one fact itself.
  private mutating func readInner(_ place: FieldTable.Place) throws(JSONError) {
    if case .object = try reader.peek() { return try readObject(in: place) }
    switch place {
    case .activity: try readValue(of: .activityType, .flat)
    case .battery: try readValue(of: .batteryLevel, .flat)
    case .geofence: try readValue(of: .geofenceIdentifier, .flat)
    case .root, .coords: _ = try reader.skipValue()
    }
  }

  mutating func readValue(of field: RecordField, _ rank: FieldTable.Rank) throws(JSONError) {
    let shift = UInt64(field.rawValue) * 2
    guard UInt64(rank.rawValue) >= ranks >> shift & 3 else {
      _ = try reader.skipValue()
      return
    }
    let isRead: Bool
    switch try reader.peek() {
    case .null: return try reader.readNull()
    case .number: isRead = take(try reader.readNumber(), as: field, rank)
    case .true, .false: isRead = take(try reader.readBool(), as: field)
    case .string:
      let text = try reader.readText()
      if text.range.isEmpty { return }
      isRead = take(text, as: field, rank)
    case .object, .array:
      _ = try reader.skipValue()
      isRead = false
    }
    ranks = ranks & ~(3 << shift) | UInt64(rank.rawValue) << shift
    if isRead { record.unreadable.remove(field) } else { record.unreadable.insert(field) }
  }

  private mutating func take(_ number: JSONNumber, as field: RecordField, _ rank: FieldTable.Rank) -> Bool {
    switch field {
    case .uuid:
      if rank == .alias { return true }
      record.uuid = nil
      record.foreignIdentity = number.range
      return true
    case .event, .activityType, .geofenceIdentifier, .geofenceAction:
      unescaped.removeAll(keepingCapacity: true)
      reader.append(rawValue: number.range, to: &unescaped)
      return take(name: String(decoding: unescaped, as: UTF8.self), as: field)
    case .isMoving, .mock, .isCharging:
      let value = reader.double(number)
      return (value == 0 || value == 1) && take(value == 1, as: field)
    case .timestamp, .recordedAt: return take(LenientText.instant(reader.double(number)), as: field)
    case .latitude, .longitude, .accuracy, .speed, .heading, .altitude, .odometer, .batteryLevel:
      return take(reader.double(number), as: field)
    }
  }

  private mutating func take(_ flag: Bool, as field: RecordField) -> Bool {
    switch field {
    case .isMoving: record.isMoving = flag
    case .mock: record.isMock = flag
    case .isCharging: record.isCharging = flag
    default: return false
    }
    return true
  }

  private mutating func take(_ text: JSONText, as field: RecordField, _ rank: FieldTable.Rank) -> Bool {
    switch field {
    case .event, .activityType, .geofenceIdentifier, .geofenceAction: return take(name: reader.string(text), as: field)
    case .uuid, .timestamp, .recordedAt, .isMoving, .mock, .isCharging, .latitude, .longitude, .accuracy, .speed,
      .heading, .altitude, .odometer, .batteryLevel:
      if text.isPlain { return take(bytes.extracting(text.range), at: text.range, as: field, rank) }
      unescape(text)
      let copy = unescaped
      return take(copy.span, at: text.range, as: field, rank)
    }
  }

  private mutating func take(name: String, as field: RecordField) -> Bool {
    switch field {
    case .event: record.event = RecordEvent(name: name)
    case .activityType: record.activityType = ActivityType(name: name)
    case .geofenceIdentifier: record.geofenceIdentifier = name
    case .geofenceAction: record.geofenceAction = name
    default: return false
    }
    return true
  }

  /// Text without escapes for what is no text in the default schema.
  private mutating func take(
    _ text: Span<UInt8>, at range: Range<Int>, as field: RecordField, _ rank: FieldTable.Rank
  ) -> Bool {
    switch field {
    case .uuid:
      if let uuid = UUID128(text: text) {
        record.uuid = uuid
        record.foreignIdentity = nil
      } else if rank != .alias {
        record.uuid = nil
        record.foreignIdentity = range
      }
      return true
    case .timestamp, .recordedAt: return take(LenientText.instant(text), as: field)
    case .isMoving, .mock, .isCharging: return LenientText.bool(text).map { take($0, as: field) } ?? false
    default: return LenientText.double(text).map { take($0, as: field) } ?? false
    }
  }

  private mutating func take(_ instant: WallInstant?, as field: RecordField) -> Bool {
    if field == .timestamp { record.timestamp = instant } else { record.recordedAt = instant }
    return instant != nil
  }

  private mutating func take(_ number: Double, as field: RecordField) -> Bool {
    switch field {
    case .latitude: record.latitude = number
    case .longitude: record.longitude = number
    case .altitude: record.altitude = number
    case .odometer: record.odometer = number
    case .accuracy: record.accuracy = number < 0 ? nil : number
    case .speed: record.speed = number < 0 ? nil : number
    case .heading: record.heading = number < 0 ? nil : number
    case .batteryLevel: record.batteryLevel = number < 0 ? nil : number
    default: return false
    }
    return true
  }
}
