package import Base

extension MonotonicInstant {
  /// Seconds since the zero of the run.
  package var seconds: Double { Double(nanoseconds) / 1e9 }

  /// Whole milliseconds, rounded up: what is solved to happen at `seconds` has happened at this instant.
  package init(secondsRoundedUp seconds: Double) {
    precondition(seconds.magnitude < 9e9, "an instant lies within 285 years of the start of the run")
    self.init(nanoseconds: Int64((seconds * 1e3).rounded(.up)) * 1_000_000)
  }
}
