/// What the keys of a record mean, found by a hash of length, first and last byte and one comparison.
struct FieldTable: Sendable {
  static let shared = FieldTable()

  /// The object in which a key stands.
  enum Place: UInt8 { case root, coords, activity, battery, geofence }

  /// How much a name counts against others for the same field: the greater one wins, wherever it stands.
  enum Rank: UInt64 { case alias, flat, nestedAlias, nested }

  /// What a key says about the value behind it.
  enum Meaning {
    case field(RecordField, Rank)
    /// The value is an object with keys of its own. If it is none it stands for a field itself, as in
    /// `"activity":"still"`.
    case object(Place)
  }

  private struct Entry {
    let place: Place
    let meaning: Meaning
    let name: Range<Int>
  }

  private static let slotCount = 256

  private var entries: [Entry] = []
  private var names: [UInt8] = []
  /// Indices into `entries` plus one; 0 is a free slot.
  private var slots = [UInt8](repeating: 0, count: slotCount)

  private init() {
    addObjects()
    addNested()
    addFlat()
  }

  /// Nil for a key of no interest.
  func meaning(of name: Span<UInt8>, in place: Place) -> Meaning? {
    guard !name.isEmpty else { return nil }
    var slot = Self.slot(for: name, in: place)
    while slots[slot] != 0 {
      let entry = entries[Int(slots[slot]) - 1]
      if entry.place == place && equals(entry.name, name) { return entry.meaning }
      slot = (slot + 1) % Self.slotCount
    }
    return nil
  }

  private func equals(_ range: Range<Int>, _ name: Span<UInt8>) -> Bool {
    guard range.count == name.count else { return false }
    for index in name.indices where names[range.lowerBound + index] != name[index] { return false }
    return true
  }

  private static func slot(for name: Span<UInt8>, in place: Place) -> Int {
    let edges = Int(name[0]) &* 5 &+ Int(name[name.count - 1]) &* 3
    return (edges &+ name.count &* 31 &+ Int(place.rawValue) &* 67) % slotCount
  }

  private mutating func add(_ name: StaticString, in place: Place, _ meaning: Meaning) {
    let bytes = Array(name.description.utf8)
    entries.append(Entry(place: place, meaning: meaning, name: names.count..<names.count + bytes.count))
    names += bytes
    var slot = Self.slot(for: bytes.span, in: place)
    while slots[slot] != 0 { slot = (slot + 1) % Self.slotCount }
    slots[slot] = UInt8(entries.count)
  }

  private mutating func addObjects() {
    add(RecordKey.coords, in: .root, .object(.coords))
    // A template may call its coordinates so; where it is the root of a body, the envelope has taken it away.
    add(EnvelopeKey.location, in: .root, .object(.coords))
    add(RecordKey.activity, in: .root, .object(.activity))
    add(RecordKey.battery, in: .root, .object(.battery))
    add(RecordKey.geofence, in: .root, .object(.geofence))
  }

  private mutating func addNested() {
    for (field, aliases) in Self.coordinates {
      add(field.key, in: .coords, .field(field, .nested))
      for alias in aliases { add(alias, in: .coords, .field(field, .nestedAlias)) }
    }
    add(ActivityKey.type, in: .activity, .field(.activityType, .nested))
    add(BatteryKey.level, in: .battery, .field(.batteryLevel, .nested))
    add(BatteryKey.isCharging, in: .battery, .field(.isCharging, .nested))
    add(GeofenceTriggerKey.identifier, in: .geofence, .field(.geofenceIdentifier, .nested))
    add(GeofenceTriggerKey.action, in: .geofence, .field(.geofenceAction, .nested))
  }

  private mutating func addFlat() {
    for (field, aliases) in Self.coordinates + Self.facts {
      add(field.key, in: .root, .field(field, .flat))
      for alias in aliases { add(alias, in: .root, .field(field, .alias)) }
    }
    for (field, aliases) in Self.flattened {
      for alias in aliases { add(alias, in: .root, .field(field, .flat)) }
    }
  }

  private static let coordinates: [(RecordField, [StaticString])] = [
    (.latitude, AliasKey.latitude), (.longitude, AliasKey.longitude), (.accuracy, AliasKey.accuracy), (.speed, []),
    (.heading, AliasKey.heading), (.altitude, AliasKey.altitude),
  ]

  private static let facts: [(RecordField, [StaticString])] = [
    (.uuid, AliasKey.uuid), (.timestamp, AliasKey.timestamp), (.recordedAt, AliasKey.recordedAt),
    (.isMoving, AliasKey.isMoving), (.odometer, []), (.event, []), (.mock, AliasKey.mock),
  ]

  /// Fields that the default schema nests, under the names they have in a flat record.
  private static let flattened: [(RecordField, [StaticString])] = [
    (.activityType, AliasKey.activityType), (.batteryLevel, AliasKey.batteryLevel),
    (.isCharging, AliasKey.isCharging), (.geofenceIdentifier, AliasKey.geofenceIdentifier),
    (.geofenceAction, AliasKey.geofenceAction),
  ]
}
