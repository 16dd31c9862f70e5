/// What the location filter computed for one fix, as the log shows it (SDK §14.2). Metres and metres per second.
package struct FilterTrace: Equatable, Sendable {
  /// What became of the fix.
  package enum Decision: String, Sendable {
    case accepted = "Accepted"
    case adjusted = "Adjusted"
    case rejected = "Rejected"
  }

  package var decision: Decision
  /// `OK`, or why it was rejected or adjusted.
  package var reason: String
  package var raw: Double
  package var effective: Double
  package var smoothed: Double
  package var cap: Double
  package var accuracy: Double
  package var speed: Double
  package var sigma: Double
  package var distanceFilter: Double

  package init(
    decision: Decision, reason: String, raw: Double, effective: Double, smoothed: Double, cap: Double,
    accuracy: Double, speed: Double, sigma: Double, distanceFilter: Double
  ) {
    self.decision = decision
    self.reason = reason
    self.raw = raw
    self.effective = effective
    self.smoothed = smoothed
    self.cap = cap
    self.accuracy = accuracy
    self.speed = speed
    self.sigma = sigma
    self.distanceFilter = distanceFilter
  }
}
