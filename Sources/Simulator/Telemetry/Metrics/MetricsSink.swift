import Base
import FleetSimulator

/// Tells a receiver, or a file, what the figures of a run are, interval by interval.
protocol MetricsSink: AnyObject {
  var interval: Nanoseconds { get }

  /// The figures at an instant of the run; `isLast` at its end.
  func take(_ readings: [MetricReading], at instant: MonotonicInstant, isLast: Bool)

  /// The first event of the run; the machine's date and time.
  func begin(at now: WallInstant)

  /// The drives are over.
  func settle(at instant: MonotonicInstant)
}

extension MetricsSink {
  func begin(at now: WallInstant) {}
  func settle(at instant: MonotonicInstant) {}
}
