/// All configuration keys, one row each, in the order of SDK §2. Parsing, warnings, state output and the list of changed keys
/// all use these rows; a key is defined nowhere else.
package enum ConfigurationTable {
  package static let root = rows(
    of: .root,
    .boolean("isMoving", \.isMoving))

  package static let geolocation = rows(
    of: .geolocation,
    .number("desiredAccuracy", \.geolocation.desiredAccuracy),
    .number("distanceFilter", \.geolocation.distanceFilterMetres),
    .number("stationaryRadius", \.geolocation.stationaryRadiusMetres, .from(25, to: 1_000, on: .android)),
    .number("stopTimeout", \.geolocation.stopTimeoutMinutes),
    .number("stopAfterElapsedMinutes", \.geolocation.stopAfterElapsedMinutes),
    .boolean("disableElasticity", \.geolocation.disableElasticity),
    .number("elasticityMultiplier", \.geolocation.elasticityMultiplier),
    .boolean("useSignificantChangesOnly", \.geolocation.useSignificantChangesOnly),
    .number("locationTimeout", \.geolocation.locationTimeoutSeconds),
    .choice("locationAuthorizationRequest", \.geolocation.locationAuthorizationRequest),
    .boolean("disableLocationAuthorizationAlert", \.geolocation.disableLocationAuthorizationAlert).only(on: .ios),
    .alert("locationAuthorizationAlert", \.geolocation.locationAuthorizationAlert).only(on: .ios),
    .boolean("pausesLocationUpdatesAutomatically", \.geolocation.pausesLocationUpdatesAutomatically).only(on: .ios),
    .boolean("showsBackgroundLocationIndicator", \.geolocation.showsBackgroundLocationIndicator).only(on: .ios),
    .choice("activityType", \.geolocation.activityType).only(on: .ios),
    .number("geofenceProximityRadius", \.geolocation.geofenceProximityRadiusMetres, .atLeast(1_000)),
    .boolean("geofenceInitialTriggerEntry", \.geolocation.geofenceInitialTriggerEntry),
    .boolean("geofenceModeHighAccuracy", \.geolocation.geofenceModeHighAccuracy).only(on: .android),
    .integer("maxMonitoredGeofences", \.geolocation.maxMonitoredGeofences),
    .boolean("enableTimestampMeta", \.geolocation.enableTimestampMeta),
    .number("locationUpdateInterval", \.geolocation.locationUpdateIntervalMilliseconds).only(on: .android),
    .number("fastestLocationUpdateInterval", \.geolocation.fastestLocationUpdateIntervalMilliseconds)
      .only(on: .android),
    .number("deferTime", \.geolocation.deferTimeMilliseconds).only(on: .android),
    .boolean("allowIdenticalLocations", \.geolocation.allowIdenticalLocations).only(on: .android),
    .number("speedJumpFilter", \.geolocation.speedJumpFilterMetresPerSecond).only(on: .android))

  package static let filter = rows(
    of: .filter,
    .level("policy", \.geolocation.filter.policy),
    .boolean("useKalman", \.geolocation.filter.useKalman),
    .level("kalmanProfile", \.geolocation.filter.kalmanProfile),
    .boolean("kalmanDebug", \.geolocation.filter.kalmanDebug),
    .boolean("filterDebug", \.geolocation.filter.filterDebug),
    .integer("rollingWindow", \.geolocation.filter.rollingWindow, .from(3, to: 20)),
    .number("burstWindow", \.geolocation.filter.burstWindowSeconds, .from(0.2, to: 120)),
    .number("maxBurstDistance", \.geolocation.filter.maxBurstDistanceMetres, .from(5, to: 2_000)),
    .number("maxImpliedSpeed", \.geolocation.filter.maxImpliedSpeedMetresPerSecond, .from(1, to: 200)),
    .number("trackingAccuracyThreshold", \.geolocation.filter.trackingAccuracyThresholdMetres, .from(0, to: 500)),
    .number("odometerAccuracyThreshold", \.geolocation.filter.odometerAccuracyThresholdMetres, .from(0, to: 500))
      .alias("desiredOdometerAccuracy"),
    .boolean("odometerUseKalmanFilter", \.geolocation.filter.odometerUseKalmanFilter),
    .level("odometerPolicy", \.geolocation.filter.odometerPolicy))

  package static let app = rows(
    of: .app,
    .boolean("stopOnTerminate", \.app.stopOnTerminate),
    .boolean("startOnBoot", \.app.startOnBoot),
    .boolean("enableHeadless", \.app.enableHeadless).only(on: .android),
    .number("heartbeatInterval", \.app.heartbeatIntervalSeconds, .offOrAtLeast(60, on: .android)),
    .boolean("preventSuspend", \.app.preventSuspend).only(on: .ios),
    .list("schedule", \.app.schedule),
    .boolean("scheduleUseAlarmManager", \.app.scheduleUseAlarmManager).only(on: .android),
    .mergedObject("notification", \.app.notification).only(on: .android),
    .mergedObject("backgroundPermissionRationale", \.app.backgroundPermissionRationale).only(on: .android))

  package static let http = rows(
    of: .http,
    .text("url", \.http.url),
    .choice("method", \.http.method).alias("httpMethod"),
    .text("rootProperty", \.http.rootProperty).flat("httpRootProperty"),
    .object("headers", \.http.headers),
    .object("params", \.http.params),
    .number("timeout", \.http.timeoutMilliseconds).flat("httpTimeout"),
    .boolean("autoSync", \.http.autoSync),
    .integer("autoSyncThreshold", \.http.autoSyncThreshold),
    .boolean("batchSync", \.http.batchSync),
    .integer("maxBatchSize", \.http.maxBatchSize),
    .boolean("disableAutoSyncOnCellular", \.http.disableAutoSyncOnCellular))

  package static let persistence = rows(
    of: .persistence,
    .text("locationTemplate", \.persistence.locationTemplate),
    .text("geofenceTemplate", \.persistence.geofenceTemplate),
    .choice("timestampFormat", \.persistence.timestampFormat),
    .integer("maxDaysToPersist", \.persistence.maxDaysToPersist),
    .integer("maxRecordsToPersist", \.persistence.maxRecordsToPersist),
    .choice("locationsOrderDirection", \.persistence.locationsOrderDirection),
    .choice("persistMode", \.persistence.persistMode),
    .object("extras", \.persistence.extras),
    .boolean("disableProviderChangeRecord", \.persistence.disableProviderChangeRecord).only(on: .android))

  package static let activity = rows(
    of: .activity,
    .number("activityRecognitionInterval", \.activity.activityRecognitionIntervalMilliseconds, .atLeast(500)),
    .integer("minimumActivityRecognitionConfidence", \.activity.minimumActivityRecognitionConfidence),
    .boolean("disableStopDetection", \.activity.disableStopDetection),
    .boolean("stopOnStationary", \.activity.stopOnStationary),
    .number("stopDetectionDelay", \.activity.stopDetectionDelay).only(on: .ios),
    .number("motionTriggerDelay", \.activity.motionTriggerDelayMilliseconds).only(on: .android),
    .activities("triggerActivities", \.activity.triggerActivities),
    .boolean("disableMotionActivityUpdates", \.activity.disableMotionActivityUpdates))

  package static let authorization = rows(
    of: .authorization,
    .choice("strategy", \.authorization.strategy, ignoringCase: true),
    .optionalText("accessToken", \.authorization.accessToken),
    .optionalText("refreshToken", \.authorization.refreshToken),
    .optionalText("refreshUrl", \.authorization.refreshUrl),
    .object("refreshPayload", \.authorization.refreshPayload),
    .object("refreshHeaders", \.authorization.refreshHeaders),
    .number("expires", \.authorization.expires))

  package static let logger = rows(
    of: .logger,
    .boolean("debug", \.logger.debug),
    .choice("logLevel", \.logger.logLevel),
    .integer("logMaxDays", \.logger.logMaxDays))

  package static let all =
    root + geolocation + filter + app + http + persistence + activity + authorization + logger

  private static func rows(of group: ConfigurationGroup, _ keys: ConfigurationKey...) -> [ConfigurationKey] {
    keys.map { $0.placed(in: group) }
  }
}

extension ConfigurationTable {
  /// Marks a state dictionary that repeats the keys of the groups outside them, as in version 4.
  package static let deprecatedPropertiesFlag = "includeDeprecatedPropertiesInDictionary"

  /// The names allowed in a document outside every group, without aliases, in the order of the table.
  static let namesOutsideGroups = ConfigurationGroup.topLevel.map(\.rawValue) + all.compactMap(\.flatName)

  private static let byPath = Dictionary(uniqueKeysWithValues: all.map { ($0.path, $0) })
  private static let byFlatName = Dictionary(
    uniqueKeysWithValues: all.flatMap { key in
      ([key.flatName].compactMap(\.self) + key.aliases).map { ($0, key) }
    })

  package static func key(path: String) -> ConfigurationKey? { byPath[path] }

  package static func key(flatName: String) -> ConfigurationKey? { byFlatName[flatName] }

  static func names(in group: ConfigurationGroup) -> [String] {
    all.filter { $0.group == group }.map(\.name)
  }
}
