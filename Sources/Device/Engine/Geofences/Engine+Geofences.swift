package import Base
package import Contract
import Vocabulary

/// SDK §15.
extension Engine {
  /// The geofences of earlier processes, then the others in the order in which they were added.
  package var geofences: [Geofence] { fences.geofences }

  package func geofence(_ identifier: String) -> Geofence? { fences.geofence(identifier) }

  /// Returns the circle that the platform must watch for a fence.
  package func circle(ofGeofence identifier: String) -> Circle? { fences.circle(of: identifier) }

  /// Reports whether the status of a fence is from an earlier process, neither confirmed nor contradicted by a position yet.
  package func keepsStatus(ofGeofence identifier: String) -> Bool { fences.isRestored(identifier) }

  mutating func add(_ geofences: [Geofence], at now: Moment, into effects: inout [Effect]) {
    for geofence in geofences {
      do throws(GeofenceError) {
        try fences.add(geofence)
      } catch {
        note(.error("addGeofence: \(error)", from: .geofences), .error, into: &effects)
        continue
      }
      if geofence.isUnreliablySmall {
        note(.warning("the radius of \(geofence.identifier) is small", from: .geofences), .warning, into: &effects)
      }
      note(.geofenceAdded(identifier: geofence.identifier), .info, into: &effects)
      if let kept = fences.geofence(geofence.identifier) { effects.append(.saveGeofence(kept)) }
    }
    if state.isEnabled && !mayMonitor { refuseMonitoring(into: &effects) }
    lookAround(from: lastFix, .fencesChanged, at: now, into: &effects)
    seekNewerPlace(at: now, into: &effects)
  }

  /// In geofences-only mode, also where it has just ended, the last position may be hours old, and only a fence around
  /// the current position has an initial ENTER (SDK §15.4).
  private func isCurrent(_ fix: Fix, _ occasion: ProximityOccasion = .fencesChanged, at now: Moment) -> Bool {
    state.trackingMode == .location && occasion != .start
      || now.wall.milliseconds(since: fix.timestamp).magnitude <= Engine.currentMilliseconds
  }

  private static let currentMilliseconds: UInt64 = 60_000

  private mutating func seekNewerPlace(at now: Moment, into effects: inout [Effect]) {
    guard state.isEnabled, fences.isMonitoring, fences.hasUntested, !isPlaceSought, let lastFix,
      !isCurrent(lastFix, at: now)
    else { return }
    request(.proximity, profile.motionState, at: now, into: &effects)
  }

  private var isPlaceSought: Bool {
    requests.contains { if case .proximity = $0.purpose { true } else { false } }
  }

  mutating func removeGeofences(_ identifiers: [String]?, at now: Moment, into effects: inout [Effect]) {
    let active = fences.geofences.map(\.identifier).filter { fences.isActive($0) }
    guard let identifiers else {
      note(.geofenceRemoved(identifier: nil), .info, into: &effects)
      effects.append(.deleteGeofences(identifiers: nil))
      if fences.count > 0 { reportAllDeactivated(of: active, at: now, into: &effects) }
      return
    }
    let removed = identifiers.filter { fences.remove($0) }
    guard !removed.isEmpty else { return }
    for identifier in removed { note(.geofenceRemoved(identifier: identifier), .info, into: &effects) }
    effects.append(.deleteGeofences(identifiers: removed))
    if fences.count == 0 {
      reportAllDeactivated(of: active, at: now, into: &effects)
    } else {
      lookAround(from: lastFix, .fencesChanged, at: now, into: &effects)
    }
  }

  /// The last fence was removed, alone or with all others: the event geofenceschange has empty lists (SDK §15.7).
  private mutating func reportAllDeactivated(of active: [String], at now: Moment, into effects: inout [Effect]) {
    if !active.isEmpty { effects.append(.demand(.geofences(on: [], off: active))) }
    fences.removeAll(into: &fenceEffects)
    applyFenceEffects(at: now, into: &effects)
  }

  /// Whether the system watches fences for the app, which needs "Always" on both platforms (SDK §15.6).
  var mayMonitor: Bool { denial == nil && !isWhenInUse }

  private func refuseMonitoring(into effects: inout [Effect]) {
    guard fences.count > 0 || state.trackingMode == .geofence else { return }
    note(
      .warning("geofences are not monitored: that needs the location authorization \"Always\"", from: .geofences),
      .warning,
      into: &effects)
  }

