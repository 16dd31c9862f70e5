package import BackendStore
package import Base

/// What stores have, by record: under which devices, and how often.
package struct StoreBook: Sendable {
  struct Row: Sendable {
    var device: String
    var record: StoredRecord
  }

  /// Whence, for people.
  package let place: String
  /// Only this record is kept; nil: all.
  private let wanted: UUID128?
  private(set) var rows: [UUID128: [Row]] = [:]
  /// Which devices were looked under, and how many records each has.
  private(set) var counts: [String: Int] = [:]
  /// Records that the store put aside instead of storing them, and why.
  private(set) var putAside: [UUID128: Evidence] = [:]

  package init(_ place: String, of wanted: UUID128?) { (self.place, self.wanted) = (place, wanted) }

  /// What is listed under a device; only the records in `kept` are of interest, or all.
  package mutating func take(_ records: [StoredRecord], under device: String, keeping kept: Set<UUID128>? = nil) {
    counts[device] = records.count
    for record in records {
      guard let uuid = record.uuid, wanted == nil || uuid == wanted, kept?.contains(uuid) ?? true else { continue }
      rows[uuid, default: []].append(Row(device: device, record: record))
    }
  }

  /// A record that is kept apart because it could not be understood.
  package mutating func putAside(_ uuid: UUID128, _ evidence: Evidence) {
    if wanted == nil || uuid == wanted { putAside[uuid] = evidence }
  }
}

/// Where a stored record differs from what was sent.
enum ContentComparison {
  /// What a store may well change: it belongs to the request or to the phone's moment, not to the record.
  private static let passedOver: Set<String> = ["uuid", "age"]

  /// Nothing is said of fields that the store does not show.
  static func differences(of stored: StoredRecord, from sent: StoredValue) -> [String] {
    guard case .object(let members) = sent else { return [] }
    var found: [String] = []
    for member in members where !passedOver.contains(member.key) {
      if case .object(let inner) = member.value, member.key != "extras" {
        for field in inner { compare("\(member.key).\(field.key)", field.value) }
      } else {
        compare(member.key, member.value)
      }
    }
    return found

    func compare(_ field: String, _ sent: StoredValue) {
      guard let mine = stored.value(field), !mine.isNull, !mine.isTimeWithoutZone else { return }
      if let difference = StoredField.difference(mine, sent, field) { found.append(difference) }
    }
  }

  /// A log tells where the fix was, with six decimals.
  static func differences(of stored: StoredRecord, from place: Coordinate) -> [String] {
    guard let latitude = stored.value("coords.latitude")?.double,
      let longitude = stored.value("coords.longitude")?.double,
      let mine = Coordinate(latitude: latitude, longitude: longitude), mine.distanceMetres(to: place) > 2
    else { return [] }
    return [
      "coords: \(latitude), \(longitude) instead of \(place.latitude), \(place.longitude), which the log shows"
    ]
  }
}

extension StoredValue {
  fileprivate var isNull: Bool { if case .null = self { true } else { false } }
}
