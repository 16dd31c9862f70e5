/// The meanings of a record's keys, found by a hash of length, first and last byte and one comparison.
final class FieldTable: Sendable {
  static let shared = FieldTable(FieldTable.names)

  /// The object that contains a key.
  enum Place: UInt8 { case root, coords, activity, battery, geofence }

  /// The precedence of a name over others for the same field: the greater one wins, wherever it occurs.
  enum Rank: UInt8 { case alias, flat, nestedAlias, nested }

  /// The meaning of the value of a key.
  enum Meaning {
    case field(RecordField, Rank)
    /// The value is an object with keys of its own. A value of another kind is the field itself, as in `"activity":"still"`.
    case object(Place)
  }

  struct Name {
    let text: StaticString
    let place: Place
    let meaning: Meaning
  }

  private struct Entry {
    let start: UInt16
    let count: UInt8
    let place: Place
    let meaning: Meaning
  }

  private static let slotCount = 256

  private let entries: [Entry]
  private let texts: [UInt8]
  /// Indices into `entries` plus one; 0 is a free slot.
  private let slots: [UInt8]

  private init(_ names: [Name]) {
    var entries: [Entry] = []
    var texts: [UInt8] = []
    var slots = [UInt8](repeating: 0, count: Self.slotCount)
    for name in names {
      let text = Array(name.text.description.utf8)
      entries.append(
        Entry(start: UInt16(texts.count), count: UInt8(text.count), place: name.place, meaning: name.meaning))
      texts += text
      var slot = Self.slot(for: text.span, in: name.place)
      while slots[slot] != 0 { slot = (slot + 1) & (Self.slotCount - 1) }
      slots[slot] = UInt8(entries.count)
    }
    self.entries = entries
    self.texts = texts
    self.slots = slots
  }

  /// Returns nil for a key without meaning.
  func meaning(of name: Span<UInt8>, in place: Place) -> Meaning? {
    guard !name.isEmpty else { return nil }
    var slot = Self.slot(for: name, in: place)
    while slots[slot] != 0 {
      let entry = entries[Int(slots[slot]) - 1]
      if entry.place == place && Int(entry.count) == name.count && isText(at: Int(entry.start), equalTo: name) {
        return entry.meaning
      }
      slot = (slot + 1) & (Self.slotCount - 1)
    }
    return nil
  }

  private func isText(at start: Int, equalTo name: Span<UInt8>) -> Bool {
    for index in name.indices where texts[start + index] != name[index] { return false }
    return true
  }

  private static func slot(for name: Span<UInt8>, in place: Place) -> Int {
    let edges = Int(name[0]) &* 5 &+ Int(name[name.count - 1]) &* 3
    return (edges &+ name.count &* 31 &+ Int(place.rawValue) &* 67) & (slotCount - 1)
  }
}

extension FieldTable {
  /// Every key that a server interprets, with its place.
  static let names: [Name] = objects + nested + flat

  private static let objects: [Name] = [
    Name(text: RecordKey.coords, place: .root, meaning: .object(.coords)),
    // A template may use this name for its coordinates; if it is the root of a body, the envelope has removed it.
    Name(text: EnvelopeKey.location, place: .root, meaning: .object(.coords)),
    Name(text: RecordKey.activity, place: .root, meaning: .object(.activity)),
    Name(text: RecordKey.battery, place: .root, meaning: .object(.battery)),
    Name(text: RecordKey.geofence, place: .root, meaning: .object(.geofence)),
  ]

  private static let nested: [Name] =
    coordinates.flatMap { field, aliases in
      [Name(text: field.key, place: .coords, meaning: .field(field, .nested))]
        + aliases.map { Name(text: $0, place: .coords, meaning: .field(field, .nestedAlias)) }
    } + [
      Name(text: ActivityKey.type, place: .activity, meaning: .field(.activityType, .nested)),
      Name(text: BatteryKey.level, place: .battery, meaning: .field(.batteryLevel, .nested)),
      Name(text: BatteryKey.isCharging, place: .battery, meaning: .field(.isCharging, .nested)),
      Name(text: GeofenceTriggerKey.identifier, place: .geofence, meaning: .field(.geofenceIdentifier, .nested)),
      Name(text: GeofenceTriggerKey.action, place: .geofence, meaning: .field(.geofenceAction, .nested)),
    ]

  private static let flat: [Name] =
    (coordinates + facts).flatMap { field, aliases in
      [Name(text: field.key, place: .root, meaning: .field(field, .flat))]
        + aliases.map { Name(text: $0, place: .root, meaning: .field(field, .alias)) }
    }
    + flattened.flatMap { field, names in
      names.map { Name(text: $0, place: .root, meaning: .field(field, .flat)) }
    }

  private static let coordinates: [(RecordField, [StaticString])] = [
    (.latitude, AliasKey.latitude), (.longitude, AliasKey.longitude), (.accuracy, AliasKey.accuracy), (.speed, []),
    (.heading, AliasKey.heading), (.altitude, AliasKey.altitude),
  ]

  private static let facts: [(RecordField, [StaticString])] = [
    (.uuid, AliasKey.uuid), (.timestamp, AliasKey.timestamp), (.recordedAt, AliasKey.recordedAt),
    (.isMoving, AliasKey.isMoving), (.odometer, []), (.event, []), (.mock, AliasKey.mock),
  ]

  /// Fields that the default schema nests, with their names in a flat record.
  private static let flattened: [(RecordField, [StaticString])] = [
    (.activityType, AliasKey.activityType), (.batteryLevel, AliasKey.batteryLevel),
    (.isCharging, AliasKey.isCharging), (.geofenceIdentifier, AliasKey.geofenceIdentifier),
    (.geofenceAction, AliasKey.geofenceAction),
  ]
}
