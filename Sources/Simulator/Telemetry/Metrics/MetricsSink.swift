import Base
import FleetSimulator

/// Writes the figures of a run to a receiver or a file, interval by interval.
protocol MetricsSink: AnyObject {
  var interval: Nanoseconds { get }

  /// Takes the figures at an instant of the run; `isLast` at its end.
  func take(_ readings: [MetricReading], at instant: MonotonicInstant, isLast: Bool)

  /// Called at the first event of the run, with the machine's date and time.
  func begin(at now: WallInstant)

  /// Called at the end of the drives.
  func settle(at instant: MonotonicInstant)
}

extension MetricsSink {
  func begin(at now: WallInstant) {}
  func settle(at instant: MonotonicInstant) {}
}