  /// A position from before monitoring began does not determine where the device is.
  mutating func beginMonitoring(
    _ occasion: ProximityOccasion = .start, at now: Moment, into effects: inout [Effect]
  ) {
    guard mayMonitor else { return refuseMonitoring(into: &effects) }
    lookAround(from: fences.isMonitoring ? lastFix : nil, occasion, at: now, into: &effects)
  }

  /// Stops monitoring when its permission is lost, and starts it when granted (SDK §19.5).
  mutating func followAuthorization(at now: Moment, into effects: inout [Effect]) {
    guard state.isEnabled, mayMonitor != fences.isMonitoring else { return }
    if mayMonitor {
      beginMonitoring(at: now, into: &effects)
      if fences.count > 0 || state.trackingMode == .geofence {
        request(.proximity, profile.motionState, at: now, into: &effects)
      }
    } else {
      endMonitoring(into: &effects)
      refuseMonitoring(into: &effects)
    }
  }

  /// Empties the active set (BGGeo 188). Fences report no exit, because the device has not left them.
  mutating func endMonitoring(into effects: inout [Effect]) {
    let active = fences.geofences.map(\.identifier).filter { fences.isActive($0) }
    fences.stop()
    if !active.isEmpty {
      effects.append(.demand(.geofences(on: [], off: active)))
      effects.append(.event(.geofencesChange(on: [], off: active)))
    }
    demandSampling(into: &effects)
    demandFenceUpdates(into: &effects)
  }

  /// Determines the active fences, and the device's side of its polygons.
  mutating func lookAround(
    from fix: Fix?, _ occasion: ProximityOccasion, at now: Moment, into effects: inout [Effect]
  ) {
    guard state.isEnabled else { return }
    var rules = settings.geofenceRules
    rules.isGeofenceMode = state.trackingMode == .geofence
    let place = fix.flatMap { Coordinate($0) }
    fences.evaluate(
      occasion, at: place, accuracyMetres: fix?.coords.accuracy ?? 0,
      isCurrent: fix.map { isCurrent($0, occasion, at: now) } ?? true, now: now, rules: rules, into: &fenceEffects)
    if let fix, let place, fences.wantsHighRate, occasion == .fix || occasion == .motionChange {
      testPolygons(at: place, fix, now)
    }
    applyFenceEffects(at: now, into: &effects)
  }

  private mutating func testPolygons(at place: Coordinate, _ fix: Fix, _ now: Moment) {
    fences.testPolygons(
      at: place, accuracyMetres: fix.coords.accuracy ?? 0, fixedAt: fix.timestamp, now: now, into: &fenceEffects)
  }

  /// Handles a position of the sampling that runs while the device is in the circle of a polygon.
  mutating func hitTest(_ fix: Fix, at now: Moment, into effects: inout [Effect]) {
    guard fences.wantsHighRate, let place = Coordinate(fix) else { return }
    testPolygons(at: place, fix, now)
    applyFenceEffects(at: now, into: &effects)
  }

  /// Handles a position of geofences-only mode at high accuracy (SDK §15.6).
  mutating func watchFences(_ fix: Fix, at now: Moment, into effects: inout [Effect]) {
    guard settings.isGeofenceModeHighAccuracy, let accuracy = fix.coords.accuracy, accuracy >= 0,
      let place = Coordinate(fix)
    else { return }
    noteLocation(fix, at: now, into: &effects)
    remember(fix)
    fences.testCircles(at: place, accuracyMetres: accuracy, now: now, into: &fenceEffects)
    lookAround(from: fix, .fix, at: now, into: &effects)
  }

  /// At high accuracy location updates also run in geofences-only mode, as long as there are fences to watch.
  mutating func demandFenceUpdates(into effects: inout [Effect]) {
    guard state.isEnabled, state.trackingMode == .geofence else { return }
    demandLocationUpdates(settings.isGeofenceModeHighAccuracy && fences.activeCount > 0, into: &effects)
  }

  mutating func cross(
    _ identifier: String, isEntry: Bool, _ fix: Fix?, at now: Moment, into effects: inout [Effect]
  ) {
    guard state.isEnabled else { return }
    if let fix {
      remember(fix)
      noticeSignificantMove(to: fix, at: now, into: &effects)
    }
    guard let place = lastFix.flatMap({ Coordinate($0) }) ?? fences.circle(of: identifier)?.center else { return }
    fences.crossed(
      identifier, isEnter: isEntry, at: place, now: now, platform: profile.platform,
      isMoving: state.isMoving || state.trackingMode == .geofence,
      triggersInitially: settings.geofenceRules.triggersInitially, into: &fenceEffects)
    applyFenceEffects(at: now, into: &effects)
  }

