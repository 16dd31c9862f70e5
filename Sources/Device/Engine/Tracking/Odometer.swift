import Base
package import Contract
package import Vocabulary

/// The distance travelled, with its error (SDK §17). Only `set` reduces it.
package struct Odometer: Sendable {
  /// The accuracy up to which steps count in full; otherwise the error of both fixes is subtracted.
  static let fullTrustAccuracyMetres = 10.0
  /// The maximum length of a step to a motion change, in mean steps or in distance filters.
  static let limitFactor = 3.0
  /// The minimum length of a step at rest, in errors of both its ends.
  static let restErrorFactor = 2.0

  private struct Reference {
    var place: Coordinate
    var accuracyMetres: Double
    var timestamp: WallInstant
  }

  package private(set) var metres: Double
  /// Grows with the accuracy of every counted fix.
  package private(set) var errorMetres: Double
  private var reference: Reference?
  /// The last fix of the updates, of any accuracy; used only for a device as observed.
  private var lastTracked: Reference?
  private var kalman = StepKalman()
  private var steps = RollingWindow<5>()

  /// Restores the values from the last process.
  package init(metres: Double = 0, errorMetres: Double = 0) {
    self.metres = metres
    self.errorMetres = errorMetres
  }

  /// Performs `setOdometer` and `resetOdometer`: sets a value without error. The distance to the next fix does not count.
  package mutating func set(metres: Double) { self = Odometer(metres: metres) }

  /// Starts counting at the position that came with `set`, unless counting has started already.
  package mutating func begin(at fix: Fix) {
    guard reference == nil, let place = fix.coords.place,
      let accuracy = fix.coords.accuracy, accuracy >= 0
    else { return }
    reference = Reference(place: place, accuracyMetres: accuracy, timestamp: fix.timestamp)
    lastTracked = reference
  }

  /// Forgets the step lengths of a device as observed that has rested.
  package mutating func forgetPace() { kalman = StepKalman() }

  /// Called at `stop()` and `startGeofences()`, because untracked distance does not count.
  package mutating func clearReference() {
    self = Odometer(metres: metres, errorMetres: errorMetres)
  }

  /// Counts a fix of an enabled device. `distanceFilterMetres` is the effective one at this fix.
  package mutating func advance(
    to fix: Fix, from source: OdometerSource, isGeofenceMode: Bool, distanceFilterMetres: Double, rules: OdometerRules
  ) -> OdometerStep {
    guard source.counts(isGeofenceMode: isGeofenceMode), let accuracy = fix.coords.accuracy, accuracy >= 0,
      let place = fix.coords.place
    else { return .skipped }
    let here = Reference(place: place, accuracyMetres: accuracy, timestamp: fix.timestamp)
    let start = rules.isAsObserved && source == .tracked ? lastTracked : reference
    if source == .tracked { lastTracked = here }
    guard accuracy <= rules.accuracyThresholdMetres else { return .skipped }
    guard let start else {
      reference = here
      return .began
    }
    let variance = start.accuracyMetres * start.accuracyMetres + accuracy * accuracy
    let raw = start.place.distanceMetres(to: place)
    let isInFull = rules.isAsObserved || accuracy <= Odometer.fullTrustAccuracyMetres
    if source == .rest && raw <= Odometer.restErrorFactor * variance.squareRoot() { return .skipped }
    var step = isInFull ? raw : max(0, raw - variance.squareRoot())
    // Only steps of one pace are alike. The step to a motion change, or from fence to fence, counts unsmoothed and does
    // not lengthen later steps (SDK §17). Logs show it smoothed at motion changes only.
    var kalman = kalman
    if source != .tracked && !(rules.isAsObserved && source == .motionChange) {
      kalman = StepKalman()
    } else if rules.usesKalman {
      step = kalman.smooth(
        StepKalman.Measurement(
          lengthMetres: step, accuracyMetres: accuracy, speed: fix.coords.speed ?? 0,
          distanceFilterMetres: distanceFilterMetres))
    }
    if source == .motionChange, let limit = limitMetres(from: start, to: here, distanceFilterMetres, rules),
      step > limit
    {
      guard rules.policy == .adjust else {
        self.kalman = kalman
        return .rejected(metres: step)
      }
      step = limit
    }
    self.kalman = kalman
    steps.append(step)
    metres += step
    errorMetres = (errorMetres * errorMetres + variance).squareRoot()
    reference = here
    return .advanced(metres: step)
  }

  /// Returns the limit of a step to a motion change. Tracked fixes have passed the location filter: a public device log
  /// shows the same step of 210 metres rejected at a motion change and then counted as tracked. Between geofences any
  /// length is plausible. A device as observed ignores the elapsed time: the limit cuts off most of the distance out of
  /// its region of rest at the motion change, and that distance counts with the updates (SDK §17.3).
  private func limitMetres(
    from start: Reference, to end: Reference, _ distanceFilterMetres: Double, _ rules: OdometerRules
  ) -> Double? {
    guard rules.policy != .passThrough else { return nil }
    let byPace = steps.mean().map { Odometer.limitFactor * $0 }
    let byFilter = Odometer.limitFactor * distanceFilterMetres
    if rules.isAsObserved { return min(byPace ?? .infinity, byFilter) }
    let seconds = max(0, Double(end.timestamp.milliseconds(since: start.timestamp)) / 1_000)
    return max(byPace ?? 0, byFilter, rules.maxImpliedSpeedMetresPerSecond * seconds)
  }
}

/// The settings of the odometer.
package struct OdometerRules: Equatable, Sendable {
  /// The accuracy above which a fix does not count.
  package var accuracyThresholdMetres: Double
  package var usesKalman: Bool
  package var policy: FilterPolicy
  package var maxImpliedSpeedMetresPerSecond: Double
  /// Whether to count as the logs of real devices show, faults included. Tracked steps are measured from the last fix
  /// of the updates, so the distance to a motion change, whose fix is repeated in the updates, counts twice (SDK §17).
  /// Their length is never reduced by errors. A rejected motion change still updates the Kalman filter.
  package var isAsObserved: Bool

  package init(_ settings: LocationFilterSettings, isAsObserved: Bool = false) {
    accuracyThresholdMetres = settings.odometerAccuracyThresholdMetres
    usesKalman = settings.odometerUseKalmanFilter
    policy = settings.odometerPolicy
    maxImpliedSpeedMetresPerSecond = settings.maxImpliedSpeedMetresPerSecond
    self.isAsObserved = isAsObserved
  }
}

/// The source of a fix for the odometer.
package enum OdometerSource: CaseIterable, Sendable {
  /// A fix that passed the location filter.
  case tracked
  case motionChange
  /// A record at rest other than a motion change: minor motion (SDK §17.5).
  case rest
  /// A geofence transition, or the exit from the stationary region.
  case transition

  /// In geofence-only mode the odometer advances only at transitions and exits, otherwise never at them
  /// (SDK §15.6, §17).
  func counts(isGeofenceMode: Bool) -> Bool { (self == .transition) == isGeofenceMode }
}

/// The effect of a fix on the odometer.
package enum OdometerStep: Equatable, Sendable {
  /// The accuracy is unknown or insufficient, or fixes from this source do not count.
  case skipped
  /// The first fix since the reference was cleared: counting starts here.
  case began
  /// The step is too long; counting continues from the previous reference.
  case rejected(metres: Double)
  case advanced(metres: Double)
}
