package import Base
package import Scenario

/// An entry of a backend's store.
package struct StoredRecord: Sendable {
  package let uuid: UUID128?
  package let entry: StoredValue
  private let fields: [Named<[JSONStep]>]

  /// `fields` says where in the entry some of the record's fields stand.
  package init(_ entry: StoredValue, fields: [Named<[JSONStep]>]) {
    self.entry = entry
    self.fields = fields
    let text = StoredRecord.value("uuid", of: entry, fields)?.string
    uuid = text.flatMap { UUID128(text: Array($0.utf8).span) }
  }

  /// Places in an entry under which stores keep whole records, or what came around them.
  private static let boxes = ["record", "location", "data", "payload", "raw", "json", "body", "point", "properties"]
  /// Under which other names a field is kept.
  private static let otherNames: [String: [String]] = [
    "uuid": ["id", "location_id", "record_id", "guid"],
    "timestamp": ["time", "recorded_at", "recordedAt", "ts", "t", "at", "timestamp_ms", "recorded_ms"],
    "coords.latitude": ["latitude", "lat"],
    "coords.longitude": ["longitude", "lon", "lng", "long"],
    "coords.accuracy": ["accuracy", "acc"], "coords.speed": ["speed"], "coords.heading": ["heading", "course"],
    "coords.altitude": ["altitude", "alt"],
    "is_moving": ["isMoving", "moving"],
    "battery.level": ["battery_level", "batteryLevel"],
    "activity.type": ["activity_type", "activityType", "activity"],
    "geofence": ["geofence_json"], "extras": ["extras_json"], "params": ["params_json"],
  ]

  /// What the store has of a field, by the record's own name for it, `coords.latitude`; nil when it shows none.
  package func value(_ name: String) -> StoredValue? { StoredRecord.value(name, of: entry, fields) }

  private static func value(
    _ name: String, of entry: StoredValue, _ fields: [Named<[JSONStep]>]
  ) -> StoredValue? {
    if let place = fields.first(where: { $0.name == name }) {
      return entry.values(along: place.value[...]).first?.opened
    }
    // `extras.a` follows what is said of `extras`.
    if let dot = name.firstIndex(of: "."), let place = fields.first(where: { $0.name == name[..<dot] }) {
      let inner = String(name[name.index(after: dot)...])
      return entry.values(along: place.value[...]).first?.opened.value(at: inner)
    }
    let names = [name] + (StoredRecord.otherNames[name] ?? [])
    for box in [entry] + StoredRecord.boxes.compactMap({ entry[$0]?.opened }) {
      for name in names {
        if let value = StoredRecord.value(name, of: box) { return value }
      }
    }
    return nil
  }

  private static func value(_ name: String, of box: StoredValue) -> StoredValue? {
    var value = box
    for part in name.split(separator: ".") {
      guard let next = value[String(part)] else { return nil }
      value = next.opened
    }
    return value
  }
}
