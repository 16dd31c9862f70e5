package import Base
package import Contract
package import Vocabulary

/// Decides which fixes are plausible (SDK §14.2). Coordinates are never changed; only the length of a step is
/// smoothed and capped, and the log shows it.
package struct LocationFilter: Sendable {
  /// The time by which a fix may be later than the device's clock; the sources give no number.
  static let futureToleranceMilliseconds: Int64 = 1_000
  /// The assumed duration of a step during which the clock was set back.
  static let unknownSeconds = 3_600.0
  /// The adaptive cap in mean steps, or in distance filters; the exact formula is not public.
  static let capFactor = 3.0

  /// The last delivered fix.
  private struct Anchor {
    var place: Coordinate
    var accuracyMetres: Double
    var timestamp: WallInstant
  }

  /// A fix with the results of the checks so far.
  private struct Candidate {
    var place: Coordinate
    var accuracyMetres: Double
    var speed: Double
    var timestamp: WallInstant
    var seconds: Double
    var raw: Double
    var effective: Double
  }

  private var anchor: Anchor?
  private var lastTimestamp: WallInstant?
  private var steps = RollingWindow<20>()
  private var kalman = StepKalman()
  /// The sum of the squared accuracies of the delivered fixes.
  private var variance = 0.0

  package init() {}

  /// The place of the last delivered fix.
  package var lastPlace: Coordinate? { anchor?.place }

  /// Judges each fix of an enabled device, in the order of arrival. `distanceFilterMetres` is the effective one at this fix.
  package mutating func judge(
    _ fix: Fix, at now: WallInstant, distanceFilterMetres: Double, rules: FilterRules
  ) -> FilterVerdict {
    if let last = lastTimestamp, LocationFilter.isFuture(last, at: now) { lastTimestamp = nil }
    let sinceLast = lastTimestamp.map { fix.timestamp.milliseconds(since: $0) } ?? 0
    guard let accuracy = fix.coords.accuracy, accuracy >= 0,
      let place = fix.coords.place
    else { return .ignored(.invalid, sinceLastMilliseconds: sinceLast) }
    guard !LocationFilter.isFuture(fix.timestamp, at: now) else {
      return .ignored(.future, sinceLastMilliseconds: sinceLast)
    }
    if lastTimestamp != nil, sinceLast <= 0, let reason = staleness(at: place, sinceLast, rules) {
      return .ignored(reason, sinceLastMilliseconds: sinceLast)
    }
    var candidate = Candidate(
      place: place, accuracyMetres: accuracy, speed: fix.coords.speed ?? -1, timestamp: fix.timestamp, seconds: 0,
      raw: 0, effective: 0)
    if let anchor {
      let elapsed = max(0, Double(fix.timestamp.milliseconds(since: anchor.timestamp)) / 1_000)
      candidate.seconds =
        LocationFilter.isFuture(anchor.timestamp, at: now) ? LocationFilter.unknownSeconds : elapsed
      candidate.raw = anchor.place.distanceMetres(to: place)
      let error = (anchor.accuracyMetres * anchor.accuracyMetres + accuracy * accuracy).squareRoot()
      candidate.effective = max(0, candidate.raw - error)
      if rules.platform == .android, rules.speedJumpFilter > 0,
        candidate.raw > rules.speedJumpFilter * candidate.seconds
      {
        return .ignored(.speedJump, sinceLastMilliseconds: sinceLast)
      }
    }
    lastTimestamp = fix.timestamp
    return judge(candidate, distanceFilterMetres: distanceFilterMetres, rules: rules)
  }

  /// Forgets the lengths of steps when the device comes to rest, but not its place.
  package mutating func forgetPace() {
    steps.removeAll()
    kalman = StepKalman()
  }

  static func isFuture(_ timestamp: WallInstant, at now: WallInstant) -> Bool {
    timestamp.milliseconds(since: now) > futureToleranceMilliseconds
  }

  private func staleness(
    at place: Coordinate, _ sinceLast: Int64, _ rules: FilterRules
  ) -> FilterVerdict.IgnoreReason? {
    guard rules.platform == .android, sinceLast == 0, place == anchor?.place else { return .notNewer }
    return rules.allowsIdenticalLocations ? nil : .identical
  }

  private mutating func judge(
    _ candidate: Candidate, distanceFilterMetres: Double, rules: FilterRules
  ) -> FilterVerdict {
    let settings = rules.settings
    var trace = FilterTrace(
      decision: .accepted, reason: "OK", raw: candidate.raw, effective: candidate.effective,
      smoothed: candidate.effective, cap: cap(candidate, distanceFilterMetres, settings),
      accuracy: candidate.accuracyMetres, speed: candidate.speed, sigma: variance.squareRoot(),
      distanceFilter: distanceFilterMetres)

    var step = candidate.raw
    let limits = exceededLimits(candidate, cap: trace.cap, settings)
    if candidate.accuracyMetres > settings.trackingAccuracyThresholdMetres {
      return LocationFilter.rejection(.lowAccuracy, trace)
    } else if let limits {
      switch rules.policy {
      case .passThrough: break
      case .conservative: return LocationFilter.rejection(limits.reason, trace)
      case .adjust:
        trace.decision = .adjusted
        trace.reason = limits.reason.rawValue
        step = limits.metres
      }
    }
    trace.smoothed = min(candidate.effective, step)
    if settings.useKalman, anchor != nil {
      trace.smoothed = kalman.smooth(
        StepKalman.Measurement(
          lengthMetres: trace.smoothed, accuracyMetres: candidate.accuracyMetres, speed: candidate.speed,
          distanceFilterMetres: distanceFilterMetres),
        profile: settings.kalmanProfile)
    }
    if anchor != nil { steps.append(step) }
    anchor = Anchor(
      place: candidate.place, accuracyMetres: candidate.accuracyMetres, timestamp: candidate.timestamp)
    variance += candidate.accuracyMetres * candidate.accuracyMetres
    return .delivered(trace)
  }

  private func cap(
    _ candidate: Candidate, _ distanceFilterMetres: Double, _ settings: LocationFilterSettings
  ) -> Double {
    max(
      LocationFilter.capFactor * (steps.mean(ofLast: settings.rollingWindow) ?? 0),
      LocationFilter.capFactor * distanceFilterMetres,
      settings.maxImpliedSpeedMetresPerSecond * candidate.seconds)
  }

  /// Returns nil for a plausible step, otherwise the first reason and the smallest of the exceeded limits.
  private func exceededLimits(
    _ candidate: Candidate, cap: Double, _ settings: LocationFilterSettings
  ) -> (reason: FilterVerdict.Rejection, metres: Double)? {
    let fastest = settings.maxImpliedSpeedMetresPerSecond * candidate.seconds
    let isTooFast = candidate.raw > fastest
    let burst = candidate.seconds <= settings.burstWindowSeconds ? settings.maxBurstDistanceMetres : cap
    let isOutlier = candidate.raw > min(burst, cap)
    guard isTooFast || isOutlier else { return nil }
    let metres = min(isTooFast ? fastest : .infinity, isOutlier ? min(burst, cap) : .infinity)
    return (isTooFast ? .impliedSpeed : .outlierCapped, metres)
  }

  private static func rejection(_ reason: FilterVerdict.Rejection, _ trace: FilterTrace) -> FilterVerdict {
    var trace = trace
    trace.decision = .rejected
    trace.reason = reason.rawValue
    return .rejected(trace, reason)
  }
}

