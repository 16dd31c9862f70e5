import Contract
import JSON
import Testing

@testable import Contract

/// SDK §1 and §2: every key, under all its names, with its defaults.
struct ConfigurationTableTests {
  private func set(_ path: String, _ value: JSONValue) -> JSONValue {
    path.split(separator: ".").reversed().reduce(value) { .object([String($1): $0]) }
  }

  @Test func theTableHasTheKeysOfTheReferenceInItsOrder() {
    #expect(ConfigurationTable.all.map(\.path) == ["isMoving"] + ExpectedKeys.all.map(\.path))
  }

  @Test func namesOutsideTheGroupsAreThoseOfVersionFour() {
    for expected in ExpectedKeys.all {
      guard let key = ConfigurationTable.key(path: expected.path) else {
        Issue.record("no key \(expected.path)")
        continue
      }
      #expect([key.flatName].compactMap(\.self) + key.aliases == expected.flat, "\(expected.path)")
      #expect(key.platform == expected.platform, "\(expected.path)")
    }
  }

  @Test(arguments: DevicePlatform.allCases) func defaultsAreThoseOfThePlatform(platform: DevicePlatform) throws {
    let configuration = Configuration(platform: platform)
    #expect(!configuration.isMoving)
    for expected in ExpectedKeys.all {
      let text = platform == .ios ? expected.iosDefault : expected.androidDefault
      let value = try text.map { try JSONValue(source: $0) }
      #expect(ConfigurationTable.key(path: expected.path)?.read(configuration) == value, "\(expected.path)")
    }
  }

  @Test(arguments: DevicePlatform.allCases)
  func everyKeyIsReadInItsGroupAndOutsideUnderEachName(platform: DevicePlatform) throws {
    for expected in ExpectedKeys.all {
      for sample in [expected.samples.0, expected.samples.1] {
        let value = try JSONValue(source: sample)
        var grouped = Configuration(platform: platform)
        let change = grouped.apply(set(expected.path, value))
        let isNew = grouped != Configuration(platform: platform)
        #expect(change.changedKeys == (isNew ? [expected.path] : []), "\(expected.path) \(sample)")
        for name in expected.flat {
          var flat = Configuration(platform: platform)
          #expect(flat.apply(set(name, value)) == change, "\(name) \(sample)")
          #expect(flat == grouped, "\(name) \(sample)")
        }
      }
    }
  }

  @Test func everyKeyTakesOneOfTwoSamplesAsAChange() throws {
    for expected in ExpectedKeys.all {
      var configuration = Configuration(platform: .android)
      let first = configuration.apply(set(expected.path, try JSONValue(source: expected.samples.0)))
      let second = configuration.apply(set(expected.path, try JSONValue(source: expected.samples.1)))
      #expect(first.changedKeys == [expected.path])
      #expect(second.changedKeys == [expected.path])
    }
  }

  @Test func everyKeyReadsBackWhatItWrote() throws {
    for expected in ExpectedKeys.all where !expected.path.hasPrefix("app.n") && !expected.path.hasPrefix("app.b") {
      for sample in [expected.samples.0, expected.samples.1] {
        let value = try JSONValue(source: sample)
        var configuration = Configuration(platform: .ios)
        _ = configuration.apply(set(expected.path, value))
        #expect(ConfigurationTable.key(path: expected.path)?.read(configuration) == value, "\(expected.path)")
      }
    }
  }

