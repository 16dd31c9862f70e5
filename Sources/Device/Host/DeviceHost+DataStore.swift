package import Base
package import Contract
package import Database
package import JSON
import Queue
import Upload
package import Vocabulary

/// The queue as the app's `DataStore` (SDK §3).
extension DeviceHost {
  /// Stores the record unchanged, whatever the persist mode; it is uploaded like any other. `uuid` is for a record without one,
  /// or with one that is no UUID, and is written in this platform's form. Throws when there are no coordinates, when nothing may
  /// be stored, or when a record with its uuid is stored already (SDK §7.3): the uuid identifies a record.
  package mutating func insert(
    _ record: JSONObject, uuid: UUID128, at now: Moment
  ) throws(FieldError) -> UUID128 {
    guard configuration.persistence.maxRecordsToPersist != 0 else {
      throw FieldError(
        "persistence.maxRecordsToPersist", .outOfRange(expected: "other than 0, with which no record is stored"))
    }
    let coords = record["coords"] ?? .null
    for key in ["latitude", "longitude"] where coords[key]?.isNumber != true {
      throw FieldError("coords.\(key)", .missing)
    }
    var record = record
    var stored = uuid
    if case .string(let text)? = record["uuid"], let known = UUID128(text: text.utf8.span) {
      if contains(known, at: now) { throw FieldError("uuid", .outOfRange(expected: "that of no record in the store")) }
      stored = known
    } else {
      if let unusable = record["uuid"], unusable != .null {
        log(
          .warning("The record's uuid is no UUID and is replaced: \(unusable.serializedText)", from: .records), at: now)
      }
      record["uuid"] = .string(RecordStyle.of(description.platform).text(of: uuid))
    }
    insert(stored, timestamp(of: record, at: now), rendered: JSONValue.object(record).serialized, at: now)
    return stored
  }

  private mutating func contains(_ uuid: UUID128, at now: Moment) -> Bool {
    do throws(DatabaseError) { return try queue.contains(uuid: uuid) } catch {
      report(error, at: now)
      return false
    }
  }

  /// Stores a record that is rendered already, whatever its content.
  package mutating func insert(
    _ uuid: UUID128, _ timestamp: WallInstant, rendered bytes: [UInt8], at now: Moment
  ) {
    insert(uuid, timestamp, bytes, .current, at: now)
    if isReady && !isInsertRefused { run(.trigger(.insert), at: now) }
    settle(at: now)
  }

  private mutating func timestamp(of record: JSONObject, at now: Moment) -> WallInstant {
    if case .string(let text)? = record["timestamp"], let instant = WallInstant(iso8601: text.utf8.span) {
      return instant
    }
    if case .integer(let milliseconds)? = record["timestamp"], let instant = WallInstant(exactly: milliseconds) {
      return instant
    }
    log(.warning("The record has no timestamp that can be read", from: .records), at: now)
    return now.wall
  }

  /// Returns false when there is no such record. Deletes it even during its upload.
  package mutating func destroy(_ uuid: UUID128, at now: Moment) throws(DatabaseError) -> Bool {
    guard try queue.delete(uuid: uuid) else { return false }
    log(.destroyed(uuid: uuid), at: now)
    discarded([uuid], .destroyed)
    settle(at: now)
    return true
  }

  package mutating func destroyAll(at now: Moment) throws(DatabaseError) {
    let uuids = try queue.deleteAll()
    log(.destroyedAll(count: uuids.count), at: now)
    discarded(uuids, .destroyed)
    settle(at: now)
  }
}

extension JSONValue {
  fileprivate var isNumber: Bool {
    switch self {
    case .integer, .double: true
    case .null, .bool, .string, .array, .object: false
    }
  }
}
