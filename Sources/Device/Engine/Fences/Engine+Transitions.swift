import Base
import Contract
import Vocabulary

extension Engine {
  /// The position of a transition is found: it becomes a record (behaviour §15.3).
  mutating func recordTransition(
    _ trigger: GeofenceTrigger, of geofence: Geofence, at fix: Fix, at now: Moment, into effects: inout [Effect]
  ) {
    if advanceOdometer(to: fix, from: .transition) { effects.append(.saveState) }
    var record = makeRecord(of: fix, event: .geofence, at: now)
    record.geofence = trigger
    note(
      .geofence(identifier: trigger.identifier, action: trigger.action, hits: geofence.status.hits), .info,
      into: &effects)
    let kind = if case .polygon = geofence.shape { RecordKind.polygon } else { RecordKind.geofence }
    let isPersisted = persists(kind)
    if isPersisted { effects.append(.persist(record, kind)) }
    effects.append(.event(.geofence(record, geofence)))
    lookAround(from: fix, isForced: true, at: now, into: &effects)
    if isPersisted { effects.append(.flush(.insert)) }
  }
}
