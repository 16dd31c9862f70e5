import Base
import Contract
import Vocabulary

extension Engine {
  /// Handles a position of the updates (SDK §14.2 gives the order of the steps).
  mutating func follow(_ fix: Fix, at now: Moment, into effects: inout [Effect]) {
    guard state.isEnabled else { return }
    guard state.trackingMode == .location else {
      watchFences(fix, at: now, into: &effects)
      return
    }
    guard state.isMoving else {
      remember(fix)
      if quirks.odometerIsAsObserved { measure(fix, into: &effects) }
      noticeMove(to: fix, at: now, into: &effects)
      return
    }
    track(fix, at: now, into: &effects)
  }

  private mutating func track(_ fix: Fix, at now: Moment, into effects: inout [Effect]) {
    noteLocation(fix, at: now, into: &effects)
    guard !isFromBeforeTrip(fix, at: now, into: &effects) else { return }
    let trace = admit(
      fix, distanceFilterMetres: distanceFilter.effectiveMetres, rules: settings.filterRules, at: now, into: &effects)
    guard let trace else { return }
    note(.filterDecision(trace), .verbose, into: &effects)
    deliver(fix, at: now, into: &effects)
  }

  /// Reports whether the fix is older than the position of the motion change, such as a cached one that the system
  /// delivers first: it counts as not newer than the last fix (SDK §14.2). A motion change in the future, after the
  /// clock was set back, is ignored.
  private func isFromBeforeTrip(_ fix: Fix, at now: Moment, into effects: inout [Effect]) -> Bool {
    guard let first = motionChangeFix?.timestamp, fix.timestamp < first,
      !LocationFilter.isFuture(first, at: now.wall)
    else { return false }
    let reason = FilterVerdict.IgnoreReason.notNewer.text
    let milliseconds = fix.timestamp.milliseconds(since: first)
    note(.locationIgnored(reason: reason, deltaMilliseconds: milliseconds), .info, into: &effects)
    return true
  }

  /// Applies the location filter. Returns its trace for a delivered fix; reports any other fix and returns nil.
  mutating func admit(
    _ fix: Fix, distanceFilterMetres: Double, rules: FilterRules, at now: Moment, into effects: inout [Effect]
  ) -> FilterTrace? {
    switch filter.judge(fix, at: now.wall, distanceFilterMetres: distanceFilterMetres, rules: rules) {
    case .ignored(let reason, let milliseconds):
      note(.locationIgnored(reason: reason.text, deltaMilliseconds: milliseconds), .info, into: &effects)
      return nil
    case .rejected(let trace, let reason):
      note(.filterDecision(trace), .verbose, into: &effects)
      reject(fix, reason, at: now, into: &effects)
      return nil
    case .delivered(let trace): return trace
    }
  }

  private mutating func deliver(_ fix: Fix, at now: Moment, into effects: inout [Effect]) {
    remember(fix)
    measure(fix, into: &effects)
    if let old = distanceFilter.rescale(speed: fix.coords.speed) {
      note(.distanceFilter(new: distanceFilter.effectiveMetres, old: old), .info, into: &effects)
      demandDistanceFilter(into: &effects)
    }
    watchDisplacement(of: fix, at: now, into: &effects)
    lookAround(from: fix, .fix, at: now, into: &effects)
    let record = makeRecord(of: fix, at: now)
    if isMotionChangeFix(fix) {
      effects.append(.event(.location(record)))
    } else {
      publish(record, .tracking, into: &effects)
    }
  }

  mutating func measure(_ fix: Fix, into effects: inout [Effect]) {
    guard advanceOdometer(to: fix, from: .tracked, into: &effects) else { return }
    note(.odometer(metres: odometer.metres, errorMetres: odometer.errorMetres), .info, into: &effects)
  }

  /// Updates begin with the position of the motion change, which is recorded already (SDK §5.4).
  private mutating func isMotionChangeFix(_ fix: Fix) -> Bool {
    guard let first = motionChangeFix else { return false }
    motionChangeFix = nil
    return first == FixIdentity(fix)
  }

  private mutating func reject(
    _ fix: Fix, _ reason: FilterVerdict.Rejection, at now: Moment, into effects: inout [Effect]
  ) {
    let filtered = FilteredLocation(
      record: makeRecord(of: fix, at: now), reason: reason.rawValue,
      thresholdMetres: settings.filterRules.settings.trackingAccuracyThresholdMetres, crossing: nil)
    effects.append(.event(.locationFilter(filtered)))
  }