  @Test func theFilterMayStandOutsideItsGroup() throws {
    var flat = Configuration(platform: .ios)
    var grouped = flat
    _ = flat.apply(try JSONValue(source: #"{"filter":{"rollingWindow":7}}"#))
    _ = grouped.apply(try JSONValue(source: #"{"geolocation":{"filter":{"rollingWindow":7}}}"#))
    #expect(flat == grouped)
    #expect(flat.geolocation.filter.rollingWindow == 7)
  }

  @Test func theInitialPaceStandsOutsideEveryGroup() throws {
    var configuration = Configuration(platform: .ios)
    let change = configuration.apply(try JSONValue(source: #"{"isMoving":true}"#))
    #expect(configuration.isMoving)
    #expect(change == ConfigurationChange(changedKeys: ["isMoving"], warnings: []))
  }
}

/// What the reference says about one key, written down independently of the product's table.
struct ExpectedKey {
  let path: String
  /// Names outside the groups, the one that the state repeats first.
  let flat: [String]
  /// JSON texts; nil when the key is not set by default.
  let iosDefault: String?
  let androidDefault: String?
  let platform: DevicePlatform?
  /// JSON texts of two other valid values.
  let samples: (String, String)

  init(
    _ path: String, _ value: String?, android: String? = nil, only platform: DevicePlatform? = nil,
    flat: [String]? = nil, _ one: String, _ two: String
  ) {
    self.path = path
    self.flat = flat ?? [String(path.split(separator: ".").last ?? "")]
    iosDefault = value
    androidDefault = android ?? value
    self.platform = platform
    samples = (one, two)
  }
}

/// SDK §2, table by table.
enum ExpectedKeys {
  /// §2.1
  static let geolocation = [
    ExpectedKey("geolocation.desiredAccuracy", "-1", "10", "-2"),
    ExpectedKey("geolocation.distanceFilter", "10", "0", "50.5"),
    ExpectedKey("geolocation.stationaryRadius", "25", android: "150", "200", "1000"),
    ExpectedKey("geolocation.stopTimeout", "5", "0", "15"),
    ExpectedKey("geolocation.stopAfterElapsedMinutes", "-1", "0", "60"),
    ExpectedKey("geolocation.disableElasticity", "false", "true", "false"),
    ExpectedKey("geolocation.elasticityMultiplier", "1", "0", "2.5"),
    ExpectedKey("geolocation.useSignificantChangesOnly", "false", "true", "false"),
    ExpectedKey("geolocation.locationTimeout", "60", "30", "5"),
    ExpectedKey("geolocation.locationAuthorizationRequest", #""Always""#, #""WhenInUse""#, #""Any""#),
    ExpectedKey("geolocation.disableLocationAuthorizationAlert", "false", only: .ios, "true", "false"),
    ExpectedKey(
      "geolocation.locationAuthorizationAlert", alert, only: .ios,
      #"{"titleWhenOff":"a","titleWhenNotEnabled":"b","instructions":"c","cancelButton":"d","settingsButton":"e"}"#,
      #"{"titleWhenOff":"v","titleWhenNotEnabled":"w","instructions":"x","cancelButton":"y","settingsButton":"z"}"#),
    ExpectedKey("geolocation.pausesLocationUpdatesAutomatically", "true", only: .ios, "false", "true"),
    ExpectedKey("geolocation.showsBackgroundLocationIndicator", "true", only: .ios, "false", "true"),
    ExpectedKey("geolocation.activityType", "1", only: .ios, "2", "5"),
    ExpectedKey("geolocation.geofenceProximityRadius", "2000", "1000", "5000"),
    ExpectedKey("geolocation.geofenceInitialTriggerEntry", "true", "false", "true"),
    ExpectedKey("geolocation.geofenceModeHighAccuracy", "false", only: .android, "true", "false"),
    ExpectedKey("geolocation.maxMonitoredGeofences", "-1", "18", "97"),
    ExpectedKey("geolocation.enableTimestampMeta", "false", "true", "false"),
    ExpectedKey("geolocation.locationUpdateInterval", "1000", only: .android, "5000", "0"),
    ExpectedKey("geolocation.fastestLocationUpdateInterval", "-1", only: .android, "10000", "0"),
    ExpectedKey("geolocation.deferTime", "0", only: .android, "60000", "1"),
    ExpectedKey("geolocation.allowIdenticalLocations", "false", only: .android, "true", "false"),
    ExpectedKey("geolocation.speedJumpFilter", "300", only: .android, "100", "0"),
  ]

  private static let alert = """
    {"titleWhenOff":"Location services are off","titleWhenNotEnabled":"Background location is not enabled",\
    "instructions":"To use background location, you must enable '{locationAuthorizationRequest}' in the Location \
    Services settings","cancelButton":"Cancel","settingsButton":"Settings"}
    """

  /// §2.2
  static let filter = [
    ExpectedKey("geolocation.filter.policy", "2", flat: [], "0", "1"),
    ExpectedKey("geolocation.filter.useKalman", "true", flat: [], "false", "true"),
    ExpectedKey("geolocation.filter.kalmanProfile", "0", flat: [], "1", "2"),
    ExpectedKey("geolocation.filter.kalmanDebug", "false", flat: [], "true", "false"),
    ExpectedKey("geolocation.filter.filterDebug", "false", flat: [], "true", "false"),
    ExpectedKey("geolocation.filter.rollingWindow", "5", flat: [], "3", "20"),
    ExpectedKey("geolocation.filter.burstWindow", "10", flat: [], "0.5", "120"),
    ExpectedKey("geolocation.filter.maxBurstDistance", "300", flat: [], "5", "2000"),
    ExpectedKey("geolocation.filter.maxImpliedSpeed", "60", flat: [], "1", "200"),
    ExpectedKey("geolocation.filter.trackingAccuracyThreshold", "100", flat: [], "0", "500"),
    ExpectedKey(
      "geolocation.filter.odometerAccuracyThreshold", "20", flat: ["desiredOdometerAccuracy"], "0", "500"),
    ExpectedKey("geolocation.filter.odometerUseKalmanFilter", "true", flat: [], "false", "true"),
    ExpectedKey("geolocation.filter.odometerPolicy", "1", flat: [], "0", "2"),
  ]

  /// §2.3, §2.4; the rationale's message is free.
  static let app = [
    ExpectedKey("app.stopOnTerminate", "true", "false", "true"),
    ExpectedKey("app.startOnBoot", "false", "true", "false"),
    ExpectedKey("app.enableHeadless", "false", only: .android, "true", "false"),
    ExpectedKey("app.heartbeatInterval", "60", android: "-1", "90", "0"),
    ExpectedKey("app.preventSuspend", "false", only: .ios, "true", "false"),
    ExpectedKey("app.schedule", "[]", #"["1-7 09:00-17:00"]"#, #"["1 17:30-21:00","2-6 09:00-17:00 geofence"]"#),
    ExpectedKey("app.scheduleUseAlarmManager", "false", only: .android, "true", "false"),
    ExpectedKey("app.notification", notification, only: .android, #"{"title":"a"}"#, #"{"sticky":true}"#),
    ExpectedKey(
      "app.backgroundPermissionRationale", rationale, only: .android, #"{"title":"a"}"#, #"{"message":"b"}"#),
  ]

  private static let notification = """
    {"title":"Background Geolocation","text":"Tracking location","smallIcon":"mipmap/ic_launcher","priority":-1,\
    "sticky":false,"channelName":"BackgroundGeolocation","channelId":"bggeo","strings":{},"actions":[]}
    """
  private static let rationale = """
    {"title":"Allow {applicationName} to access this device's location even when closed or not in use.",\
    "message":"Positions are collected to record trips to work and the distance covered.",\
    "positiveAction":"Change to \\"{backgroundPermissionOptionLabel}\\"","negativeAction":"Cancel"}
    """

  /// §2.5
  static let http = [
    ExpectedKey("http.url", #""""#, #""https://a.example/l""#, #""http://b.example""#),
    ExpectedKey("http.method", #""POST""#, flat: ["method", "httpMethod"], #""PUT""#, #""PATCH""#),
    ExpectedKey("http.rootProperty", #""location""#, flat: ["httpRootProperty"], #"".""#, #""data""#),
    ExpectedKey("http.headers", "{}", #"{"X-A":"1"}"#, #"{"X-B":"2","X-C":"3"}"#),
    ExpectedKey("http.params", "{}", #"{"user_id":1234}"#, #"{"device":{"uuid":"x"}}"#),
    ExpectedKey("http.timeout", "60000", flat: ["httpTimeout"], "5000", "1"),
    ExpectedKey("http.autoSync", "true", "false", "true"),
    ExpectedKey("http.autoSyncThreshold", "0", "5", "100"),
    ExpectedKey("http.batchSync", "false", "true", "false"),
    ExpectedKey("http.maxBatchSize", "-1", "50", "250"),
    ExpectedKey("http.disableAutoSyncOnCellular", "false", "true", "false"),
  ]

  /// §2.6
  static let persistence = [
    ExpectedKey("persistence.locationTemplate", #""""#, #""{\"lat\":<%= latitude %>}""#, #""[<%= latitude %>]""#),
    ExpectedKey("persistence.geofenceTemplate", #""""#, #""{\"a\":1}""#, #""[]""#),
    ExpectedKey("persistence.timestampFormat", #""iso""#, #""epoch""#, #""iso""#),
    ExpectedKey("persistence.maxDaysToPersist", "1", "7", "14"),
    ExpectedKey("persistence.maxRecordsToPersist", "-1", "0", "1"),
    ExpectedKey("persistence.locationsOrderDirection", #""ASC""#, #""DESC""#, #""ASC""#),
    ExpectedKey("persistence.persistMode", "2", "-1", "0"),
    ExpectedKey("persistence.extras", "{}", #"{"trip":7}"#, #"{"a":{"b":[1,null]}}"#),
    ExpectedKey("persistence.disableProviderChangeRecord", "false", only: .android, "true", "false"),
  ]

  /// §2.7
  static let activity = [
    ExpectedKey("activity.activityRecognitionInterval", "10000", "500", "60000"),
    ExpectedKey("activity.minimumActivityRecognitionConfidence", "70", android: "75", "50", "100"),
    ExpectedKey("activity.disableStopDetection", "false", "true", "false"),
    ExpectedKey("activity.stopOnStationary", "false", "true", "false"),
    ExpectedKey("activity.stopDetectionDelay", "0", only: .ios, "5", "10000"),
    ExpectedKey("activity.motionTriggerDelay", "0", only: .android, "30000", "1"),
    ExpectedKey("activity.triggerActivities", #""""#, #""in_vehicle""#, #""on_foot,walking""#),
    ExpectedKey("activity.disableMotionActivityUpdates", "false", "true", "false"),
  ]

  /// §2.8
  static let authorization = [
    ExpectedKey("authorization.strategy", #""JWT""#, flat: [], #""SAS""#, #""JWT""#),
    ExpectedKey("authorization.accessToken", nil, flat: [], #""a""#, #""b""#),
    ExpectedKey("authorization.refreshToken", nil, flat: [], #""r""#, #""s""#),
    ExpectedKey("authorization.refreshUrl", nil, flat: [], #""https://a.example/r""#, #""https://b.example/r""#),
    ExpectedKey("authorization.refreshPayload", "{}", flat: [], #"{"t":"{refreshToken}"}"#, #"{"g":"{refreshToken}"}"#),
    ExpectedKey(
      "authorization.refreshHeaders", #"{"Authorization":"Bearer {accessToken}"}"#, flat: [], "{}", #"{"X":"1"}"#),
    ExpectedKey("authorization.expires", "-1", flat: [], "3600", "1700000000"),
  ]

  /// §2.9
  static let logger = [
    ExpectedKey("logger.debug", "false", "true", "false"),
    ExpectedKey("logger.logLevel", "0", "1", "5"),
    ExpectedKey("logger.logMaxDays", "3", "1", "7"),
  ]

  static let all = geolocation + filter + app + http + persistence + activity + authorization + logger
}
