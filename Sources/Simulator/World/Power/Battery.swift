package import Base

/// A battery whose level is a straight line until somebody changes the load.
package struct Battery: Equatable, Sendable {
  private var level: Double
  private var since: MonotonicInstant
  /// Of the whole, per hour; negative while charging.
  package private(set) var drainPerHour: Double

  /// `level` is 0 to 1.
  package init(level: Double, drainPerHour: Double, at instant: MonotonicInstant) {
    precondition(level >= 0 && level <= 1, "a battery is between empty and full")
    self.level = level
    self.drainPerHour = drainPerHour
    since = instant
  }

  /// As devices have it in the morning or later: between half and full, by the device's own draw.
  package static func drawn(drainPerHour: Double, at instant: MonotonicInstant, seed: UInt64, device: UInt64) -> Battery
  {
    var stream = Concern.battery.stream(seed: seed, device: device)
    return Battery(level: 0.5 + 0.5 * stream.uniform(), drainPerHour: drainPerHour, at: instant)
  }

  package var isCharging: Bool { drainPerHour < 0 }

  /// 0 to 1, not before the last change of the load.
  package func level(at instant: MonotonicInstant) -> Double {
    min(max(level - drainPerHour * (instant - since).seconds / 3_600, 0), 1)
  }

  /// Changes the load.
  package mutating func drain(perHour drain: Double, from instant: MonotonicInstant) {
    level = level(at: instant)
    since = instant
    drainPerHour = drain
  }

  /// When the level reaches a mark under this load; nil when it does not, or is there already.
  package func instant(ofLevel mark: Double) -> MonotonicInstant? {
    precondition(mark >= 0 && mark <= 1, "a battery is between empty and full")
    guard drainPerHour != 0 else { return nil }
    let hours = (level - mark) / drainPerHour
    guard hours > 0, hours < 1e6 else { return nil }
    return MonotonicInstant(secondsRoundedUp: since.seconds + hours * 3_600)
  }
}
