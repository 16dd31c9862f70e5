package import Contract

/// What the location filter takes from a configuration, small enough to hand over with every fix.
package struct FilterRules: Equatable, Sendable {
  package var settings: LocationFilterSettings
  package var policy: FilterPolicy
  package var platform: DevicePlatform
  package var allowsIdenticalLocations: Bool
  /// Metres per second, 0 or less for no limit; Android only.
  package var speedJumpFilter: Double

  package init(_ configuration: Configuration) {
    settings = configuration.geolocation.filter
    policy = configuration.effectiveFilterPolicy
    platform = configuration.platform
    allowsIdenticalLocations = configuration.geolocation.allowIdenticalLocations
    speedJumpFilter = configuration.geolocation.speedJumpFilterMetresPerSecond
  }
}
