package import Base

/// How fast a body moves along its route.
package enum SpeedModel: Equatable, Sendable {
  case driver(DriverSpeed)
  case steady(SteadySpeed)
}

/// A driver who wants to go at a certain speed and has to brake for curves, lights and stops.
package struct DriverSpeed: Equatable, Sendable {
  package var desiredMetresPerSecond = 50 / 3.6
  /// In m/s².
  package var acceleration = 1.4
  /// In m/s².
  package var braking = 2.0
  package var stops: StopEvents?

  package init() {}
}

extension DriverSpeed: ScenarioSection {
  static let table = Table<DriverSpeed>(
    "speed-idm", "A driver who brakes for curves, lights and stops.",
    [
      .key("desired", \.desiredMetresPerSecond, .quantity(.speed), "The speed on a free road."),
      .key("accel", \.acceleration, .number(0.05...20), "Comfortable acceleration in m/s²."),
      .key("brake", \.braking, .number(0.05...20), "Comfortable braking in m/s²."),
      .optional("stops", \.stops, .section(), "Stops beyond those that the streets have."),
    ])
}

/// Stops for no reason that a map would know.
package struct StopEvents: Equatable, Sendable {
  package var perKilometre = 1.0
  /// In seconds.
  package var duration = Distribution.exponential(mean: 22)

  package init() {}
}

extension StopEvents: ScenarioSection {
  static let table = Table<StopEvents>(
    "stops", "Stops for no reason that a map would know.",
    [
      .key("perKm", \.perKilometre, .number(0...100), "How many in a kilometre, on average."),
      .key("duration", \.duration, .distribution(InSeconds.self), "How long they last; about 22 s when nobody says."),
    ])
}

/// The same speed all the way, different for each body.
package struct SteadySpeed: Equatable, Sendable {
  package var meanMetresPerSecond = 1.35
  package var variation = 0.15

  package init() {}
}

extension SteadySpeed: ScenarioSection {
  static let table = Table<SteadySpeed>(
    "speed-constant", "The same speed all the way, different for each body.",
    [
      .key("mean", \.meanMetresPerSecond, .quantity(.speed), "The mean of all bodies."),
      .key("cv", \.variation, .share, "Standard deviation between bodies, as a share of the mean."),
    ])
}

extension Form where Value == SpeedModel {
  static var speed: Form {
    variants(
      tag: "model", standard: "idm", [Variant("idm") { .driver($0) }, Variant("constant") { .steady($0) }])
  }
}
