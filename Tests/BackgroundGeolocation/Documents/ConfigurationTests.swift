import Contract
import FoundationEssentials
import JSON
import Support
import Testing

@testable import BackgroundGeolocation

/// The public groups and the configuration behind them.
@Suite struct ConfigurationTests {
  /// Changes one property; tests compare what became of the others.
  private func keys(changedBy change: (Config) -> Void) -> [String] {
    let old = Configuration(platform: .ios)
    let draft = ConfigurationDraft(old)
    change(Config(draft, isFirstBoot: true))
    return draft.result.configuration.changedKeys(since: old)
  }

  @Test func everyPropertyOfGeolocationChangesItsKeyOnly() {
    typealias Change = (key: String, change: (Config) -> Void)
    let changes: [Change] = [
      ("desiredAccuracy", { $0.geolocation.desiredAccuracy = 10 }),
      ("distanceFilter", { $0.geolocation.distanceFilter = 11 }),
      ("stationaryRadius", { $0.geolocation.stationaryRadius = 30 }),
      ("stopTimeout", { $0.geolocation.stopTimeout = 6 }),
      ("stopAfterElapsedMinutes", { $0.geolocation.stopAfterElapsedMinutes = 7 }),
      ("disableElasticity", { $0.geolocation.disableElasticity = true }),
      ("elasticityMultiplier", { $0.geolocation.elasticityMultiplier = 2 }),
      ("useSignificantChangesOnly", { $0.geolocation.useSignificantChangesOnly = true }),
      ("locationTimeout", { $0.geolocation.locationTimeout = 61 }),
      ("locationAuthorizationRequest", { $0.geolocation.locationAuthorizationRequest = .any }),
      ("disableLocationAuthorizationAlert", { $0.geolocation.disableLocationAuthorizationAlert = true }),
      ("pausesLocationUpdatesAutomatically", { $0.geolocation.pausesLocationUpdatesAutomatically = false }),
      ("showsBackgroundLocationIndicator", { $0.geolocation.showsBackgroundLocationIndicator = false }),
      ("activityType", { $0.geolocation.activityType = .fitness }),
      ("geofenceProximityRadius", { $0.geolocation.geofenceProximityRadius = 3_000 }),
      ("geofenceInitialTriggerEntry", { $0.geolocation.geofenceInitialTriggerEntry = false }),
      ("geofenceModeHighAccuracy", { $0.geolocation.geofenceModeHighAccuracy = true }),
      ("maxMonitoredGeofences", { $0.geolocation.maxMonitoredGeofences = 3 }),
      ("enableTimestampMeta", { $0.geolocation.enableTimestampMeta = true }),
      ("locationUpdateInterval", { $0.geolocation.locationUpdateInterval = 2_000 }),
      ("fastestLocationUpdateInterval", { $0.geolocation.fastestLocationUpdateInterval = 500 }),
      ("deferTime", { $0.geolocation.deferTime = 100 }),
      ("allowIdenticalLocations", { $0.geolocation.allowIdenticalLocations = true }),
    ]
    for (key, change) in changes { #expect(keys(changedBy: change) == ["geolocation.\(key)"]) }
  }

  /// Stands for Foundation's class, whose module tests do not link either.
  private final class NSNull {}

  @Test func aNullCostsItsMemberOnly() {
    let draft = ConfigurationDraft(Configuration(platform: .ios))
    let config = Config(draft, isFirstBoot: true)
    let members: [String: Any] = [
      "a": NSNull(), "b": 1, "c": ["d": NSNull(), "e": [NSNull(), 2] as [Any]] as [String: Any],
    ]
    config.http.params = members
    config.persistence.extras = members
    config.http.headers = ["X-A": NSNull(), "X-B": "b"]
    let settings = draft.result.configuration
    for value in [settings.http.params, settings.persistence.extras] {
      #expect(value.serializedText == #"{"a":null,"b":1,"c":{"d":null,"e":[null,2]}}"#)
    }
    #expect(NameValuePair.list(settings.http.headers) == [NameValuePair("X-B", "b")])
    #expect(draft.result.warnings.isEmpty)
    #expect(config.http.params["b"] as? Int == 1)
  }

  @Test func everyPropertyOfTheFilterChangesItsKeyOnly() {
    let changes: [(key: String, change: (LocationFilterConfig) -> Void)] = [
      ("policy", { $0.policy = .adjust }), ("useKalman", { $0.useKalman = false }),
      ("kalmanProfile", { $0.kalmanProfile = .quick }), ("kalmanDebug", { $0.kalmanDebug = true }),
      ("filterDebug", { $0.filterDebug = true }), ("rollingWindow", { $0.rollingWindow = 6 }),
      ("burstWindow", { $0.burstWindow = 11 }), ("maxBurstDistance", { $0.maxBurstDistance = 301 }),
      ("maxImpliedSpeed", { $0.maxImpliedSpeed = 61 }),
      ("trackingAccuracyThreshold", { $0.trackingAccuracyThreshold = 101 }),
      ("odometerAccuracyThreshold", { $0.odometerAccuracyThreshold = 21 }),
      ("odometerUseKalmanFilter", { $0.odometerUseKalmanFilter = false }),
      ("odometerPolicy", { $0.odometerPolicy = .passThrough }),
    ]
    for (key, change) in changes {
      #expect(keys { change($0.geolocation.filter) } == ["geolocation.filter.\(key)"])
    }
  }

  @Test func everyPropertyOfTheOtherGroupsChangesItsKeyOnly() {
    let changes: [(key: String, change: (Config) -> Void)] = [
      ("app.stopOnTerminate", { $0.app.stopOnTerminate = false }), ("app.startOnBoot", { $0.app.startOnBoot = true }),
      ("app.enableHeadless", { $0.app.enableHeadless = true }),
      ("app.heartbeatInterval", { $0.app.heartbeatInterval = 61 }),
      ("app.preventSuspend", { $0.app.preventSuspend = true }), ("app.schedule", { $0.app.schedule = ["1 1:00-2:00"] }),
      ("app.scheduleUseAlarmManager", { $0.app.scheduleUseAlarmManager = true }),
      ("http.url", { $0.http.url = "http://a.example" }), ("http.method", { $0.http.method = .patch }),
      ("http.rootProperty", { $0.http.rootProperty = "." }), ("http.headers", { $0.http.headers = ["a": "b"] }),
      ("http.params", { $0.http.params = ["a": 1] }), ("http.timeout", { $0.http.timeout = 1 }),
      ("http.autoSync", { $0.http.autoSync = false }), ("http.autoSyncThreshold", { $0.http.autoSyncThreshold = 1 }),
      ("http.batchSync", { $0.http.batchSync = true }), ("http.maxBatchSize", { $0.http.maxBatchSize = 1 }),
      ("http.disableAutoSyncOnCellular", { $0.http.disableAutoSyncOnCellular = true }),
      ("persistence.locationTemplate", { $0.persistence.locationTemplate = "{}" }),
      ("persistence.geofenceTemplate", { $0.persistence.geofenceTemplate = "{}" }),
      ("persistence.timestampFormat", { $0.persistence.timestampFormat = .epoch }),
      ("persistence.maxDaysToPersist", { $0.persistence.maxDaysToPersist = 2 }),
      ("persistence.maxRecordsToPersist", { $0.persistence.maxRecordsToPersist = 2 }),
      ("persistence.locationsOrderDirection", { $0.persistence.locationsOrderDirection = .descending }),
      ("persistence.persistMode", { $0.persistence.persistMode = .geofence }),
      ("persistence.extras", { $0.persistence.extras = ["a": [1, "b"] as [Any]] }),
      ("persistence.disableProviderChangeRecord", { $0.persistence.disableProviderChangeRecord = true }),
      ("activity.activityRecognitionInterval", { $0.activity.activityRecognitionInterval = 600 }),
      ("activity.minimumActivityRecognitionConfidence", { $0.activity.minimumActivityRecognitionConfidence = 1 }),
      ("activity.disableStopDetection", { $0.activity.disableStopDetection = true }),
      ("activity.stopOnStationary", { $0.activity.stopOnStationary = true }),
      ("activity.stopDetectionDelay", { $0.activity.stopDetectionDelay = 1 }),
      ("activity.motionTriggerDelay", { $0.activity.motionTriggerDelay = 1 }),
      ("activity.triggerActivities", { $0.activity.triggerActivities = "on_foot" }),
      ("activity.disableMotionActivityUpdates", { $0.activity.disableMotionActivityUpdates = true }),
      ("authorization.strategy", { $0.authorization.strategy = .sas }),
      ("authorization.accessToken", { $0.authorization.accessToken = "a" }),
      ("authorization.refreshToken", { $0.authorization.refreshToken = "a" }),
      ("authorization.refreshUrl", { $0.authorization.refreshUrl = "http://a.example" }),
      ("authorization.refreshPayload", { $0.authorization.refreshPayload = ["a": "{refreshToken}"] }),
      ("authorization.refreshHeaders", { $0.authorization.refreshHeaders = [:] }),
      ("authorization.expires", { $0.authorization.expires = 1 }), ("logger.debug", { $0.logger.debug = true }),
      ("logger.logLevel", { $0.logger.logLevel = .verbose }), ("logger.logMaxDays", { $0.logger.logMaxDays = 1 }),
      ("isMoving", { $0.isMoving = true }),
    ]
    for (key, change) in changes { #expect(keys(changedBy: change) == [key]) }
  }

  @Test func theChoicesAreThoseOfTheWire() {
    #expect(HttpMethod.allCases.map(\.contract) == UploadMethod.allCases)
    #expect(BackgroundGeolocation.PersistMode.allCases.map(\.contract) == Contract.PersistMode.allCases)
    #expect(LocationsOrderDirection.allCases.map(\.contract) == LocationsOrder.allCases)
    #expect(BackgroundGeolocation.TimestampFormat.allCases.map(\.contract) == Contract.TimestampFormat.allCases)
    #expect(BackgroundGeolocation.LogLevel.allCases.map(\.contract) == Contract.LogLevel.allCases)
    #expect(BackgroundGeolocation.FilterPolicy.allCases.map(\.contract) == Contract.FilterPolicy.allCases)
    #expect(BackgroundGeolocation.KalmanProfile.allCases.map(\.contract) == Contract.KalmanProfile.allCases)
    #expect(CLActivityType.allCases.map(\.contract) == LocationPurpose.allCases)
    #expect(
      BackgroundGeolocation.AuthorizationStrategy.allCases.map(\.contract)
        == Contract.AuthorizationStrategy.allCases)
    #expect(
      BackgroundGeolocation.LocationAuthorizationRequest.allCases.map(\.contract)
        == Contract.LocationAuthorizationRequest.allCases)
  }

