package import Base

/// The number of devices of a fleet over time.
package enum Executor: Equatable, Sendable {
  case constantDevices(ConstantDevices)
  case rampingDevices(RampingDevices)
  case constantArrivals(ConstantArrivals)
  case rampingArrivals(RampingArrivals)
}

/// A constant number.
package struct ConstantDevices: Equatable, Sendable {
  package var devices = 1

  package init() {}
}

extension ConstantDevices: ScenarioSection {
  static let table = Table<ConstantDevices>(
    "constant-devices", "A constant number of devices.", [.required("devices", \.devices, .count, "Number of devices.")]
  )
}

/// A number that changes in stages.
package struct RampingDevices: Equatable, Sendable {
  package var startDevices = 0
  package var stages: [Stage] = []
  package var shape = StageShape.linear

  package init() {}
}

extension RampingDevices: ScenarioSection {
  static let table = Table<RampingDevices>(
    "ramping-devices",
    """
    More and fewer devices, in stages; the last number stays. Devices that joined last leave first: each stops where it is, delivers what \
    it has and stops the SDK; it starts the SDK again when it returns.
    """,
    [
      .key("startDevices", \.startDevices, .count, "Number of devices at the start."),
      .required("stages", \.stages, .list(of: .section(), count: 1...1_000), "One after the other."),
      .key("shape", \.shape, .choice, "In a straight line, or in jumps at the end of a stage."),
    ])
}

/// Trips at a constant rate.
package struct ConstantArrivals: Equatable, Sendable {
  package var rate = 1.0
  package var timeUnit = Nanoseconds.seconds(1)
  package var arrivals = ArrivalPattern.poisson
  package var maxDevices = 1_000

  package init() {}
}

extension ConstantArrivals: ScenarioSection {
  static let table = Table<ConstantArrivals>(
    "constant-arrival-rate", "Trips that begin at a constant rate, each on a free device.",
    [
      .required("rate", \.rate, .number(0...1e6), "Trips in a unit of time."),
      .key("timeUnit", \.timeUnit, .timeUnit, "The unit of time, more than 0."),
      .key("arrivals", \.arrivals, .choice, "At random, or at regular intervals."),
      .key(
        "maxDevices", \.maxDevices, .count,
        "Maximum number of devices. Trips that find no free device are dropped and counted."),
    ])
}

/// Trips at a rate that changes in stages.
package struct RampingArrivals: Equatable, Sendable {
  package var startRate = 0.0
  package var timeUnit = Nanoseconds.seconds(1)
  package var arrivals = ArrivalPattern.poisson
  package var maxDevices = 1_000
  package var stages: [Stage] = []

  package init() {}
}

extension RampingArrivals: ScenarioSection {
  static let table = Table<RampingArrivals>(
    "ramping-arrival-rate", "Trips that begin more and less often, in stages.",
    [
      .key("startRate", \.startRate, .number(0...1e6), "Trips in a unit of time at the beginning."),
      .key("timeUnit", \.timeUnit, .timeUnit, "The unit of time, more than 0."),
      .key("arrivals", \.arrivals, .choice, "At random, or at regular intervals."),
      .key(
        "maxDevices", \.maxDevices, .count,
        "Maximum number of devices. Trips that find no free device are dropped and counted."),
      .required("stages", \.stages, .list(of: .section(), count: 1...1_000), "One after the other; targets are rates."),
    ])
}

/// A period at whose end a number is reached, linearly or at once.
package struct Stage: Equatable, Sendable {
  package var duration = Nanoseconds.zero
  /// Devices, or trips per unit of time.
  package var target = 0.0

  package init() {}
}

extension Stage: ScenarioSection {
  static let table = Table<Stage>(
    "stage", "A period and the number that is reached at its end.",
    [
      .required("duration", \.duration, .duration, "Duration of the stage; 0s changes at once."),
      .required("target", \.target, .number(0...1e7), "The number at the end of the stage."),
    ])
}

/// The shape of a stage.
package enum StageShape: String, CaseIterable, Sendable {
  case linear
  /// Stays at the first number and jumps at the end.
  case heaviside
}

/// The distribution of trips over time.
package enum ArrivalPattern: String, CaseIterable, Sendable {
  /// Random; the number per stage is exact.
  case poisson
  case even
}

extension ValueCodec where Value == Nanoseconds {
  fileprivate static var timeUnit: ValueCodec {
    let words = "a duration above 0, as in \"1m\""
    return duration.map(words: words, show: duration.show) {
      $0 > .zero ? $0 : nil
    }
  }
}
