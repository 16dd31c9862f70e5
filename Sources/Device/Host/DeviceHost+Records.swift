import Base
import Contract
import Database
import Engine
import Queue
import Vocabulary

/// Inserts into the queue, and removals without an upload (SDK §7).
extension DeviceHost {
  /// Renders the record once and for all (SDK §7.2).
  mutating func insert(_ record: LocationRecord, _ kind: RecordKind, at now: Moment) {
    scratch.record.removeAll(keepingCapacity: true)
    if let note = renderer.append(record, to: &scratch.record) {
      switch note {
      case .invalidTemplate: log(.error(note.message, from: .records), at: now)
      case .extrasAppendedToArray: log(.warning(note.message, from: .records), at: now)
      }
    }
    insert(record.uuid, record.timestamp, scratch.record, kind, at: now)
  }

  mutating func insert(
    _ uuid: UUID128, _ timestamp: WallInstant, _ bytes: [UInt8], _ kind: RecordKind, at now: Moment
  ) {
    let persistence = configuration.persistence
    isInsertRefused = true
    do throws(DatabaseError) {
      _ = try queue.insert(uuid: uuid, timestamp: timestamp, bytes: bytes.span)
      isInsertRefused = false
      log(
        .inserted(
          uuid: uuid, kind: kind, persistMode: persistence.persistMode.rawValue,
          maxRecords: persistence.maxRecordsToPersist), at: now)
      if persistence.maxRecordsToPersist > 0 && queue.count > persistence.maxRecordsToPersist {
        discarded(try queue.evict(keeping: persistence.maxRecordsToPersist), .evicted)
      }
    } catch { report(error, at: now) }
  }

  /// Nil while the queue is empty.
  var nextPurge: MonotonicInstant? {
    queue.count > 0 ? lastPurge.map { $0 + HostRules.purgeInterval } : nil
  }

  mutating func purge(at now: Moment) {
    lastPurge = now.monotonic
    let days = configuration.persistence.maxDaysToPersist
    guard days > 0 && days <= HostRules.daysMax && queue.count > 0 else { return }
    do throws(DatabaseError) {
      let limit = now.wall.millisecondsSince1970 - Int64(days) * 86_400_000
      let expired = try queue.expire(before: WallInstant(exactly: limit) ?? .earliest)
      if !expired.isEmpty { log(.purged(count: expired.count, days: days), at: now) }
      discarded(expired, .expired)
    } catch { report(error, at: now) }
  }

  /// Applies a lowered limit at once (SDK §7.4); 0 keeps nothing.
  mutating func shrink(at now: Moment) {
    let limit = configuration.persistence.maxRecordsToPersist
    guard limit >= 0 && queue.count > limit else { return }
    do throws(DatabaseError) {
      let evicted = try queue.evict(keeping: limit)
      if !evicted.isEmpty { log(.shrunk(max: limit, deleted: evicted.count), at: now) }
      discarded(evicted, .evicted)
    } catch { report(error, at: now) }
  }

  func discarded(_ uuids: [UUID128], _ reason: DiscardReason) {
    if !uuids.isEmpty { emit(.deliver(.discarded(uuids, reason))) }
  }
}

/// The reason why a record leaves the queue without an upload (SDK §7.4).
package enum DiscardReason: String, CaseIterable, Sendable {
  /// The queue was over its limit.
  case evicted
  /// The record was too old.
  case expired
  /// The app destroyed it, or took it with a sync without a url.
  case destroyed
}