  /// What is a `Double` as a property is one in the dictionaries too, also where it is a whole number.
  @Test(arguments: [LinuxPlatform.Profile.iOS, .android])
  func dictionariesHaveTheTypesOfTheProperties(profile: LinuxPlatform.Profile) async throws {
    let bench = try Bench(profile)
    bench.bgGeo.ready { config in
      config.http.params = ["expires": 7, "distanceFilter": 7]
      config.geolocation.distanceFilter = 10
    }
    let groups = bench.bgGeo.config.toDictionary()
    let geolocation = try #require(groups["geolocation"] as? [String: Any])
    for key in ["distanceFilter", "stationaryRadius", "stopTimeout", "stopAfterElapsedMinutes", "locationTimeout"] {
      #expect(geolocation[key] is Double, "\(key)")
    }
    #expect(geolocation["distanceFilter"] as? Double == 10 && geolocation["maxMonitoredGeofences"] is Int)
    let filter = try #require(geolocation["filter"] as? [String: Any])
    #expect(filter["trackingAccuracyThreshold"] is Double && filter["maxImpliedSpeed"] is Double)
    #expect(filter["rollingWindow"] is Int)
    #expect((groups["app"] as? [String: Any])?["heartbeatInterval"] is Double)
    #expect((groups["authorization"] as? [String: Any])?["expires"] is Double)
    let http = try #require(groups["http"] as? [String: Any])
    #expect(http["timeout"] is Int && http["maxBatchSize"] is Int)
    let params = try #require(http["params"] as? [String: Any])
    #expect(params["expires"] is Int && params["distanceFilter"] is Int)
    let state = bench.bgGeo.state.toDictionary()
    #expect(state["distanceFilter"] as? Double == 10 && state["httpTimeout"] is Int && state["trackingMode"] is Int)
    #expect((state["geolocation"] as? [String: Any])?["distanceFilter"] as? Double == 10)
  }

  @Test func whatJSONDoesNotHaveLeavesTheOldValueAndAWarning() async throws {
    let bench = try Bench()
    bench.bgGeo.ready { config in
      config.logger.logLevel = .warning
      config.http.params = ["good": 1]
    }
    bench.bgGeo.config.http.params = ["bad": bench.clock]
    bench.bgGeo.config.app.schedule = ["1 9:00-17:00", 7]
    bench.bgGeo.config.geolocation.locationAuthorizationAlert = ["cancelButton": "No"]
    #expect(bench.bgGeo.config.http.params["good"] as? Int == 1 && bench.bgGeo.config.app.schedule.isEmpty)
    #expect(bench.bgGeo.config.geolocation.locationAuthorizationAlert["cancelButton"] as? String == "Cancel")
    let log = try await bench.bgGeo.logger.getLog()
    for key in ["http.params", "app.schedule", "geolocation.locationAuthorizationAlert"] {
      #expect(log.contains(key))
    }
  }
}
