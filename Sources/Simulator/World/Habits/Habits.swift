package import Base

/// What one owner does to a phone over time: two Poisson processes that run while they are awake. The next event is solved
/// from the one before; nothing happens while an earlier event lasts.
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

  /// Takes the next event; nil when nothing ever happens.
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
    // Nothing ends before it has begun.
    max(stream.draw { span.draw(from: &$0) }, 0.001)
  }

  /// The waiting time is exponential in time awake; nights are skipped.
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
