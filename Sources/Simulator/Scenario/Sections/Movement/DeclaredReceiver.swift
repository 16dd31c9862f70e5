package import Base

/// The errors of the receiver.
package struct DeclaredReceiver: Equatable, Sendable {
  /// The standard deviation on each axis.
  package var sigmaMetres = 4.0
  package var correlationTime = Nanoseconds.seconds(45)
  package var accuracy = AccuracyRule.p68
  package var outliers: GPSOutliers?
  package var dropouts = GPSDropouts()

  package init() {}
}

extension DeclaredReceiver: ScenarioSection {
  static let table = Table<DeclaredReceiver>(
    "gps-ornstein-uhlenbeck", "An Ornstein-Uhlenbeck error, which drifts instead of jumping.",
    [
      .key("sigma", \.sigmaMetres, .quantity(.length), "Standard deviation of the error on each axis."),
      .key("tau", \.correlationTime, .duration, "Correlation time of the error."),
      .key("reportedAccuracy", \.accuracy, .choice, "What the reported radius means."),
      .optional("outliers", \.outliers, .section(), "Rare fixes that are far away."),
      .key("dropouts", \.dropouts, .section(), "Where there is no fix."),
    ])
}

/// Rare fixes with a large error.
package struct GPSOutliers: Equatable, Sendable {
  package var perHour = 0.5
  /// In metres.
  package var distance = Distribution.pareto(min: 80, alpha: 1.6)

  package init() {}
}

extension GPSOutliers: ScenarioSection {
  static let table = Table<GPSOutliers>(
    "outliers", "Rare fixes that are far away.",
    [
      .key("perHour", \.perHour, .number(0...3_600), "Average number per hour."),
      .key(
        "distance", \.distance, .distribution(InMetres.self),
        "Distance from the true position; 80 m and more by default."),
    ])
}

/// Losses of the fix.
package struct GPSDropouts: Equatable, Sendable {
  package var zones = DropoutZones.tunnels

  package init() {}
}

extension GPSDropouts: ScenarioSection {
  static let table = Table<GPSDropouts>(
    "dropouts", "Where there is no fix.", [.key("zones", \.zones, .choice, "The places without a fix.")])
}

extension ValueCodec where Value == DeclaredReceiver {
  static var gps: ValueCodec {
    variants(tag: "model", standard: "ornstein-uhlenbeck", [Variant("ornstein-uhlenbeck") { $0 }])
  }
}

/// The meaning of the reported accuracy.
package enum AccuracyRule: String, CaseIterable, Sendable {
  /// The true place is inside the radius with a probability of 68 %, as Android defines it.
  case p68

  /// The share of fixes whose radius contains the true place.
  package var share: Double {
    switch self {
    case .p68: 0.68
    }
  }
}

/// The areas without a fix.
package enum DropoutZones: String, CaseIterable, Sendable {
  case none
  /// In the tunnels and dead zones of the city.
  case tunnels
}
