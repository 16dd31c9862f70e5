import BackendStore
import Base

/// The difference between two lists of records. Fields outside the records, such as the time of the query, may change,
/// and so may the order.
enum ListingChange {
  private static let fields = [
    "timestamp", "coords.latitude", "coords.longitude", "coords.accuracy", "coords.speed", "coords.heading",
    "coords.altitude", "event", "is_moving", "odometer", "activity.type", "battery.level", "geofence", "provider",
    "extras", "params",
  ]

  /// Returns the difference as half a sentence; nil if all records are unchanged.
  static func words(from before: [StoredRecord], to after: [StoredRecord]) -> String? {
    let (old, new) = (byUUID(before), byUUID(after))
    let missing = old.keys.filter { new[$0] == nil }.sorted()
    if let first = missing.first {
      return "\(missing.count) of \(old.count) records that were listed before it are missing: \(first.upperCaseText)"
        + (missing.count > 1 ? " and others" : "")
    }
    for (uuid, rows) in old.sorted(by: { $0.key < $1.key }) {
      let now = new[uuid] ?? []
      if rows.count != now.count {
        return "\(uuid.upperCaseText) was listed \(rows.count) times, and is listed \(now.count) times now"
      }
      guard let row = rows.first, let other = now.first else { continue }
      if let difference = difference(from: row, to: other) { return "of \(uuid.upperCaseText), \(difference)" }
    }
    if let strange = new.keys.filter({ old[$0] == nil }).min() {
      return "\(strange.upperCaseText) is listed, and was not listed before"
    }
    return nil
  }

  private static func byUUID(_ records: [StoredRecord]) -> [UUID128: [StoredRecord]] {
    var rows: [UUID128: [StoredRecord]] = [:]
    for record in records { if let uuid = record.uuid { rows[uuid, default: []].append(record) } }
    return rows
  }

  /// Returns the difference of one record, as half a sentence.
  static func difference(from before: StoredRecord, to after: StoredRecord, besides: String = "") -> String? {
    for field in fields where field != besides {
      guard let old = before.value(field), !old.equals(.null) else { continue }
      guard let new = after.value(field) else { return "'\(field)' is not listed any more" }
      if old.equals(new) { continue }
      if let difference = StoredField.difference(new, old, field) { return difference }
    }
    return nil
  }
}
