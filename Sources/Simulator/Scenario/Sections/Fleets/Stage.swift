package import Base

/// A stretch of time at whose end a number is reached, in a straight line.
package struct Stage: Equatable, Sendable {
  package var duration = Nanoseconds.zero
  /// Devices, or trips in a unit of time.
  package var target = 0.0

  package init() {}
}

extension Stage: ScenarioSection {
  static let table = Table<Stage>(
    "stage", "A stretch of time at whose end a number is reached.",
    [
      .required("duration", \.duration, .duration, "How long it takes; 0s jumps."),
      .required("target", \.target, .number(0...1e7), "The number at its end."),
    ])
}
