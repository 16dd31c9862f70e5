package import Base
package import Scenario

/// An entry of a backend's store.
package struct StoredRecord: Sendable {
  package let uuid: UUID128?
  package let entry: StoredValue
  /// The entry, and objects in it under names where stores keep complete records.
  private let boxes: [StoredValue]
  private let fields: [Named<[JSONStep]>]
  /// The places where the app sends its fields, and the box that has most of them; nil where it sends the record's own names.
  private let sent: (places: SentFieldPaths, box: StoredValue)?
  /// The identity, where the store has it outside the entry.
  private let known: UUID128?

  /// `fields` are the paths of some fields in the entry; `known` is the identity, if known.
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
      // The first of several equal ones, which is the row.
      let best = boxes.indices.max { (places.count(in: boxes[$0]), $1) < (places.count(in: boxes[$1]), $0) }
      return (places, boxes[best ?? 0])
    }
    // Most entries have it under its own name.
    let own = known ?? (fields.isEmpty ? entry["uuid"]?.uuid : nil)
    uuid = own ?? StoredRecord.first("uuid", of: entry, boxes, fields, sent) { $0.uuid }
  }

  /// Returns the entry with the places where the app sends its fields.
  package func reading(_ places: SentFieldPaths) -> StoredRecord {
    StoredRecord(entry, fields: fields, uuid: known, sent: places)
  }

  /// Aliases of fields in stores.
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
    "geofence": ["geofence_json"],
    "geofence.identifier": ["geofence_identifier", "geofenceIdentifier"],
    "geofence.action": ["geofence_action", "geofenceAction"],
    "geofence.extras": ["geofence_extras", "geofenceExtras"],
    "extras": ["extras_json"], "params": ["params_json"],
  ]

  /// The names and aliases, split into steps.
  private static let places: [String: [[String]]] = otherNames.reduce(into: [:]) { places, names in
    places[names.key] = ([names.key] + names.value).map(steps)
  }

  private static func steps(_ name: String) -> [String] { name.split(separator: ".").map(String.init) }

  /// Returns the stored value of a field by its own name, as `coords.latitude`; nil without one.
  package func value(_ name: String) -> StoredValue? { StoredRecord.first(name, of: entry, boxes, fields, sent) { $0 } }

  /// Returns the fields whose configured path finds nothing.
  package func missingFields(of names: [String]) -> [String] {
    if fields.isEmpty { return [] }
    return names.filter { name in fields.contains { $0.name == name } && value(name) == nil }
  }

  /// Returns the configured path of a field.
  package func namedPlace(of name: String) -> String? {
    fields.first { $0.name == name }.map { JSONStep.path(of: $0.value) }
  }

  /// Returns the value of a key, in the entry or in a complete record within it.
  package func member(_ key: String) -> StoredValue? { boxes.lazy.compactMap { $0[key] }.first }

  /// The paths in the entry, for messages.
  package var pathsShown: String {
    let paths = entry.paths(from: "$", depth: 0)
    let count = 24
    return paths.prefix(count).joined(separator: ", ") + (paths.count > count ? " and more" : "")
  }

  /// The device in the entry; `device` may also be an object that describes it.
  package var device: String? {
    func text(_ name: String) -> String? { StoredRecord.first(name, of: entry, boxes, fields, sent) { $0.string } }
    return (fields.isEmpty ? entry["device"]?.string : nil) ?? text("device") ?? text("device_id")
  }

  /// Reports whether a row with these columns may name its device: in a column of its own, in one with a complete record, or
  /// at a path of `fields`.
  static func mayNameDevice(columns: [String], fields: [Named<[JSONStep]>]) -> Bool {
    fields.contains { $0.name == "device" || $0.name == "device_id" }
      || columns.contains { $0 == "device" || $0 == "device_id" || StoredValue.namesOfBoxes.contains($0) }
  }

  /// Whether it has the structure of an SDK record, unlike a list of columns.
  package var isWholeRecord: Bool {
    ["coords", "activity", "battery"].allSatisfy { name in
      if case .object? = value(name) { true } else { false }
    }
  }

  /// Whether the entry has only identity and device; checks names only, which is cheap.
  var isBare: Bool {
    guard fields.isEmpty, boxes.count == 1, case .object(let members) = entry else { return false }
    return members.allSatisfy { $0.key == "uuid" || $0.key == "device" || $0.key == "device_id" || $0.key == "id" }
  }

  /// Returns the first meaningful value of a field. The record's own name has precedence at any place: a row around a
  /// complete record may have an `id` or a time of its own.
  private static func first<Meaning>(
    _ name: String, of entry: StoredValue, _ boxes: [StoredValue], _ fields: [Named<[JSONStep]>],
    _ sent: (places: SentFieldPaths, box: StoredValue)?, _ meaning: (StoredValue) -> Meaning?
  ) -> Meaning? {
    if !fields.isEmpty {
      if let place = fields.first(where: { $0.name == name }) {
        return entry.value(along: place.value).flatMap { meaning($0.opened) }
      }
      // `extras.a` is inside the path of `extras`.
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
  /// Firestore names a value by its type: the whole numbers of a field have another name than its fractions or texts.
  private static let (others, whole) = (["doubleValue", "stringValue"], "integerValue")

  /// Returns the first value at a path of the dialect.
  fileprivate func value(along path: [JSONStep]) -> StoredValue? {
    if let found = values(along: path[...]).first { return found }
    guard let index = path.lastIndex(where: { if case .member = $0 { true } else { false } }),
      case .member(let name) = path[index], StoredValue.others.contains(name)
    else { return nil }
    return values(along: (path[..<index] + [.member(StoredValue.whole)] + path[(index + 1)...])[...]).first
  }

  /// Returns the paths, including those in nested objects.
  fileprivate func paths(from path: String, depth: Int) -> [String] {
    guard depth < 2, case .object(let members) = opened, !members.isEmpty else { return depth == 0 ? [] : [path] }
    return members.flatMap { $0.value.paths(from: path + JSONStep.member($0.key).text, depth: depth + 1) }
  }

  /// The uuid, in any notation of stores.
  var uuid: UUID128? { string.flatMap { UUID128(stored: $0.utf8.span) } }

  /// Names in an entry under which stores keep complete records, or containers of them.
  fileprivate static let namesOfBoxes = [
    "record", "location", "data", "payload", "raw", "json", "body", "point", "properties",
  ]

  fileprivate var boxes: [StoredValue] {
    guard case .object(let members) = self else { return [] }
    var found: [(rank: Int, value: StoredValue)] = []
    for member in members {
      // Only values that may hold a record need a comparison of their name.
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
