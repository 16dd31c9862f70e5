package import Base
package import Contract
import Vocabulary

/// Behaviour §15.
extension Engine {
  /// In the order in which they were added.
  package var geofences: [Geofence] { fences.geofences }

  package func geofence(_ identifier: String) -> Geofence? { fences.geofence(identifier) }

  /// What the platform is to watch for a fence.
  package func circle(ofGeofence identifier: String) -> Circle? { fences.circle(of: identifier) }

  mutating func add(_ geofences: [Geofence], at now: Moment, into effects: inout [Effect]) {
    for geofence in geofences {
      do throws(GeofenceError) {
        try fences.add(geofence)
      } catch {
        note(.error("addGeofence: \(error)", from: .geofences), .error, into: &effects)
        continue
      }
      if geofence.isUnreliablySmall(on: profile.platform) {
        note(.warning("the radius of \(geofence.identifier) is small", from: .geofences), .warning, into: &effects)
      }
      note(.geofenceAdded(identifier: geofence.identifier), .info, into: &effects)
      if let kept = fences.geofence(geofence.identifier) { effects.append(.saveGeofence(kept)) }
    }
    lookAround(from: lastFix, .fencesChanged, at: now, into: &effects)
  }

  mutating func removeGeofences(_ identifiers: [String]?, at now: Moment, into effects: inout [Effect]) {
    guard let identifiers else {
      let active = fences.geofences.map(\.identifier).filter { fences.isActive($0) }
      if !active.isEmpty { effects.append(.demand(.geofences(on: [], off: active))) }
      fences.removeAll(into: &fenceEffects)
      note(.geofenceRemoved(identifier: nil), .info, into: &effects)
      effects.append(.deleteGeofences(identifiers: nil))
      applyFenceEffects(at: now, into: &effects)
      return
    }
    let removed = identifiers.filter { fences.remove($0) }
    guard !removed.isEmpty else { return }
    for identifier in removed { note(.geofenceRemoved(identifier: identifier), .info, into: &effects) }
    effects.append(.deleteGeofences(identifiers: removed))
    lookAround(from: lastFix, .fencesChanged, at: now, into: &effects)
  }

  mutating func beginMonitoring(at now: Moment, into effects: inout [Effect]) {
    lookAround(from: lastFix, .start, at: now, into: &effects)
  }

  /// Without events: the device is not watched any more, it has not left anything.
  mutating func endMonitoring(into effects: inout [Effect]) {
    let active = fences.geofences.map(\.identifier).filter { fences.isActive($0) }
    fences.stop()
    if !active.isEmpty { effects.append(.demand(.geofences(on: [], off: active))) }
    demandSampling(into: &effects)
  }

  /// Which fences are to be active, and where the device is in its polygons.
  mutating func lookAround(
    from fix: Fix?, _ occasion: ProximityOccasion, at now: Moment, into effects: inout [Effect]
  ) {
    guard state.isEnabled else { return }
    var rules = settings.geofenceRules
    rules.isGeofenceMode = state.trackingMode == .geofence
    let place = fix.flatMap { Coordinate($0) }
    fences.evaluate(
      occasion, at: place, accuracyMetres: fix?.coords.accuracy ?? 0, now: now, rules: rules, into: &fenceEffects)
    if let fix, let place, fences.wantsHighRate {
      fences.testPolygons(at: place, fixedAt: fix.timestamp, now: now, into: &fenceEffects)
    }
    applyFenceEffects(at: now, into: &effects)
  }

  mutating func cross(
    _ identifier: String, isEntry: Bool, _ fix: Fix?, at now: Moment, into effects: inout [Effect]
  ) {
    guard state.isEnabled else { return }
    if let fix { remember(fix) }
    guard let place = lastFix.flatMap({ Coordinate($0) }) ?? fences.circle(of: identifier)?.center else { return }
    fences.crossed(
      identifier, isEnter: isEntry, at: place, now: now, platform: profile.platform, into: &fenceEffects)
    applyFenceEffects(at: now, into: &effects)
  }

  mutating func fireFenceTimers(at now: Moment, into effects: inout [Effect]) {
    guard let deadline = fences.nextDeadline, deadline <= now.monotonic else { return }
    fences.timersDue(at: now, into: &fenceEffects)
    applyFenceEffects(at: now, into: &effects)
  }

  /// In geofence mode this moves the set of fences along, and the odometer (behaviour §15.6).
  mutating func leaveProximityRegion(_ fix: Fix?, at now: Moment, into effects: inout [Effect]) {
    guard state.isEnabled, state.trackingMode == .geofence else { return }
    if let fix {
      look(from: fix, at: now, into: &effects)
    } else {
      request(.proximity, profile.motionState, at: now, into: &effects)
    }
  }

  mutating func look(from fix: Fix, at now: Moment, into effects: inout [Effect]) {
    remember(fix)
    _ = advanceOdometer(to: fix, from: .transition, into: &effects)
    lookAround(from: fix, .regionExit, at: now, into: &effects)
  }

  /// Transitions may be recorded at once and so bring further effects: the list is taken out while it is worked off.
  private mutating func applyFenceEffects(at now: Moment, into effects: inout [Effect]) {
    guard !fenceEffects.isEmpty else { return }
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
    case .movingRegion(let circle): demandProximityRegion(circle, into: &effects)
    case .evaluated(let found, let total, let metres):
      if total > 0 { note(.proximity(found: found, of: total, withinMetres: metres), .verbose, into: &effects) }
    }
  }
}
