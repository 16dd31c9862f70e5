package import Base

/// How a body gets about; one object for all that do it alike.
package final class Transport: Sendable {
  /// Stops for no reason that a map would know.
  package struct Stops: Equatable, Sendable {
    package let perKilometre: Double
    /// Seconds.
    package let duration: Distribution

    package init(perKilometre: Double, duration: Distribution) {
      self.perKilometre = perKilometre
      self.duration = duration
    }
  }

  package let mover: Mover
  /// Standard deviation of the top speed between bodies, as a share of it.
  package let speedVariation: Double
  package let stops: Stops?
  package let activity: MotionActivity
  /// What the motion sensors report on the way; nil: they are right for most of the time.
  package let shares: ActivityShares?

  package init(
    mover: Mover, speedVariation: Double = 0, stops: Stops? = nil, activity: MotionActivity,
    shares: ActivityShares? = nil
  ) {
    precondition(speedVariation >= 0 && (stops?.perKilometre ?? 0) >= 0, "there is no less than none")
    self.mover = mover
    self.speedVariation = speedVariation
    self.stops = stops
    self.activity = shares?.truth ?? activity
    self.shares = shares
  }

  package static let car = Transport(mover: .car, activity: .inVehicle)
  package static let bicycle = Transport(mover: .bicycle, activity: .onBicycle)
  package static let foot = Transport(mover: .pedestrian, activity: .walking)

  /// The same with another top speed.
  package func faster(by factor: Double) -> Transport {
    var mover = mover
    mover.topSpeed *= factor
    return Transport(
      mover: mover, speedVariation: speedVariation, stops: stops, activity: activity, shares: shares)
  }

  /// The mover of one body: its top speed is its own, and the same on all its ways.
  func mover(seed: UInt64, device: UInt64) -> Mover {
    guard speedVariation > 0 else { return mover }
    var stream = Concern.gait.stream(seed: seed, device: device)
    var own = mover
    own.topSpeed *= min(max(1 + speedVariation * stream.normal(), 0.2), 3)
    return own
  }
}
