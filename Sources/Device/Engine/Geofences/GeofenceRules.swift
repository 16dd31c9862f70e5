import Base
package import Contract

/// What monitoring of geofences takes from a configuration, small enough to hand over with every fix.
package struct GeofenceRules: Equatable, Sendable {
  /// Regions that a platform leaves for fences: 20 on iOS, one of which is around a device at rest, and 100 on Android
  /// (SDK §15.2).
  static func usableRegions(on platform: DevicePlatform) -> Int {
    switch platform {
    case .ios: 19
    case .android: 97
    }
  }

  /// Up to so many fences are all active without a look at where they are.
  static func regionsWithoutQuery(on platform: DevicePlatform) -> Int {
    switch platform {
    case .ios: 18
    case .android: 97
    }
  }

  /// Android looks for fences nearby so often at most while fixes come in; iOS at each of them.
  static let androidInterval = Nanoseconds.seconds(60)
  static let leastProximityMetres = 1_000.0

  package var platform: DevicePlatform
  package var proximityMetres: Double
  /// 0 or less: as many as the platform allows.
  package var maximum: Int
  package var triggersInitially: Bool
  package var isGeofenceMode: Bool

  package init(_ configuration: Configuration, isGeofenceMode: Bool) {
    platform = configuration.platform
    proximityMetres = max(
      configuration.geolocation.geofenceProximityRadiusMetres, GeofenceRules.leastProximityMetres)
    maximum = configuration.geolocation.maxMonitoredGeofences
    triggersInitially = configuration.geolocation.geofenceInitialTriggerEntry
    self.isGeofenceMode = isGeofenceMode
  }

  /// How many fences may be active.
  var limit: Int { bounded(GeofenceRules.usableRegions(on: platform)) }
  var limitWithoutQuery: Int { bounded(GeofenceRules.regionsWithoutQuery(on: platform)) }

  /// The region that moves along in geofence-only mode: leaving it asks for another look (SDK §15.6).
  package var movingRegionRadiusMetres: Double { proximityMetres / 2 }

  private func bounded(_ regions: Int) -> Int { maximum > 0 ? min(maximum, regions) : regions }
}