  /// Handles a coarse position. In significant-change mode there are no others (SDK §2.1).
  mutating func takeSignificantChange(_ fix: Fix, at now: Moment, into effects: inout [Effect]) {
    evaluateSchedule(at: now, into: &effects)
    guard state.isEnabled else { return }
    switch state.trackingMode {
    case .geofence:
      // A crossing without a position of its own is recorded here, and the nearest fences are those around here.
      remember(fix)
      lookAround(from: fix, .regionExit, at: now, into: &effects)
    case .location where settings.followsSignificantChanges: followSignificantChange(fix, at: now, into: &effects)
    case .location:
      if state.isMoving {
        if settings.usesSignificantChangesOnly { track(fix, at: now, into: &effects) }
      } else {
        noticeMove(to: fix, isSignificant: true, at: now, into: &effects)
      }
    }
  }

  mutating func remember(_ fix: Fix) {
    fixCount += 1
    lastFix = fix
  }

  func noteLocation(_ fix: Fix, number: Int = 0, at now: Moment, into effects: inout [Effect]) {
    note(
      .location(fix, number: number, ageMilliseconds: now.wall.milliseconds(since: fix.timestamp)), .verbose,
      into: &effects)
  }
}

extension FilterVerdict.IgnoreReason {
  var text: String {
    switch self {
    case .invalid: "invalid"
    case .future: "future"
    case .notNewer: "not newer"
    case .identical: "identical"
    case .speedJump: "speed jump"
    }
  }
}

extension Engine {
  /// SDK §5.1.
  mutating func makeRecord(
    of fix: Fix, event: RecordEvent? = nil, odometer value: Double? = nil, extras: RenderedObject = .empty,
    at now: Moment
  ) -> LocationRecord {
    var record = LocationRecord(
      uuid: nextUUID(), timestamp: fix.timestamp, isMoving: state.isMoving, odometer: value ?? odometer.metres,
      coords: fix.coords, activity: phone.activity, battery: phone.battery)
    record.recordedAt = now.wall
    record.ageMilliseconds = (fix.receivedAt ?? now.wall).milliseconds(since: fix.timestamp)
    record.odometerError = odometer.errorMetres
    record.event = event
    record.extras = settings.extras.merging(extras)
    record.isMock = fix.isMock
    if settings.addsTimestampMeta { record.timestampMeta = timestampMeta(of: fix, at: now) }
    return record
  }

  /// The monotonic clock serves as the time since boot (SDK §5.2).
  private func timestampMeta(of fix: Fix, at now: Moment) -> TimestampMeta {
    let elapsed = now.monotonic.nanoseconds / 1_000_000
    return TimestampMeta(
      time: fix.timestamp, systemTime: now.wall, systemElapsedMilliseconds: elapsed,
      fixElapsedMilliseconds: elapsed - now.wall.milliseconds(since: fix.timestamp))
  }

  /// SDK §7.3. An explicit choice of the caller overrides the mode, but not a queue limit of 0; that of a watch does
  /// not override the state either (SDK §23).
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

  /// Inserts the record into the queue if it is persisted, then delivers it to the app.
  mutating func publish(
    _ record: LocationRecord, _ kind: RecordKind, explicitly: Bool? = nil, into effects: inout [Effect]
  ) {
    let isPersisted = persists(kind, explicitly: explicitly)
    if isPersisted { effects.append(.persist(record, kind)) }
    effects.append(.event(.location(record)))
    if isPersisted { effects.append(.flush(.insert)) }
  }

  /// Copies the odometer into the persistent state.
  mutating func keepOdometer() {
    state.odometerMetres = odometer.metres
    state.odometerErrorMetres = odometer.errorMetres
  }

  /// Counts minor motion at rest (SDK §17.5), before a record other than a motion change is made of the fix. A device
  /// as observed counts its updates instead.
  mutating func countMinorMotion(
    to fix: Fix, _ kind: RecordKind, explicitly: Bool? = nil, into effects: inout [Effect]
  ) {
    guard state.isEnabled, !state.isMoving, !isSettling, !quirks.odometerIsAsObserved,
      persists(kind, explicitly: explicitly), advanceOdometer(to: fix, from: .rest, into: &effects)
    else { return }
    note(.odometer(metres: odometer.metres, errorMetres: odometer.errorMetres), .info, into: &effects)
  }

  /// Returns whether the distance grew. Its error grows and is stored in any case.
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

/// The properties that identify a position that the system delivers twice.
struct FixIdentity: Equatable, Sendable {
  let timestamp: WallInstant
  let latitude: Double
  let longitude: Double

  init(_ fix: Fix) {
    timestamp = fix.timestamp
    latitude = fix.coords.latitude
    longitude = fix.coords.longitude
  }
}
