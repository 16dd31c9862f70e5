package import Contract

/// How far a device must have gone for its next record: the configured distance, stretched with the speed
/// (SDK §14.1).
package struct DistanceFilter: Equatable, Sendable {
  /// The speed step for which elasticity adds one distance.
  static let speedStepMetresPerSecond = 5.0

  package let configuredMetres: Double
  /// 0 disables elasticity.
  package let elasticityMultiplier: Double
  package private(set) var effectiveMetres: Double

  /// Negative numbers count as 0.
  package init(configuredMetres: Double, elasticityMultiplier: Double) {
    self.configuredMetres = max(configuredMetres, 0)
    self.elasticityMultiplier = max(elasticityMultiplier, 0)
    effectiveMetres = self.configuredMetres
  }

  package init(_ configuration: Configuration) {
    self.init(
      configuredMetres: configuration.effectiveDistanceFilterMetres,
      elasticityMultiplier: configuration.geolocation.disableElasticity
        ? 0 : configuration.geolocation.elasticityMultiplier)
  }

  /// Returns the distance at a speed in metres per second; nil and negative speeds are unknown and count as 0.
  package func metres(atSpeed speed: Double?) -> Double {
    let steps = (max(speed ?? 0, 0) / DistanceFilter.speedStepMetresPerSecond).rounded()
    return configuredMetres * (1 + elasticityMultiplier * steps)
  }

  /// Adapts to the speed of an accepted fix while moving. Returns the old distance if it changed.
  package mutating func rescale(speed: Double?) -> Double? { change(to: metres(atSpeed: speed)) }

  /// Resets to the configured distance when moving begins; the sources leave this open. Returns the old distance if it changed.
  package mutating func beginMoving() -> Double? { change(to: configuredMetres) }

  /// Reports whether a fix at this distance from the last recorded one is delivered.
  package func lets(through metres: Double) -> Bool { metres >= effectiveMetres }

  private mutating func change(to metres: Double) -> Double? {
    guard metres != effectiveMetres else { return nil }
    defer { effectiveMetres = metres }
    return effectiveMetres
  }
}
