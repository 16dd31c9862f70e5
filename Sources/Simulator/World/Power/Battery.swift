package import Base

/// How full phones are: they lose power evenly; people plug them in when they are low, and unplug them when they are full.
/// So the level is a saw of straight lines, known at any time without a memory.
package struct Battery: Equatable, Sendable {
  /// Between which levels they begin, 0 to 1.
  package let start: ClosedRange<Double>
  /// Share of the whole.
  package let drainPerHour: Double

  private static let low = 0.15
  private static let chargePerHour = 0.5

  package init(start: ClosedRange<Double> = 0.5...1, drainPerHour: Double = 0.06) {
    precondition(start.lowerBound >= 0 && start.upperBound <= 1 && drainPerHour >= 0, "a battery is not more than full")
    (self.start, self.drainPerHour) = (start, drainPerHour)
  }

  /// What the battery of a device says, in whole percent, and whether it is being charged.
  package func reading(at instant: MonotonicInstant, seed: UInt64, device: UInt64) -> (percent: Int, isCharging: Bool) {
    var stream = Concern.battery.stream(seed: seed, device: device)
    let first = start.lowerBound + (start.upperBound - start.lowerBound) * stream.uniform()
    let (level, isCharging) = level(from: first, afterHours: instant.seconds / 3_600)
    return (Int((100 * level).rounded()), isCharging)
  }

  private func level(from first: Double, afterHours hours: Double) -> (Double, isCharging: Bool) {
    guard drainPerHour > 0 else { return (first, false) }
    var rest = hours
    if first > Battery.low {
      let draining = (first - Battery.low) / drainPerHour
      if rest < draining { return (first - drainPerHour * rest, false) }
      rest -= draining
    } else {
      let charging = (1 - first) / Battery.chargePerHour
      if rest < charging { return (first + Battery.chargePerHour * rest, true) }
      // Full: as far into a round as one that has just been charged.
      rest += (1 - Battery.low) / Battery.chargePerHour - charging
    }
    let charging = (1 - Battery.low) / Battery.chargePerHour
    let round = charging + (1 - Battery.low) / drainPerHour
    rest -= (rest / round).rounded(.down) * round
    return rest < charging
      ? (Battery.low + Battery.chargePerHour * rest, true) : (1 - drainPerHour * (rest - charging), false)
  }
}
