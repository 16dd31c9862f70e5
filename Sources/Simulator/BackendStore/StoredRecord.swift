package import Base
package import Scenario

/// An entry of a backend's store.
package struct StoredRecord: Sendable {
  package let uuid: UUID128?
  package let entry: StoredValue
  /// The entry, and what stands in it under names where stores keep whole records.
  private let boxes: [StoredValue]
  private let fields: [Named<[JSONStep]>]
  /// Where the app sends its fields, and which of the boxes has most of these places; nil where it sends the record's own names.
  private let sent: (places: SentFieldPaths, box: StoredValue)?
  /// Its identity, where the store says it beside the entry.
  private let known: UUID128?

  /// `fields` says where in the entry some of the record's fields stand; `known` is its identity where that is known.
  package init(
    _ entry: StoredValue, fields: [Named<[JSONStep]>], uuid known: UUID128? = nil, sent places: SentFieldPaths? = nil
  ) {
    self.entry = entry
    self.fields = fields
    self.known = known
    let inner = entry.boxes
    let boxes = inner.isEmpty ? [entry] : [entry] + inner
    self.boxes = boxes
    sent = places.map { places in
      // Of several the first, which is the row.
      let best = boxes.indices.max { (places.count(in: boxes[$0]), $1) < (places.count(in: boxes[$1]), $0) }
      return (places, boxes[best ?? 0])
    }
    // Most entries have it under its own name.
    let own = known ?? (fields.isEmpty ? entry["uuid"]?.uuid : nil)
    uuid = own ?? StoredRecord.first("uuid", of: entry, boxes, fields, sent) { $0.uuid }
  }

  /// The same entry, whose fields may stand where the app sends them.
  package func reading(_ places: SentFieldPaths) -> StoredRecord {
    StoredRecord(entry, fields: fields, uuid: known, sent: places)
  }

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
    "battery.is_charging": ["battery_is_charging", "is_charging", "isCharging", "battery_charging"],
    "activity.confidence": ["activity_confidence", "activityConfidence"],
    "activity.type": ["activity_type", "activityType", "activity"],
    "geofence": ["geofence_json"], "extras": ["extras_json"], "params": ["params_json"],
  ]

  /// Names and other names, each by its steps.
  private static let places: [String: [[String]]] = otherNames.reduce(into: [:]) { places, names in
    places[names.key] = ([names.key] + names.value).map(steps)
  }

  private static func steps(_ name: String) -> [String] { name.split(separator: ".").map(String.init) }

  /// What the store has of a field, by the record's own name for it, `coords.latitude`; nil when it shows none.
  package func value(_ name: String) -> StoredValue? { StoredRecord.first(name, of: entry, boxes, fields, sent) { $0 } }

  /// Those of these fields whose place was named, and has nothing.
  package func missingFields(of names: [String]) -> [String] {
    if fields.isEmpty { return [] }
    return names.filter { name in fields.contains { $0.name == name } && value(name) == nil }
  }

  /// The place that was named for a field, as a path.
  package func namedPlace(of name: String) -> String? {
    fields.first { $0.name == name }.map { JSONStep.path(of: $0.value) }
  }

  /// What stands under this key, in the entry or where it keeps a whole record.
  package func member(_ key: String) -> StoredValue? { boxes.lazy.compactMap { $0[key] }.first }

  /// The paths in the entry, for people.
  package var pathsShown: String {
    let paths = entry.paths(from: "$", depth: 0)
    let count = 24
    return paths.prefix(count).joined(separator: ", ") + (paths.count > count ? " and more" : "")
  }

  /// The device under which it is stored, where the entry says so: `device` may also be an object that describes it.
  package var device: String? {
    func text(_ name: String) -> String? { StoredRecord.first(name, of: entry, boxes, fields, sent) { $0.string } }
    return (fields.isEmpty ? entry["device"]?.string : nil) ?? text("device") ?? text("device_id")
  }

  /// A row with these columns may say whose it is: in one of its own, in one with a whole record, or where `fields` says.
  static func mayNameDevice(columns: [String], fields: [Named<[JSONStep]>]) -> Bool {
    fields.contains { $0.name == "device" || $0.name == "device_id" }
      || columns.contains { $0 == "device" || $0 == "device_id" || StoredValue.namesOfBoxes.contains($0) }
  }

  /// It has the form of a record of the SDK, which a list of columns has not.
  package var isWholeRecord: Bool {
    ["coords", "activity", "battery"].allSatisfy { name in
      if case .object? = value(name) { true } else { false }
    }
  }

  /// The entry has nothing but what says which record it is and whose: a look at each name instead of at each place.
  var isBare: Bool {
    guard fields.isEmpty, boxes.count == 1, case .object(let members) = entry else { return false }
    return members.allSatisfy { $0.key == "uuid" || $0.key == "device" || $0.key == "device_id" || $0.key == "id" }
  }

  /// The first value of a field that has a meaning. The record's own name for it comes first, wherever it stands: a row
  /// around a whole record may have an `id` or a time of its own.
  private static func first<Meaning>(
    _ name: String, of entry: StoredValue, _ boxes: [StoredValue], _ fields: [Named<[JSONStep]>],
    _ sent: (places: SentFieldPaths, box: StoredValue)?, _ meaning: (StoredValue) -> Meaning?
  ) -> Meaning? {
    if !fields.isEmpty {
      if let place = fields.first(where: { $0.name == name }) {
        return entry.values(along: place.value[...]).first.flatMap { meaning($0.opened) }
      }
      // `extras.a` follows what is said of `extras`.
      if let dot = name.firstIndex(of: "."), let place = fields.first(where: { $0.name == name[..<dot] }) {
        let inner = String(name[name.index(after: dot)...])
        return entry.values(along: place.value[...]).first?.opened.value(at: inner).flatMap(meaning)
      }
    }
    let places = places[name] ?? [steps(name)]
    func found(under names: ArraySlice<[String]>) -> Meaning? {
      for box in boxes {
        for steps in names {
          if let sent, steps.count == 1, sent.places.isTaken(steps[0], from: name) { continue }
          if let found = value(along: steps, of: box).flatMap(meaning) { return found }
        }
      }
      return nil
    }
    if let found = found(under: places[..<1]) { return found }
    if let sent {
      for place in sent.places.places(of: name) {
        if let found = sent.box.values(along: place[...]).first.flatMap({ meaning($0.opened) }) { return found }
      }
    }
    return found(under: places[1...])
  }

  private static func value(along steps: [String], of box: StoredValue) -> StoredValue? {
    var value = box
    for step in steps {
      guard let next = value[step] else { return nil }
      value = next.opened
    }
    return value
  }
}

