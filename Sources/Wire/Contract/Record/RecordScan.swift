import Base
import JSON

/// One pass over a record.
struct RecordScan: ~Escapable {
  private let bytes: Span<UInt8>
  private let table: FieldTable
  var reader: JSONReader
  private var record = DecodedRecord()
  /// Two bits for each field: the rank of the name that its value came from.
  private var ranks: UInt64 = 0
  /// Whether it has `location`, which may be the record itself, or its name for `coords`.
  private(set) var hasLocation = false
  /// A buffer for the few keys and texts with escapes.
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
      case .object(let inner):
        if inner == .coords, !reader.equals(key, RecordKey.coords) { hasLocation = true }
        try readInner(inner)
      case nil: _ = try reader.skipValue()
      }
    }
  }

  /// Returns the record, or the error of its coordinates.
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

  /// Reads a value that is an object in the default schema; in a flat record it is the field itself.
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

  /// Takes a text without escapes for a field that is not a text in the default schema.
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

extension RecordScan {
  /// Returns the template that made the record: an object has all of its keys, an array as many elements and at most an object
  /// with the extras after them. Nil when none did; the record may still use the default schema, for events without a template.
  func template(among schemas: [TemplateSchema]) throws(JSONError) -> TemplateSchema? {
    var best: TemplateSchema?
    for schema in schemas where schema.count > best?.count ?? 0 {
      let isMade =
        switch schema.root {
        case .object(let members): try hasKeys(members)
        case .array(let elements): try hasLength(elements.count)
        case .field, .ignored: false
        }
      if isMade { best = schema }
    }
    return best
  }

  private func hasKeys(_ members: [TemplateSchema.Member]) throws(JSONError) -> Bool {
    var ahead = reader
    guard case .object = try ahead.peek() else { return false }
    var found = [Bool](repeating: false, count: members.count)
    try ahead.enterObject()
    while let key = try ahead.nextKey() {
      if let index = members.firstIndex(where: { isKey(key, $0.name) }) { found[index] = true }
      _ = try ahead.skipValue()
    }
    return !found.contains(false)
  }

  private func hasLength(_ count: Int) throws(JSONError) -> Bool {
    var ahead = reader
    guard case .array = try ahead.peek() else { return false }
    var found = 0
    var endsWithObject = false
    try ahead.enterArray()
    while try ahead.nextElement() {
      if case .object = try ahead.peek() { endsWithObject = true } else { endsWithObject = false }
      _ = try ahead.skipValue()
      found += 1
    }
    return found == count || found == count + 1 && endsWithObject
  }

  /// Reads the next value, which the template has put there.
  mutating func read(_ node: TemplateSchema.Node) throws(JSONError) {
    switch (node, try reader.peek()) {
    case (.field(let field), _): try readValue(of: field, .nested)
    case (.object(let members), .object):
      try reader.enterObject()
      while let key = try reader.nextKey() {
        if let member = members.first(where: { isKey(key, $0.name) }) {
          try read(member.node)
        } else {
          _ = try reader.skipValue()
        }
      }
    case (.array(let elements), .array):
      var index = 0
      try reader.enterArray()
      while try reader.nextElement() {
        if index < elements.count { try read(elements[index]) } else { _ = try reader.skipValue() }
        index += 1
      }
    default: _ = try reader.skipValue()
    }
  }

  private func isKey(_ key: JSONText, _ name: [UInt8]) -> Bool { reader.equals(key, name.span) }
}

/// Reads values that a template has quoted, or that a client writes in its own way.
enum LenientText {
  /// Reads a number in the grammar of JSON, with optional white space around it.
  static func double(_ text: Span<UInt8>) -> Double? {
    var reader = JSONReader(text)
    do {
      let number = try reader.readNumber()
      return reader.isAtEnd() ? reader.double(number) : nil
    } catch { return nil }
  }

  /// Reads `true`, `false`, `1` or `0`, ignoring case.
  static func bool(_ text: Span<UInt8>) -> Bool? {
    if equals(text, "true") || equals(text, "1") { return true }
    if equals(text, "false") || equals(text, "0") { return false }
    return nil
  }

  /// Reads a time in ISO-8601, or a number of time units since 1970.
  static func instant(_ text: Span<UInt8>) -> WallInstant? {
    WallInstant(iso8601: text) ?? double(text).flatMap(instant)
  }

  /// Reads a number of seconds, milliseconds or microseconds since 1970, distinguished by its size: below 10^11 it is seconds
  /// (to the year 5138), below 10^14 milliseconds (from March 1973), below 10^17 microseconds (from March 1973). Nil for
  /// anything larger.
  static func instant(_ number: Double) -> WallInstant? {
    let milliseconds: Double
    switch number.magnitude {
    case ..<1e11: milliseconds = (number * 1_000).rounded()
    case ..<1e14: milliseconds = number.rounded(.down)
    case ..<1e17: milliseconds = (number / 1_000).rounded(.down)
    default: return nil
    }
    return WallInstant(exactly: Int64(milliseconds))
  }

  private static func equals(_ text: Span<UInt8>, _ word: StaticString) -> Bool {
    guard text.count == word.utf8CodeUnitCount else { return false }
    var index = 0
    for byte in word.description.utf8 {
      if text[index] | 0x20 != byte { return false }
      index += 1
    }
    return true
  }
}