  mutating func dwell(in identifier: String, _ fix: Fix?, at now: Moment, into effects: inout [Effect]) {
    guard state.isEnabled else { return }
    if let fix { remember(fix) }
    fences.dwelt(identifier, now: now, into: &fenceEffects)
    applyFenceEffects(at: now, into: &effects)
  }

  mutating func fireFenceTimers(at now: Moment, into effects: inout [Effect]) {
    guard let deadline = fences.nextDeadline, deadline <= now.monotonic else { return }
    fences.timersDue(at: now, into: &fenceEffects)
    applyFenceEffects(at: now, into: &effects)
  }

  /// In geofence mode, updates the set of fences and the odometer (SDK §15.6).
  mutating func leaveProximityRegion(_ fix: Fix?, at now: Moment, into effects: inout [Effect]) {
    guard state.isEnabled else { return }
    if state.trackingMode == .location {
      leaveMovingGeofence(fix, at: now, into: &effects)
    } else if let fix {
      look(from: fix, at: now, into: &effects)
    } else {
      // The last position is in the region, and the device is not (SDK §15.6.3).
      var terms = profile.motionState
      terms.maximumAgeMilliseconds = 0
      request(.proximity, terms, at: now, into: &effects)
    }
  }

  /// With more fences than the system watches, none is active until a position is known, and with polygons the device's
  /// side is unknown: a position is requested until one is found (SDK §15.2, §15.5).
  mutating func seekPlace(after error: LocationError, at now: Moment, into effects: inout [Effect]) {
    guard error == .timeout, state.isEnabled, !isPlaceSought, fences.wantsPlace(settings.geofenceRules) else { return }
    request(.proximity, profile.motionState, at: now, into: &effects)
  }

  mutating func look(from fix: Fix, at now: Moment, into effects: inout [Effect]) {
    remember(fix)
    _ = advanceOdometer(to: fix, from: .transition, into: &effects)
    lookAround(from: fix, .regionExit, at: now, into: &effects)
  }

  /// Transitions may be recorded at once and append further effects: the list is taken out meanwhile.
  private mutating func applyFenceEffects(at now: Moment, into effects: inout [Effect]) {
    guard !fenceEffects.isEmpty else {
      if fences.wantsHighRate != demands.wantsHighRate { demandSampling(into: &effects) }
      return
    }
    var list: [GeofenceEffect] = []
    swap(&list, &fenceEffects)
    for effect in list { apply(effect, at: now, into: &effects) }
    list.removeAll(keepingCapacity: true)
    swap(&list, &fenceEffects)
    demandSampling(into: &effects)
  }

  private mutating func apply(_ effect: GeofenceEffect, at now: Moment, into effects: inout [Effect]) {
    switch effect {
    case .transition(let transition): begin(transition, at: now, into: &effects)
    case .suppressed(let suppression): tell(suppression, at: now, into: &effects)
    case .corrected(let geofence): effects.append(.saveGeofence(geofence))
    case .activeSet(let on, let off):
      if !on.isEmpty || !off.isEmpty { effects.append(.demand(.geofences(on: on, off: off))) }
      effects.append(.event(.geofencesChange(on: on, off: off)))
      demandFenceUpdates(into: &effects)
    case .watchAnew(let geofence): effects.append(.demand(.geofences(on: [geofence], off: [])))
    case .movingRegion(let circle): demandProximityRegion(circle, into: &effects)
    case .evaluated(let found, let total, let metres):
      if total > 0 { note(.proximity(found: found, of: total, withinMetres: metres), .verbose, into: &effects) }
    }
  }
}

/// From a crossing to its record (SDK §15.3).
extension Engine {
  /// Changes the status whether or not the event is wanted; the record waits for a position. The new status is stored
  /// with the event, so a process that ends in between detects the crossing again after its relaunch (SDK §15.3).
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
      // The record uses the position that showed the crossing: there are no updates to wait for (SDK §12.7).
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

  /// Stores the status of the fence as far as it was reported to the app.
  private func keep(_ told: Geofence, into effects: inout [Effect]) {
    // The crossing does not concern a fence that was removed or replaced meanwhile.
    guard var geofence = fences.geofence(told.identifier), geofence.status.hits >= told.status.hits else { return }
    if isRecordAwaited(of: told.identifier) { geofence.status = told.status }
    effects.append(.saveGeofence(geofence))
  }

  /// Reports a crossing that changed nothing, by the event locationfilter (SDK §6).
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