/// The result for a fix.
package enum FilterVerdict: Equatable, Sendable {
  /// The decision is `accepted` or `adjusted`; an adjusted step is shorter, the coordinates are the fix's.
  case delivered(FilterTrace)
  /// Neither delivered nor persisted; the event `locationfilter` gives the reason.
  case rejected(FilterTrace, Rejection)
  /// Ignored, except that the log may mention it.
  case ignored(IgnoreReason, sinceLastMilliseconds: Int64)

  /// The `reason` of `locationfilter` (SDK §6).
  package enum Rejection: String, CaseIterable, Sendable {
    case lowAccuracy = "low-accuracy"
    case impliedSpeed = "implied-speed"
    case outlierCapped = "outlier-capped"
  }

  /// The reason why a fix does not reach the location filter.
  package enum IgnoreReason: CaseIterable, Sendable {
    /// No accuracy, a negative one, or an invalid place.
    case invalid
    /// A time in the future.
    case future
    /// No newer than the last fix.
    case notNewer
    /// Identical to the last fix; Android only.
    case identical
    /// Faster than `speedJumpFilter`; Android only.
    case speedJump
  }
}

/// The location filter's part of a configuration, small enough to pass with every fix.
package struct FilterRules: Equatable, Sendable {
  package var settings: LocationFilterSettings
  package var policy: FilterPolicy
  package var platform: DevicePlatform
  package var allowsIdenticalLocations: Bool
  /// Metres per second, 0 or less for no limit; Android only.
  package var speedJumpFilter: Double

  package init(_ configuration: Configuration) {
    settings = configuration.geolocation.filter
    policy = configuration.effectiveFilterPolicy
    platform = configuration.platform
    allowsIdenticalLocations = configuration.geolocation.allowIdenticalLocations
    speedJumpFilter = configuration.geolocation.speedJumpFilterMetresPerSecond
  }
}

/// The last few numbers of a series.
struct RollingWindow<let capacity: Int>: Sendable {
  private var values = InlineArray<capacity, Double>(repeating: 0)
  private var next: UInt8 = 0
  private(set) var count: UInt8 = 0

  mutating func append(_ value: Double) {
    values[Int(next)] = value
    next = UInt8((Int(next) + 1) % capacity)
    count = UInt8(min(Int(count) + 1, capacity))
  }

  mutating func removeAll() {
    next = 0
    count = 0
  }

  /// Returns the mean of the last `limit` values, or of as many as there are; nil when there are none.
  func mean(ofLast limit: Int = capacity) -> Double? {
    let used = min(Int(count), limit)
    guard used > 0 else { return nil }
    var sum = 0.0
    for age in 1...used { sum += values[(Int(next) + capacity - age) % capacity] }
    return sum / Double(used)
  }
}
