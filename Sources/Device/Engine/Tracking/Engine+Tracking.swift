import Base
import Contract
import Vocabulary

extension Engine {
  /// A position of the stream (SDK §14.2 gives the order of the steps).
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

  /// The system may hand over first what it still has: a fix older than the position of the motion change is not newer than the
  /// last one (SDK §14.2). A motion change that a clock which was set back has moved into the future counts for nothing.
  private func isFromBeforeTrip(_ fix: Fix, at now: Moment, into effects: inout [Effect]) -> Bool {
    guard let first = motionChangeFix?.timestamp, fix.timestamp < first,
      !LocationFilter.isFuture(first, at: now.wall)
    else { return false }
    let reason = FilterVerdict.IgnoreReason.notNewer.text
    let milliseconds = fix.timestamp.milliseconds(since: first)
    note(.locationIgnored(reason: reason, deltaMilliseconds: milliseconds), .info, into: &effects)
    return true
  }

  /// What the location filter says of a fix that it lets through; nil for one that goes no further, which is told here.
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

  /// The stream begins with the position of the motion change, which is a record already (SDK §5.4).
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

  /// A coarse position. In significant-change mode it is all that there is (SDK §2.1).
  mutating func takeSignificantChange(_ fix: Fix, at now: Moment, into effects: inout [Effect]) {
    evaluateSchedule(at: now, into: &effects)
    guard state.isEnabled else { return }
    switch state.trackingMode {
    case .geofence: lookAround(from: fix, .regionExit, at: now, into: &effects)
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

/// By what a position is known again when the system hands it over twice.
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
