package import Base

/// The events that an owner causes on a phone: two Poisson processes during waking hours. The next event is computed from the
/// last; an event is not interrupted by another.
package struct Habits: Sendable {
  private let rates: HabitRates
  private let clock: DayClock
  private var kills: RestingStream
  private var reboots: RestingStream
  private var nextKill: HabitEvent?
  private var nextReboot: HabitEvent?

  /// From seven in the morning to eleven at night.
  private static let wakes = 25_200.0
  private static let awakeSeconds = 57_600.0

  package init(rates: HabitRates, clock: DayClock, start: MonotonicInstant, seed: UInt64, device: UInt64) {
    self.rates = rates
    self.clock = clock
    kills = RestingStream(.appKills, seed: seed, device: device)
    reboots = RestingStream(.reboots, seed: seed, device: device)
    nextKill = kill(after: start)
    nextReboot = reboot(after: start)
  }

  package var nextInstant: MonotonicInstant? {
    guard let kill = nextKill?.instant else { return nextReboot?.instant }
    return nextReboot.map { min($0.instant, kill) } ?? kill
  }

  /// Takes the next event; nil without one.
  package mutating func takeEvent() -> HabitEvent? {
    guard let event = earlier(nextKill, nextReboot) else { return nil }
    if let kill = nextKill, kill.instant <= event.end { nextKill = self.kill(after: event.end) }
    if let reboot = nextReboot, reboot.instant <= event.end { nextReboot = self.reboot(after: event.end) }
    return event
  }

  private func earlier(_ left: HabitEvent?, _ right: HabitEvent?) -> HabitEvent? {
    guard let left, let right else { return left ?? right }
    return right.instant < left.instant ? right : left
  }

  private mutating func kill(after instant: MonotonicInstant) -> HabitEvent? {
    guard let due = due(after: instant, perHour: rates.killsPerHour, from: &kills) else { return nil }
    let span = Habits.draw(rates.relaunchSeconds, from: &kills)
    return HabitEvent(instant: due, kind: .killsApp(relaunch: MonotonicInstant(secondsRoundedUp: due.seconds + span)))
  }

  private mutating func reboot(after instant: MonotonicInstant) -> HabitEvent? {
    guard let due = due(after: instant, perHour: rates.rebootsPerHour, from: &reboots) else { return nil }
    let span = Habits.draw(rates.bootSeconds, from: &reboots)
    return HabitEvent(instant: due, kind: .reboots(isBack: MonotonicInstant(secondsRoundedUp: due.seconds + span)))
  }

  private static func draw(_ span: Distribution, from stream: inout RestingStream) -> Double {
    // No event ends before it begins.
    min(max(stream.draw { span.draw(from: &$0) }, 0.001), Distribution.longestSeconds)
  }

  /// Returns the next event. The waiting time is exponential in waking hours; nights are skipped.
  private func due(
    after instant: MonotonicInstant, perHour rate: Double, from stream: inout RestingStream
  ) -> MonotonicInstant? {
    guard rate > 0 else { return nil }
    let day = clock.day(at: instant)
    let awakeToday = min(max(clock.timeOfDay(at: instant) - Habits.wakes, 0), Habits.awakeSeconds)
    let awake = awakeToday + stream.draw { $0.exponential(mean: 3_600 / rate) }
    let days = (awake / Habits.awakeSeconds).rounded(.down)
    guard days < 36_500 else { return nil }
    let time = Habits.wakes + awake - days * Habits.awakeSeconds
    return max(clock.instant(day: day + Int(days), secondsAfterMidnight: time), instant + .milliseconds(1))
  }
}

/// An event that a person causes on a phone.
package struct HabitEvent: Equatable, Sendable {
  /// The kind and the end of an event.
  package enum Kind: Equatable, Sendable {
    case killsApp(relaunch: MonotonicInstant)
    case reboots(isBack: MonotonicInstant)
  }

  package let instant: MonotonicInstant
  package let kind: Kind

  /// When the phone is back in its former state.
  package var end: MonotonicInstant {
    switch kind {
    case .killsApp(let instant), .reboots(let instant): instant
    }
  }
}

/// The rates of events that interrupt software, per waking hour.
package struct HabitRates: Equatable, Sendable {
  package var killsPerHour: Double
  package var rebootsPerHour: Double
  /// The time until the app is opened again.
  package var relaunchSeconds: Distribution
  /// The time that a phone is off.
  package var bootSeconds: Distribution

  package init(
    killsPerHour: Double, rebootsPerHour: Double, relaunchSeconds: Distribution = .uniform(min: 10, max: 600),
    bootSeconds: Distribution = .uniform(min: 25, max: 90)
  ) {
    precondition(killsPerHour >= 0 && rebootsPerHour >= 0, "a rate is not negative")
    self.killsPerHour = killsPerHour
    self.rebootsPerHour = rebootsPerHour
    self.relaunchSeconds = relaunchSeconds
    self.bootSeconds = bootSeconds
  }
}

/// A model of the battery: it discharges linearly, is plugged in when low and unplugged when full. The level is therefore a
/// sawtooth function of time and needs no state.
package struct PhoneBattery: Equatable, Sendable {
  /// The range of initial levels, 0 to 1.
  package let start: ClosedRange<Double>
  /// As a share of the capacity.
  package let drainPerHour: Double

  private static let low = 0.15
  private static let chargePerHour = 0.5

  package init(start: ClosedRange<Double> = 0.5...1, drainPerHour: Double = 0.06) {
    precondition(start.lowerBound >= 0 && start.upperBound <= 1 && drainPerHour >= 0, "a battery is not more than full")
    (self.start, self.drainPerHour) = (start, drainPerHour)
  }

  /// Returns the level of a device's battery in whole percent, and whether it is charging.
  package func reading(at instant: MonotonicInstant, seed: UInt64, device: UInt64) -> (percent: Int, isCharging: Bool) {
    var stream = RandomStreamID.battery.stream(seed: seed, device: device)
    let first = start.lowerBound + (start.upperBound - start.lowerBound) * stream.uniform()
    let (level, isCharging) = level(from: first, afterHours: instant.seconds / 3_600)
    return (Int((100 * level).rounded()), isCharging)
  }

  private func level(from first: Double, afterHours hours: Double) -> (Double, isCharging: Bool) {
    guard drainPerHour > 0 else { return (first, false) }
    var rest = hours
    if first > PhoneBattery.low {
      let draining = (first - PhoneBattery.low) / drainPerHour
      if rest < draining { return (first - drainPerHour * rest, false) }
      rest -= draining
    } else {
      let charging = (1 - first) / PhoneBattery.chargePerHour
      if rest < charging { return (first + PhoneBattery.chargePerHour * rest, true) }
      // Full: the same phase as of a battery that has just been charged.
      rest += (1 - PhoneBattery.low) / PhoneBattery.chargePerHour - charging
    }
    let charging = (1 - PhoneBattery.low) / PhoneBattery.chargePerHour
    let round = charging + (1 - PhoneBattery.low) / drainPerHour
    rest -= (rest / round).rounded(.down) * round
    return rest < charging
      ? (PhoneBattery.low + PhoneBattery.chargePerHour * rest, true) : (1 - drainPerHour * (rest - charging), false)
  }
}
