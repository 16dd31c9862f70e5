import Base
import Contract
import Vocabulary

/// From a crossing to its record (behaviour §15.3).
extension Engine {
  /// The status has changed, whoever wants to know; the record waits for a position.
  mutating func begin(_ transition: GeofenceTransition, at now: Moment, into effects: inout [Effect]) {
    effects.append(.saveGeofence(transition.geofence))
    guard transition.isNotified else { return }
    let geofence = transition.geofence
    let trigger = GeofenceTrigger(
      identifier: geofence.identifier, action: transition.action, timestamp: transition.moment.wall,
      extras: geofence.extras.flatMap { RenderedObject($0) } ?? .empty)
    request(
      .geofence(trigger, geofence, transition.recordKind), profile.geofenceTransition, at: now, into: &effects)
  }

  mutating func recordTransition(
    _ trigger: GeofenceTrigger, of geofence: Geofence, _ kind: RecordKind, at fix: Fix, at now: Moment,
    into effects: inout [Effect]
  ) {
    remember(fix)
    _ = advanceOdometer(to: fix, from: .transition, into: &effects)
    var record = makeRecord(of: fix, event: .geofence, at: now)
    record.geofence = trigger
    note(
      .geofence(identifier: trigger.identifier, action: trigger.action, hits: geofence.status.hits), .verbose,
      into: &effects)
    let isPersisted = persists(kind)
    if isPersisted { effects.append(.persist(record, kind)) }
    effects.append(.event(.geofence(record, geofence)))
    lookAround(from: fix, .transition, at: now, into: &effects)
    if isPersisted { effects.append(.flush(.insert)) }
  }

  /// A crossing that changed nothing is told of by `locationfilter` (behaviour §6).
  mutating func tell(_ suppression: GeofenceSuppression, at now: Moment, into effects: inout [Effect]) {
    note(
      .geofenceSuppressed(identifier: suppression.identifier, reason: suppression.reason.rawValue), .debug,
      into: &effects)
    guard let lastFix else { return }
    let filtered = FilteredLocation(
      record: makeRecord(of: lastFix, at: now), reason: suppression.reason.rawValue, thresholdMetres: -1,
      crossing: suppression)
    effects.append(.event(.locationFilter(filtered)))
  }
}
