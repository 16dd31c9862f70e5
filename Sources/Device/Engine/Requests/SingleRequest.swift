import Base
import Contract
import Vocabulary

/// A position that somebody waits for (behaviour §13.1).
struct SingleRequest: Sendable {
  enum Purpose: Sendable {
    case motionChange(retriesLeft: Int)
    case motionState
    /// Where the set of monitored fences is to be looked up, in geofence mode.
    case proximity
    case geofence(GeofenceTrigger, Geofence, RecordKind)
    case providerChange(ProviderState)
    case current(PositionRequest)
    case odometer(metres: Double, PositionRequest)
  }

  let purpose: Purpose
  let terms: RequestTerms
  let began: WallInstant
  let deadline: MonotonicInstant
  private(set) var best: Fix?
  private(set) var isFulfilled = false
  private var count = 0

  init(_ purpose: Purpose, terms: RequestTerms, at now: Moment) {
    self.purpose = purpose
    self.terms = terms
    began = now.wall
    deadline = now.monotonic + Nanoseconds(seconds: terms.timeoutSeconds)
  }

  /// As in the SDK's log.
  var label: String {
    switch purpose {
    case .motionChange: "motionchange"
    case .motionState: "motionState"
    case .proximity: "proximity"
    case .geofence(let trigger, _, _): "TSGeofenceTransition:\(trigger.action.rawValue):\(trigger.identifier)"
    case .providerChange: "providerchange"
    case .current(let request), .odometer(_, let request): request.label
    }
  }

  /// Whether the app sees what comes on the way as samples.
  var showsSamples: Bool {
    switch purpose {
    case .motionChange, .geofence, .providerChange, .current, .odometer: true
    case .motionState, .proximity: false
    }
  }

  /// Early, when the position is good and new enough; else the best when there are enough of them, of equals the newer.
  /// False for what is no position.
  mutating func take(_ fix: Fix, at now: WallInstant, isCoarse: Bool, profile: PlatformProfile) -> Bool {
    forgetFuture(at: now)
    guard let accuracy = fix.coords.accuracy, accuracy >= 0, !isFuture(fix, at: now) else { return false }
    count += 1
    let desired =
      isCoarse ? max(terms.desiredAccuracyMetres, profile.reducedAccuracyMetres) : terms.desiredAccuracyMetres
    if accuracy <= desired && isFresh(fix, at: now, profile: profile) {
      best = fix
      isFulfilled = true
      return true
    }
    if accuracy <= best?.coords.accuracy ?? .infinity { best = fix }
    if count >= terms.samples, let best {
      isFulfilled = terms.allowsStale || isFresh(best, at: now, profile: profile)
    }
    return true
  }

  /// Whether a position that the device still has would do at once; only requests that allow some age ask.
  func accepts(cached fix: Fix, at now: WallInstant, profile: PlatformProfile) -> Bool {
    guard terms.maximumAgeMilliseconds > 0, let accuracy = fix.coords.accuracy, accuracy >= 0 else { return false }
    return accuracy <= terms.desiredAccuracyMetres && isFresh(fix, at: now, profile: profile)
  }

  /// A position from the future is none: the clock was set back after it (behaviour §14.2).
  private func isFuture(_ fix: Fix, at now: WallInstant) -> Bool {
    fix.timestamp.milliseconds(since: now) > LocationFilter.futureToleranceMilliseconds
  }

  /// The best so far is none when the clock was set back since.
  mutating func forgetFuture(at now: WallInstant) {
    if let known = best, isFuture(known, at: now) { (best, count) = (nil, 0) }
  }

  private func isFresh(_ fix: Fix, at now: WallInstant, profile: PlatformProfile) -> Bool {
    if isFuture(fix, at: now) { return false }
    return if terms.maximumAgeMilliseconds > 0 {
      Double(now.milliseconds(since: fix.timestamp)) <= terms.maximumAgeMilliseconds
    } else {
      fix.timestamp.milliseconds(since: began) >= -profile.newnessToleranceMilliseconds
    }
  }
}