extension StoredValue {
  /// To what stands in objects of objects.
  fileprivate func paths(from path: String, depth: Int) -> [String] {
    guard depth < 2, case .object(let members) = opened, !members.isEmpty else { return depth == 0 ? [] : [path] }
    return members.flatMap { $0.value.paths(from: path + JSONStep.member($0.key).text, depth: depth + 1) }
  }

  /// In any spelling of stores.
  var uuid: UUID128? { string.flatMap { UUID128(stored: $0.utf8.span) } }

  /// Places in an entry under which stores keep whole records, or what came around them.
  fileprivate static let namesOfBoxes = [
    "record", "location", "data", "payload", "raw", "json", "body", "point", "properties",
  ]

  fileprivate var boxes: [StoredValue] {
    guard case .object(let members) = self else { return [] }
    var found: [(rank: Int, value: StoredValue)] = []
    for member in members {
      // Only what may hold a record is worth a look at its name.
      switch member.value {
      case .object, .list: break
      case .text(let text) where text.utf8.first == UInt8(ascii: "{"): break
      default: continue
      }
      if let rank = StoredValue.namesOfBoxes.firstIndex(of: member.key) { found.append((rank, member.value.opened)) }
    }
    return found.isEmpty ? [] : found.sorted { $0.rank < $1.rank }.map(\.value)
  }
}
