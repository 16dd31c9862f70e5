package import Base
package import Scenario

/// A snapshot of a run for the control room, which the run's thread publishes at intervals while the run is watched.
package struct RunView: Sendable {
  /// The phase of the run: the drives, the settle phase, the end.
  package enum Phase: String, Sendable { case driving, settling, over }

  package var mode: ClockMode
  /// The time since the start of the run.
  package var instant: Nanoseconds
  /// The planned end of the drives.
  package var duration: Nanoseconds
  package var progress: RunProgress
  package var phase: Phase
  package var isPaused: Bool
  package var recordsPerSecond: Double
  /// Percentiles of recent uploads with an answer or a timeout, in milliseconds.
  package var p50Milliseconds: Double?
  package var p99Milliseconds: Double?
  /// Failed requests by error.
  package var errors: [RequestError]
  /// The figures of the fleets, in the order of `RunSteering.fleetNames`.
  package var fleets: [FleetFigures]
  /// The lag of turns by the machine's clock, in milliseconds; nil in virtual time.
  package var lagP50Milliseconds: Double?
  package var lagP99Milliseconds: Double?
  /// The phones that have been present, in the order of their numbers.
  package var phones: [ShownPhone]
}
