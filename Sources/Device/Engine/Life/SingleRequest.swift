import Base
import Contract
import Vocabulary

/// A request for one position (SDK §13.1).
struct SingleRequest: Sendable {
  enum Purpose: Sendable {
    case motionChange(retriesLeft: Int)
    case motionState
    /// Where a device is that has gone nowhere for the time of a stop, with significant changes on Android.
    case stationaryCheck
    /// Where the set of monitored fences is to be looked up, in geofence mode.
    case proximity
    case geofence(GeofenceTrigger, Geofence, RecordKind)
    case providerChange(ProviderState)
    case current(PositionRequest)
    case odometer(metres: Double, PositionRequest)
  }

  let purpose: Purpose
  private(set) var terms: RequestTerms
  private let began: MonotonicInstant
  /// Nil when its time is over without any position: the next one is taken, whenever it comes.
  private(set) var deadline: MonotonicInstant?
  private(set) var best: Fix?
  private(set) var isFulfilled = false
  private var count = 0

  init(_ purpose: Purpose, terms: RequestTerms, at now: Moment) {
    self.purpose = purpose
    self.terms = terms
    began = now.monotonic
    deadline = now.monotonic + Nanoseconds(seconds: terms.timeoutSeconds)
  }

  /// As in the SDK's log.
  var label: String {
    switch purpose {
    case .motionChange, .stationaryCheck: "motionchange"
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
    case .motionChange, .stationaryCheck, .geofence, .providerChange, .current, .odometer: true
    case .motionState, .proximity: false
    }
  }

  /// Early, when the position is good; else the best when there are enough of them, of equals the newer (SDK §13.1).
  /// False for what is no position, and for one that is too old: it counts for nothing, however good it is.
  mutating func take(_ fix: Fix, at now: Moment, isCoarse: Bool, profile: PlatformProfile) -> Bool {
    forgetFuture(at: now.wall)
    guard let accuracy = fix.coords.accuracy, accuracy >= 0, isFresh(fix, at: now, profile: profile) else {
      return false
    }
    count += 1
    let desired =
      isCoarse ? max(terms.desiredAccuracyMetres, profile.reducedAccuracyMetres) : terms.desiredAccuracyMetres
    if accuracy <= best?.coords.accuracy ?? .infinity { best = fix }
    isFulfilled = accuracy <= desired || count >= terms.samples
    return true
  }

  /// The record of a crossing waits for the first position of the process (SDK §15.3.5). False for what can fail.
  mutating func goOnForAny() -> Bool {
    guard case .geofence = purpose, best == nil else { return false }
    (deadline, terms.samples) = (nil, 1)
    return true
  }

  /// Whether a position that the device still has would do at once; only requests that allow some age ask.
  func accepts(cached fix: Fix, at now: Moment, profile: PlatformProfile) -> Bool {
    guard terms.maximumAgeMilliseconds > 0, let accuracy = fix.coords.accuracy, accuracy >= 0 else { return false }
    return accuracy <= terms.desiredAccuracyMetres && isFresh(fix, at: now, profile: profile)
  }

  /// A position from the future is none: the clock was set back after it (SDK §14.2).
  static func isFuture(_ fix: Fix, at now: WallInstant) -> Bool {
    fix.timestamp.milliseconds(since: now) > LocationFilter.futureToleranceMilliseconds
  }

  /// The best so far is none when the clock was set back since.
  mutating func forgetFuture(at now: WallInstant) {
    if let known = best, Self.isFuture(known, at: now) { (best, count) = (nil, 0) }
  }

  /// Without an allowed age it must be no older than the request. How old that is the monotonic clock says: the other
  /// one may have been set since.
  private func isFresh(_ fix: Fix, at now: Moment, profile: PlatformProfile) -> Bool {
    if Self.isFuture(fix, at: now.wall) { return false }
    let age = now.wall.milliseconds(since: fix.timestamp)
    if terms.maximumAgeMilliseconds > 0 { return Double(age) <= terms.maximumAgeMilliseconds }
    return age <= (now.monotonic - began).count / 1_000_000 + profile.newnessToleranceMilliseconds
  }
}

/// A running `watchPosition`.
struct PositionWatch: Sendable {
  let request: WatchRequest
  var lastDelivery: MonotonicInstant?

  init(_ request: WatchRequest) { self.request = request }

  func isDue(at now: MonotonicInstant) -> Bool {
    guard let lastDelivery else { return true }
    return now - lastDelivery >= Nanoseconds(seconds: request.intervalMilliseconds / 1_000)
  }
}
