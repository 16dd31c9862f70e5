package import Base

/// What time of which day it is in the city at an instant of the run.
package struct DayClock: Equatable, Sendable {
  /// At the zero of the run, 0 ..< 86,400.
  package let secondsAfterMidnight: Double
  /// Of the day in which the run begins, 1 (Sunday) to 7.
  package let firstWeekday: Int

  static let secondsPerDay = 86_400.0

  package init(secondsAfterMidnight: Double, firstWeekday: Int) {
    precondition(secondsAfterMidnight >= 0 && secondsAfterMidnight < DayClock.secondsPerDay, "a day has 86,400 seconds")
    precondition((1...7).contains(firstWeekday), "a week has seven days")
    self.secondsAfterMidnight = secondsAfterMidnight
    self.firstWeekday = firstWeekday
  }

  /// 0 is the day in which the run begins.
  package func day(at instant: MonotonicInstant) -> Int {
    Int(((instant.seconds + secondsAfterMidnight) / DayClock.secondsPerDay).rounded(.down))
  }

  package func instant(day: Int, secondsAfterMidnight seconds: Double) -> MonotonicInstant {
    MonotonicInstant(secondsRoundedUp: Double(day) * DayClock.secondsPerDay + seconds - secondsAfterMidnight)
  }

  /// Seconds after the midnight before.
  package func timeOfDay(at instant: MonotonicInstant) -> Double {
    instant.seconds + secondsAfterMidnight - Double(day(at: instant)) * DayClock.secondsPerDay
  }

  package func isWeekend(day: Int) -> Bool {
    let weekday = ((firstWeekday - 1 + day) % 7 + 7) % 7
    return weekday == 0 || weekday == 6
  }
}
