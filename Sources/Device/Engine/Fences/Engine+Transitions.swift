import Base
import Contract
import Vocabulary

/// From a crossing to its record (SDK §15.3).
extension Engine {
  /// The status changes whether or not the event is wanted; the record waits for a position. A status whose event is still to
  /// come is kept with it: a process that ends in between finds the crossing again after its relaunch (SDK §15.3).
  mutating func begin(_ transition: GeofenceTransition, at now: Moment, into effects: inout [Effect]) {
    guard transition.isNotified else {
      effects.append(.saveGeofence(transition.geofence))
      return
    }
    let geofence = transition.geofence
    let trigger = GeofenceTrigger(
      identifier: geofence.identifier, action: transition.action, timestamp: transition.moment.wall,
      extras: geofence.extras.flatMap { RenderedObject($0) } ?? .empty)
    if settings.followsSignificantChanges, let lastFix {
      // The position that showed the crossing is the record's: there is no stream to wait for another (SDK §12.7).
      recordTransition(trigger, of: geofence, transition.recordKind, at: lastFix, at: now, into: &effects)
      return
    }
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
    keep(geofence, into: &effects)
    effects.append(.event(.geofence(record, geofence)))
    effects.append(.event(.location(record)))
    lookAround(from: fix, .transition, at: now, into: &effects)
    if isPersisted { effects.append(.flush(.insert)) }
  }

  /// The status of the fence is kept as far as the app was told of it.
  private func keep(_ told: Geofence, into effects: inout [Effect]) {
    // A fence that was removed or replaced meanwhile has nothing to do with the crossing any more.
    guard var geofence = fences.geofence(told.identifier), geofence.status.hits >= told.status.hits else { return }
    let isWaiting = requests.contains {
      if case .geofence(_, let waiting, _) = $0.purpose { waiting.identifier == told.identifier } else { false }
    }
    if isWaiting { geofence.status = told.status }
    effects.append(.saveGeofence(geofence))
  }

  /// A crossing that changed nothing is told of by `locationfilter` (SDK §6).
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
