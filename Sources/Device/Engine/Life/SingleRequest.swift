import Base
import Contract
import Vocabulary

/// A request for one position (SDK §13.1).
struct SingleRequest: Sendable {
  enum Purpose: Sendable {
    case motionChange(retriesLeft: Int)
    case motionState
    /// Android with significant changes: the place of a device that went nowhere for the stop timeout.
    case stationaryCheck
    /// Geofence mode: the place at which to determine the monitored fences.
    case proximity
    case geofence(GeofenceTrigger, Geofence, RecordKind)
    case providerChange(ProviderState)
    case current(PositionRequest)
    case odometer(metres: Double, PositionRequest)
  }

  let purpose: Purpose
  private(set) var terms: RequestTerms
  private let began: MonotonicInstant
  /// Nil after a timeout without any position: the next one is taken, whenever it comes.
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

  /// The label in the SDK's log.
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

  /// Whether intermediate positions are delivered to the app as samples.
  var showsSamples: Bool {
    switch purpose {
    case .motionChange, .stationaryCheck, .geofence, .providerChange, .current, .odometer: true
    case .motionState, .proximity: false
    }
  }

  /// Fulfilled by a good position, else by the best of enough positions, the newer of equals (SDK §13.1). Returns false
  /// for an invalid position and for one that is too old, which does not count however good it is.
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

  /// Waits for the first position of the process, for the record of a crossing (SDK §15.3.5). False for requests that may fail.
  mutating func goOnForAny() -> Bool {
    guard case .geofence = purpose, best == nil else { return false }
    (deadline, terms.samples) = (nil, 1)
    return true
  }

  /// Reports whether a known position suffices; only requests with an allowed age ask.
  func accepts(cached fix: Fix, at now: Moment, profile: PlatformProfile) -> Bool {
    guard terms.maximumAgeMilliseconds > 0, let accuracy = fix.coords.accuracy, accuracy >= 0 else { return false }
    return accuracy <= terms.desiredAccuracyMetres && isFresh(fix, at: now, profile: profile)
  }

  /// A position from the future is invalid: the clock was set back after it (SDK §14.2).
  static func isFuture(_ fix: Fix, at now: WallInstant) -> Bool {
    fix.timestamp.milliseconds(since: now) > LocationFilter.futureToleranceMilliseconds
  }

  /// Discards the best position if the clock was set back since.
  mutating func forgetFuture(at now: WallInstant) {
    if let known = best, Self.isFuture(known, at: now) { (best, count) = (nil, 0) }
  }

  /// Without an allowed age the position must not be older than the request, whose age is measured by the monotonic
  /// clock: the wall clock may have been set since.
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
