import JSON
import Testing

@testable import Contract

/// SDK §2.1, §2.2, §2.3, §2.7: values beyond their limits are moved to them, with a warning.
struct ConfigurationLimitsTests {
  struct Limits: Sendable {
    let path: String
    let lowest: Double?
    let highest: Double?
    let platforms: [DevicePlatform]

    init(_ path: String, _ lowest: Double?, _ highest: Double?, _ platforms: [DevicePlatform] = [.ios, .android]) {
      self.path = path
      self.lowest = lowest
      self.highest = highest
      self.platforms = platforms
    }
  }

  static let limits = [
    Limits("geolocation.filter.policy", 0, 2),
    Limits("geolocation.filter.kalmanProfile", 0, 2),
    Limits("geolocation.filter.odometerPolicy", 0, 2),
    Limits("geolocation.filter.rollingWindow", 3, 20),
    Limits("geolocation.filter.burstWindow", 0.2, 120),
    Limits("geolocation.filter.maxBurstDistance", 5, 2_000),
    Limits("geolocation.filter.maxImpliedSpeed", 1, 200),
    Limits("geolocation.filter.trackingAccuracyThreshold", 0, 500),
    Limits("geolocation.filter.odometerAccuracyThreshold", 0, 500),
    Limits("geolocation.stationaryRadius", 25, 1_000, [.android]),
    Limits("geolocation.geofenceProximityRadius", 1_000, nil),
    Limits("activity.activityRecognitionInterval", 500, nil),
  ]

  private func apply(_ value: Double, _ path: String, _ platform: DevicePlatform) -> (
    JSONValue?, [ConfigurationWarning]
  ) {
    var configuration = Configuration(platform: platform)
    let document = path.split(separator: ".").reversed().reduce(JSONValue.number(value)) { .object([String($1): $0]) }
    let warnings = configuration.apply(document).warnings
    return (ConfigurationTable.key(path: path)?.read(configuration), warnings)
  }

  @Test(arguments: limits) func aLimitItselfIsTaken(_ limits: Limits) {
    for platform in limits.platforms {
      for limit in [limits.lowest, limits.highest].compactMap(\.self) {
        let (value, warnings) = apply(limit, limits.path, platform)
        #expect(value == .number(limit))
        #expect(warnings == [])
      }
    }
  }

  @Test(arguments: limits) func aValueBeyondALimitBecomesTheLimit(_ limits: Limits) {
    for platform in limits.platforms {
      for (limit, beyond) in [(limits.lowest, -1.0), (limits.highest, 1.0)] {
        guard let limit else { continue }
        for distance in [1, 1_000_000.0] {
          let (value, warnings) = apply(limit + beyond * distance, limits.path, platform)
          #expect(value == .number(limit))
          #expect(warnings == [.clamped(limits.path, to: limit)])
        }
      }
    }
  }

  @Test func justBelowTheLowestBurstWindowIsMoved() {
    #expect(apply(0.19, "geolocation.filter.burstWindow", .ios).0 == .double(0.2))
  }

  @Test(arguments: [-5.0, 0, 1, 24, 5_000]) func theStationaryRadiusOfIOSHasNoLimits(_ radius: Double) {
    let (value, warnings) = apply(radius, "geolocation.stationaryRadius", .ios)
    #expect(value == .number(radius))
    #expect(warnings == [])
  }

  @Test(arguments: [(-1.0, -1.0), (0, 0), (0.5, 60), (1, 60), (59, 60), (60, 60), (61, 61), (3_600, 3_600)])
  func theHeartbeatOfAndroidIsOffOrAtLeastAMinute(given: Double, used: Double) {
    let (value, warnings) = apply(given, "app.heartbeatInterval", .android)
    #expect(value == .number(used))
    #expect(warnings == (given == used ? [] : [.clamped("app.heartbeatInterval", to: 60)]))
  }

  @Test(arguments: [-1.0, 0, 1, 30]) func theHeartbeatOfIOSHasNoLeastInterval(_ seconds: Double) {
    #expect(apply(seconds, "app.heartbeatInterval", .ios).0 == .number(seconds))
  }

  @Test func keysWithoutLimitsTakeEveryNumber() {
    for path in ["geolocation.distanceFilter", "geolocation.stopTimeout", "http.maxBatchSize", "http.timeout"] {
      for number in [-1e9, -1, 0, 1e9] {
        let (value, warnings) = apply(number, path, .android)
        #expect(value == .number(number))
        #expect(warnings == [])
      }
    }
  }

  @Test func whatNoDocumentCouldSayDoesNotEnterThroughCode() {
    var configuration = Configuration(platform: .ios)
    configuration.geolocation.distanceFilterMetres = 25
    let before = configuration
    let change = configuration.edit {
      $0.geolocation.distanceFilterMetres = .nan
      $0.geolocation.stopTimeoutMinutes = .infinity
      $0.http.headers = .string("X: 1")
      $0.activity.triggerActivities = "flying"
    }
    #expect(configuration == before)
    #expect(change.changedKeys == [])
    #expect(change.warnings.count == 4)
  }

  @Test func propertiesSetInCodeAreMovedToo() {
    var configuration = Configuration(platform: .android)
    let change = configuration.edit {
      $0.geolocation.filter.burstWindowSeconds = 500
      $0.app.heartbeatIntervalSeconds = 5
      $0.http.autoSync = false
    }
    #expect(configuration.geolocation.filter.burstWindowSeconds == 120)
    #expect(configuration.app.heartbeatIntervalSeconds == 60)
    #expect(change.changedKeys == ["geolocation.filter.burstWindow", "app.heartbeatInterval", "http.autoSync"])
    #expect(
      change.warnings == [
        .clamped("geolocation.filter.burstWindow", to: 120), .clamped("app.heartbeatInterval", to: 60),
      ])
  }
}
