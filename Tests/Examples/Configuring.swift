import BackgroundGeolocation

/// Every property of every group.
enum Configuring {
  static func all(_ bgGeo: BGGeo) {
    bgGeo.config.batchUpdate { config in
      geolocation(config.geolocation)
      filter(config.geolocation.filter)
      activity(config.activity)
      http(config.http)
      persistence(config.persistence)
      authorization(config.authorization)
      app(config.app)
      config.logger.debug = false
      config.logger.logLevel = .info
      config.logger.logMaxDays = 2
      config.isMoving = false
    }
    bgGeo.config.edit { config in config.http.autoSync = true }
    print(bgGeo.config.toDictionary().count, bgGeo.config.toJson().count, bgGeo.config.isFirstBoot)
    bgGeo.config.reset()
  }

  private static func geolocation(_ group: GeolocationConfig) {
    group.desiredAccuracy = kCLLocationAccuracyNearestTenMeters
    group.distanceFilter = 20
    group.stationaryRadius = 50
    group.stopTimeout = 3
    group.stopAfterElapsedMinutes = 600
    group.disableElasticity = false
    group.elasticityMultiplier = 2
    group.useSignificantChangesOnly = false
    group.locationTimeout = 30
    group.locationAuthorizationRequest = .whenInUse
    group.disableLocationAuthorizationAlert = true
    group.locationAuthorizationAlert = ["titleWhenOff": "off"]
    group.pausesLocationUpdatesAutomatically = false
    group.showsBackgroundLocationIndicator = true
    group.activityType = .automotiveNavigation
    group.geofenceProximityRadius = 2_000
    group.geofenceInitialTriggerEntry = true
    group.geofenceModeHighAccuracy = true
    group.maxMonitoredGeofences = 10
    group.enableTimestampMeta = true
    group.locationUpdateInterval = 2_000
    group.fastestLocationUpdateInterval = 1_000
    group.deferTime = 0
    group.allowIdenticalLocations = false
  }

  private static func filter(_ group: LocationFilterConfig) {
    group.policy = .conservative
    group.useKalman = true
    group.kalmanProfile = .smooth
    group.kalmanDebug = false
    group.filterDebug = false
    group.rollingWindow = 5
    group.burstWindow = 10
    group.maxBurstDistance = 300
    group.maxImpliedSpeed = 60
    group.trackingAccuracyThreshold = 100
    group.odometerAccuracyThreshold = 20
    group.odometerUseKalmanFilter = true
    group.odometerPolicy = .adjust
  }

  private static func activity(_ group: ActivityConfig) {
    group.activityRecognitionInterval = 5_000
    group.minimumActivityRecognitionConfidence = 70
    group.disableStopDetection = false
    group.stopOnStationary = false
    group.stopDetectionDelay = 1
    group.motionTriggerDelay = 500
    group.triggerActivities = "in_vehicle, on_bicycle"
    group.disableMotionActivityUpdates = false
  }

  private static func http(_ group: HttpConfig) {
    group.url = "http://tracker.example/locations"
    group.method = .put
    group.rootProperty = "data"
    group.headers = ["X-Device-Id": "phone-1"]
    group.params = ["vehicle": 12]
    group.timeout = 20_000
    group.autoSync = true
    group.autoSyncThreshold = 5
    group.batchSync = true
    group.maxBatchSize = 50
    group.disableAutoSyncOnCellular = true
  }

  private static func persistence(_ group: PersistenceConfig) {
    group.locationTemplate = #"{"lat":<%= latitude %>,"lng":<%= longitude %>}"#
    group.geofenceTemplate = #"{"id":"<%= geofence.identifier %>"}"#
    group.timestampFormat = .epoch
    group.maxDaysToPersist = 3
    group.maxRecordsToPersist = 5_000
    group.locationsOrderDirection = .descending
    group.persistMode = .all
    group.extras = ["fleet": "north"]
    group.disableProviderChangeRecord = true
  }

  private static func authorization(_ group: AuthorizationConfig) {
    group.strategy = .jwt
    group.accessToken = "a"
    group.refreshToken = "b"
    group.refreshUrl = "http://tracker.example/refresh"
    group.refreshPayload = ["refresh_token": "{refreshToken}"]
    group.refreshHeaders = ["Authorization": "Bearer {accessToken}"]
    group.expires = 3_600
  }

  private static func app(_ group: AppConfig) {
    group.stopOnTerminate = false
    group.startOnBoot = true
    group.enableHeadless = true
    group.heartbeatInterval = 120
    group.preventSuspend = true
    group.schedule = ["1-7 06:00-22:00"]
    group.scheduleUseAlarmManager = true
    group.notification = ["title": "on the way"]
    group.backgroundPermissionRationale = ["title": "always"]
  }
}
