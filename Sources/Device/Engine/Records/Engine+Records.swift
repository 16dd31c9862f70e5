import Base
import Contract
import Vocabulary

extension Engine {
  /// SDK §5.1.
  mutating func makeRecord(
    of fix: Fix, event: RecordEvent? = nil, odometer value: Double? = nil, extras: RenderedObject = .empty,
    at now: Moment
  ) -> LocationRecord {
    var record = LocationRecord(
      uuid: nextUUID(), timestamp: fix.timestamp, isMoving: state.isMoving, odometer: value ?? odometer.metres,
      coords: fix.coords, activity: activity, battery: battery)
    record.recordedAt = now.wall
    record.ageMilliseconds = (fix.receivedAt ?? now.wall).milliseconds(since: fix.timestamp)
    record.odometerError = odometer.errorMetres
    record.event = event
    record.extras = settings.extras.merging(extras)
    record.isMock = fix.isMock
    if settings.addsTimestampMeta { record.timestampMeta = timestampMeta(of: fix, at: now) }
    return record
  }

  /// The monotonic clock stands for the time since boot (SDK §5.2).
  private func timestampMeta(of fix: Fix, at now: Moment) -> TimestampMeta {
    let elapsed = now.monotonic.nanoseconds / 1_000_000
    return TimestampMeta(
      time: fix.timestamp, systemTime: now.wall, systemElapsedMilliseconds: elapsed,
      fixElapsedMilliseconds: elapsed - now.wall.milliseconds(since: fix.timestamp))
  }

  /// SDK §7.3. What the caller says explicitly wins over the mode, but not over a queue of no length; that of a
  /// watch not over the state either (SDK §23).
  func persists(_ kind: RecordKind, explicitly: Bool? = nil) -> Bool {
    guard !settings.persistsNothing else { return false }
    if let explicitly { return explicitly && (state.isEnabled || kind != .watch) }
    guard state.isEnabled else { return false }
    switch kind {
    case .motionChange, .tracking, .current, .watch, .odometer:
      return settings.persistMode == .all || settings.persistMode == .location
    case .geofence, .polygon: return settings.persistMode == .all || settings.persistMode == .geofence
    case .sample, .heartbeat, .motionState, .stream: return false
    }
  }

  /// Into the queue when it belongs there, then to the app.
  mutating func publish(
    _ record: LocationRecord, _ kind: RecordKind, explicitly: Bool? = nil, into effects: inout [Effect]
  ) {
    let isPersisted = persists(kind, explicitly: explicitly)
    if isPersisted { effects.append(.persist(record, kind)) }
    effects.append(.event(.location(record)))
    if isPersisted { effects.append(.flush(.insert)) }
  }

  /// The odometer as it is belongs to what is kept.
  mutating func keepOdometer() {
    state.odometerMetres = odometer.metres
    state.odometerErrorMetres = odometer.errorMetres
  }

  /// Before a record that is no motion change is made of the fix: at rest it may show minor motion (SDK §17.5). A device
  /// as observed counts its stream instead.
  mutating func countMinorMotion(
    to fix: Fix, _ kind: RecordKind, explicitly: Bool? = nil, into effects: inout [Effect]
  ) {
    guard state.isEnabled, !state.isMoving, !isSettling, !quirks.odometerIsAsObserved,
      persists(kind, explicitly: explicitly), advanceOdometer(to: fix, from: .rest, into: &effects)
    else { return }
    note(.odometer(metres: odometer.metres, errorMetres: odometer.errorMetres), .info, into: &effects)
  }

  /// True when the way grew. Its error grows even when it does not, and is kept like it.
  mutating func advanceOdometer(to fix: Fix, from source: OdometerSource, into effects: inout [Effect]) -> Bool {
    let step = odometer.advance(
      to: fix, from: source, isGeofenceMode: state.trackingMode == .geofence,
      distanceFilterMetres: distanceFilter.effectiveMetres, rules: settings.odometerRules)
    guard case .advanced(let metres) = step else { return false }
    keepOdometer()
    effects.append(.saveState)
    return metres > 0
  }
}
