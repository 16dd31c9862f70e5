import Base
package import Contract
package import Vocabulary

/// The distance a device has gone, with its error (SDK §17). Only `set` makes it smaller.
package struct Odometer: Sendable {
  /// Steps to a fix at least so good count in full; from others the error of both fixes is taken off.
  static let fullTrustAccuracyMetres = 10.0
  /// A step to a motion change may be so many mean steps and so many distance filters long.
  static let limitFactor = 3.0
  /// At rest a step counts that is longer than so many times what both its ends may be wrong.
  static let restErrorFactor = 2.0

  private struct Reference {
    var place: Coordinate
    var accuracyMetres: Double
    var timestamp: WallInstant
  }

  package private(set) var metres: Double
  /// Grows with the accuracies of all fixes that were counted.
  package private(set) var errorMetres: Double
  private var reference: Reference?
  /// The last fix of the stream, however good; counts only for a device that is as observed.
  private var lastTracked: Reference?
  private var kalman = StepKalman()
  private var steps = RollingWindow<5>()

  /// As it was when the device was last switched off.
  package init(metres: Double = 0, errorMetres: Double = 0) {
    self.metres = metres
    self.errorMetres = errorMetres
  }

  /// `setOdometer` and `resetOdometer`: a new value without error. The way to the next fix does not count.
  package mutating func set(metres: Double) { self = Odometer(metres: metres) }

  /// The position that came with `set`: counting begins there, unless it has begun already.
  package mutating func begin(at fix: Fix) {
    guard reference == nil, let place = fix.coords.place,
      let accuracy = fix.coords.accuracy, accuracy >= 0
    else { return }
    reference = Reference(place: place, accuracyMetres: accuracy, timestamp: fix.timestamp)
    lastTracked = reference
  }

  /// A device as observed has rested: the pace of its next step is unknown.
  package mutating func forgetPace() { kalman = StepKalman() }

  /// At `stop()` and `startGeofences()`: the way that is not tracked does not count.
  package mutating func clearReference() {
    self = Odometer(metres: metres, errorMetres: errorMetres)
  }

  /// For each fix of a device that is enabled. `distanceFilterMetres` is the effective one at this fix.
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
    // Only steps of one pace are alike. The way to a motion change, or from fence to fence, is as long as it is, and
    // does not lengthen the steps that follow (SDK §17). Logs show it smoothed at motion changes only.
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

  /// The limits are for the fixes of motion changes. Tracked ones have passed the location filter: a public device log
  /// shows one and the same step of 210 metres refused at a motion change and counted right after as tracked. From one
  /// geofence to the next any length is plausible. A device as observed knows no time: the greater part of the way out of
  /// the region around its rest is too long for it at the motion change, and counts with the stream (SDK §17.3).
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

/// How the odometer counts.
package struct OdometerRules: Equatable, Sendable {
  /// Steps to a worse fix do not count.
  package var accuracyThresholdMetres: Double
  package var usesKalman: Bool
  package var policy: FilterPolicy
  package var maxImpliedSpeedMetresPerSecond: Double
  /// As the log of a real device shows it, faults included. Tracked steps are measured from the last fix of the stream,
  /// so that the way to a motion change, whose fix comes again in the stream, counts twice (SDK §17). Their
  /// length is never lessened by the errors. A motion change that is refused still moves the Kalman filter.
  package var isAsObserved: Bool

  package init(_ settings: LocationFilterSettings, isAsObserved: Bool = false) {
    accuracyThresholdMetres = settings.odometerAccuracyThresholdMetres
    usesKalman = settings.odometerUseKalmanFilter
    policy = settings.odometerPolicy
    maxImpliedSpeedMetresPerSecond = settings.maxImpliedSpeedMetresPerSecond
    self.isAsObserved = isAsObserved
  }
}

/// What brought the fix that an odometer is told of.
package enum OdometerSource: CaseIterable, Sendable {
  /// The location filter has let it through.
  case tracked
  case motionChange
  /// A record of a device at rest that is no motion change: minor motion (SDK §17.5).
  case rest
  /// A geofence transition, or the exit from the region around a device at rest.
  case transition

  /// In geofence-only mode the odometer advances only at transitions and exits, otherwise never at them (behaviour
  /// §15.6, §17).
  func counts(isGeofenceMode: Bool) -> Bool { (self == .transition) == isGeofenceMode }
}

/// What a fix did to the odometer.
package enum OdometerStep: Equatable, Sendable {
  /// Its accuracy is unknown or too bad, or fixes from this source do not count.
  case skipped
  /// The first fix since the reference was cleared: counting begins here.
  case began
  /// Too long a step; counting goes on from where it was.
  case rejected(metres: Double)
  case advanced(metres: Double)
}
