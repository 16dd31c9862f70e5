import Base
import Contract
import Vocabulary

/// The change from rest to moving (SDK §12.4, §12.5).
extension Engine {
  mutating func take(_ activity: Activity, at now: Moment, into effects: inout [Effect]) {
    guard activity != phone.activity else { return stayStill(at: now, into: &effects) }
    // Apps on Android see no confidence (BGGeo 107): a change of confidence alone is not a new activity.
    let isNew = profile.tellsConfidence || activity.type != phone.activity.type
    phone.activity = activity
    let isMovingType = activity.type.isMoving
    note(.motionActivity(activity, isMovingType: isMovingType), .debug, into: &effects)
    if isNew { effects.append(.event(.activityChange(activity))) }
    guard state.isEnabled && state.trackingMode == .location, !settings.followsSignificantChanges else { return }
    switch (state.isMoving, isMovingType) {
    case (true, true):
      if activity.confidence >= settings.minimumConfidence { cancelStopping(into: &effects) }
    case (true, false):
      // SDK §12.6.1
      if activity.type == .still || activity.type == .unknown && profile.restsOnUnknownActivity {
        seemStill(confidence: activity.confidence, at: now, into: &effects)
      }
    case (false, true):
      if activity.confidence >= settings.minimumConfidence { seemMoving(at: now, into: &effects) }
    case (false, false): stop(.motionTrigger, into: &effects)
    }
  }

  /// Handles a repeated activity. It is no change and is not reported; but a device that was set to moving, by
  /// `changePace` for instance, and is at rest begins to stop (SDK §12.6.6).
  private mutating func stayStill(at now: Moment, into effects: inout [Effect]) {
    guard state.isEnabled && state.trackingMode == .location, !settings.followsSignificantChanges, state.isMoving,
      phone.activity.type == .still, phone.activity.confidence >= settings.minimumConfidence
    else { return }
    seemStill(confidence: phone.activity.confidence, at: now, into: &effects)
  }

  private mutating func seemMoving(at now: Moment, into effects: inout [Effect]) {
    guard isAllowedTrigger else {
      note(.motionTriggerDenied(activity: phone.activity.type), .info, into: &effects)
      return
    }
    guard !timers.isRunning(.motionTrigger) && !isLookingForState else { return }
    start(.motionTrigger, for: settings.motionTriggerDelay, at: now, into: &effects)
  }

  private var isAllowedTrigger: Bool {
    settings.allowedTriggers.contains(anyOf: TriggerActivities(of: phone.activity.type))
  }

  mutating func motionTriggerFired(at now: Moment, into effects: inout [Effect]) {
    switch profile.motionTrigger {
    case .delay: changePace(to: true, at: now, into: &effects)
    case .query: request(.motionState, profile.motionState, at: now, into: &effects)
    }
  }

  /// Handles the position that was requested after a moving activity.
  mutating func judgeState(_ fix: Fix, at now: Moment, into effects: inout [Effect]) {
    remember(fix)
    guard state.isEnabled, !state.isMoving else { return }
    guard let rest = state.stationaryPlace, let place = Coordinate(fix) else {
      if !isSettling { changePace(to: false, at: now, into: &effects) }
      return
    }
    let distance = rest.distanceMetres(to: place)
    let isFast =
      (fix.coords.speed ?? -1) >= profile.fastPathSpeedMetresPerSecond && phone.activity.type.isMoving
      && phone.activity.confidence >= profile.fastPathConfidence
    if distance > settings.regionRadiusMetres || isFast {
      changePace(to: true, at: now, into: &effects)
      return
    }
    note(
      .motionTriggerIgnored(
        radiusMetres: configuration.geolocation.stationaryRadiusMetres, distanceMetres: distance),
      .info, into: &effects)
    if phone.activity.type.isMoving && phone.activity.confidence >= settings.minimumConfidence {
      seemMoving(at: now, into: &effects)
    }
  }

  mutating func leaveStationaryRegion(_ fix: Fix?, at now: Moment, into effects: inout [Effect]) {
    guard state.isEnabled, state.trackingMode == .location, !state.isMoving else { return }
    // Where no activity is known by design, the exit alone begins a trip (SDK §12.7.3).
    if settings.allowedTriggers != .all && !settings.followsSignificantChanges && !isAllowedTrigger {
      note(.motionTriggerDenied(activity: phone.activity.type), .info, into: &effects)
      return
    }
    if profile.verifiesRegionExit, let fix, !isOutside(fix) {
      note(.spuriousRegionExit(identifier: Engine.stationaryRegionName), .warning, into: &effects)
      return
    }
    note(.regionExit(identifier: Engine.stationaryRegionName), .info, into: &effects)
    changePace(to: true, at: now, into: &effects)
  }

  /// The name of the region in the log.
  static let stationaryRegionName = "stationary"

  /// On Android, accepts an exit only for a position outside the region by more than its error, and accurate enough for
  /// a record.
  private func isOutside(_ fix: Fix) -> Bool {
    guard let rest = state.stationaryPlace, let place = Coordinate(fix), let accuracy = fix.coords.accuracy else {
      return true
    }
    let isPoor = accuracy > settings.filterRules.settings.trackingAccuracyThresholdMetres
    return !isPoor && rest.distanceMetres(to: place) - accuracy > settings.regionRadiusMetres
  }

  /// Handles any position of a device at rest, which may show that the system missed the exit from the region, or that
  /// there is no region because no position was found when the device came to rest.
  mutating func noticeMove(
    to fix: Fix, isSignificant: Bool = false, at now: Moment, into effects: inout [Effect]
  ) {
    guard state.isEnabled, state.trackingMode == .location, !state.isMoving, !isSettling, !isLookingForState else {
      return
    }
    guard let rest = state.stationaryPlace, let place = Coordinate(fix) else {
      changePace(to: false, at: now, into: &effects)
      return
    }
    let doubt = isSignificant ? 0 : max(0, fix.coords.accuracy ?? 0)
    guard rest.distanceMetres(to: place) - doubt > settings.regionRadiusMetres else { return }
    note(.regionExit(identifier: Engine.stationaryRegionName), .info, into: &effects)
    changePace(to: true, at: now, into: &effects)
  }
}

extension TriggerActivities {
  fileprivate func contains(anyOf other: TriggerActivities) -> Bool { !isDisjoint(with: other) }
}
