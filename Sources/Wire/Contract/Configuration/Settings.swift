package import JSON

/// The two mobile systems whose SDKs differ in defaults, limits and keys.
package enum DevicePlatform: String, CaseIterable, Sendable {
  case ios = "iOS"
  case android = "Android"
}

/// The group `geolocation`: how positions are requested and which of them become records (SDK §2.1).
package struct GeolocationSettings: Equatable, Sendable {
  /// A class of `DesiredAccuracy`, or any other number of metres.
  package var desiredAccuracy = -1.0
  /// 0 records every fix.
  package var distanceFilterMetres = 10.0
  /// As configured; no engine uses a radius below 150 m.
  package var stationaryRadiusMetres: Double
  package var stopTimeoutMinutes = 5.0
  /// 0 or less for never.
  package var stopAfterElapsedMinutes = -1.0
  package var disableElasticity = false
  /// 0 disables elasticity.
  package var elasticityMultiplier = 1.0
  package var useSignificantChangesOnly = false
  package var locationTimeoutSeconds = 60.0
  package var locationAuthorizationRequest = LocationAuthorizationRequest.always
  package var disableLocationAuthorizationAlert = false
  package var locationAuthorizationAlert = LocationAuthorizationAlert()
  package var pausesLocationUpdatesAutomatically = true
  package var showsBackgroundLocationIndicator = true
  package var activityType = LocationPurpose.other
  package var geofenceProximityRadiusMetres = 2_000.0
  package var geofenceInitialTriggerEntry = true
  package var geofenceModeHighAccuracy = false
  /// -1 for as many as the platform allows. The sources give no default; -1 is our choice.
  package var maxMonitoredGeofences = -1
  package var enableTimestampMeta = false
  /// Used only while the distance filter is 0.
  package var locationUpdateIntervalMilliseconds = 1_000.0
  /// -1 for no limit.
  package var fastestLocationUpdateIntervalMilliseconds = -1.0
  package var deferTimeMilliseconds = 0.0
  package var allowIdenticalLocations = false
  package var speedJumpFilterMetresPerSecond = 300.0
  package var filter = LocationFilterSettings()

  package init(platform: DevicePlatform) {
    stationaryRadiusMetres =
      switch platform {
      case .ios: 25
      case .android: 150
      }
  }
}

/// The accuracy classes of the number `desiredAccuracy` (SDK §4.3).
package enum DesiredAccuracy: Double, CaseIterable, Sendable {
  case navigation = -2
  case high = -1
  case medium = 10
  case low = 100
  case veryLow = 1_000
  case lowest = 3_000

  /// The coarsest class that is at least as accurate. 0 was the highest class of old Android versions.
  package init(metres: Double) {
    self =
      switch metres {
      case ...(-2): .navigation
      case ..<10: .high
      case ..<100: .medium
      case ..<1_000: .low
      case ..<3_000: .veryLow
      default: .lowest
      }
  }

  /// Whether the class uses satellites.
  package var usesSatellites: Bool { self == .navigation || self == .high }
}

/// The permission that the app requests.
package enum LocationAuthorizationRequest: String, CaseIterable, Sendable {
  case always = "Always"
  case whenInUse = "WhenInUse"
  case any = "Any"
}

/// The texts of the iOS alert that requests more permission. An app that sets them sets all five.
package struct LocationAuthorizationAlert: Equatable, Sendable {
  package var titleWhenOff = "Location services are off"
  package var titleWhenNotEnabled = "Background location is not enabled"
  package var instructions =
    "To use background location, you must enable '{locationAuthorizationRequest}' in the Location Services settings"
  package var cancelButton = "Cancel"
  package var settingsButton = "Settings"
}

/// The purpose of the positions, as iOS is told (`CLActivityType`).
package enum LocationPurpose: Int, CaseIterable, Sendable {
  case other = 1
  case automotiveNavigation = 2
  case fitness = 3
  case otherNavigation = 4
  case airborne = 5
}

/// The group `geolocation.filter`: which fixes are implausible, and how they affect the odometer (SDK §2.2).
package struct LocationFilterSettings: Equatable, Sendable {
  package var policy = FilterPolicy.conservative
  package var useKalman = true
  package var kalmanProfile = KalmanProfile.balanced
  package var kalmanDebug = false
  package var filterDebug = false
  /// The number of last steps that the adaptive cap considers.
  package var rollingWindow = 5
  package var burstWindowSeconds = 10.0
  package var maxBurstDistanceMetres = 300.0
  package var maxImpliedSpeedMetresPerSecond = 60.0
  package var trackingAccuracyThresholdMetres = 100.0
  package var odometerAccuracyThresholdMetres = 20.0
  package var odometerUseKalmanFilter = true
  package var odometerPolicy = FilterPolicy.adjust
}

/// The reaction of the location filter to an implausible step (SDK §2.2).
package enum FilterPolicy: Int, CaseIterable, Sendable {
  /// Rejects only fixes of low accuracy.
  case passThrough = 0
  /// Caps the step.
  case adjust = 1
  /// Rejects bursts, caps the rest.
  case conservative = 2
}

/// How the filter smooths the length of steps; coordinates are never changed.
package enum KalmanProfile: Int, CaseIterable, Sendable {
  case balanced = 0
  /// Very smooth and slow. One source swaps 1 and 2 (SDK §23).
  case smooth = 1
  case quick = 2
}

/// The group `app`: life cycle, heartbeat, schedule, and the Android texts (SDK §2.3, §2.4).
package struct AppSettings: Equatable, Sendable {
  package var stopOnTerminate = true
  package var startOnBoot = false
  package var enableHeadless = false
  /// 0 or less for no heartbeat.
  package var heartbeatIntervalSeconds: Double
  package var preventSuspend = false
  /// Entries in the grammar of SDK §16.1, not checked here.
  package var schedule: [String] = []
  package var scheduleUseAlarmManager = false
  /// An object, kept for readers of the configuration; a simulated device shows no notification.
  package var notification = AppSettings.defaultNotification
  /// An object, kept for readers of the configuration; a simulated device shows no dialog.
  package var backgroundPermissionRationale = AppSettings.defaultRationale

  package init(platform: DevicePlatform) {
    heartbeatIntervalSeconds =
      switch platform {
      case .ios: 60
      case .android: -1
      }
  }
}

extension AppSettings {
  /// SDK §2.4. `color`, `largeIcon` and `layout` are unset.
  static let defaultNotification = JSONValue.object([
    "title": .string("Background Geolocation"),
    "text": .string("Tracking location"),
    "smallIcon": .string("mipmap/ic_launcher"),
    "priority": .integer(-1),
    "sticky": .bool(false),
    "channelName": .string("BackgroundGeolocation"),
    "channelId": .string("bggeo"),
    "strings": .emptyObject,
    "actions": .array([]),
  ])

  /// SDK §2.4. The SDK's message is a sample; this one has the same meaning.
  static let defaultRationale = JSONValue.object([
    "title": .string("Allow {applicationName} to access this device's location even when closed or not in use."),
    "message": .string("Positions are collected to record trips to work and the distance covered."),
    "positiveAction": .string("Change to \"{backgroundPermissionOptionLabel}\""),
    "negativeAction": .string("Cancel"),
  ])
}

/// The group `http`: the destination of records, and the size of requests (SDK §2.5).
package struct HTTPSettings: Equatable, Sendable {
  /// As configured; `uploadURL` is nil when uploads cannot go there.
  package var url = ""
  package var method = UploadMethod.post
  /// The key that wraps the records; "." for none.
  package var rootProperty = "location"
  /// Always an object.
  package var headers = JSONValue.emptyObject
  /// Always an object.
  package var params = JSONValue.emptyObject
  package var timeoutMilliseconds = 60_000.0
  package var autoSync = true
  package var autoSyncThreshold = 0
  package var batchSync = false
  /// -1 for all records in one request.
  package var maxBatchSize = -1
  package var disableAutoSyncOnCellular = false
}

extension HTTPSettings {
  /// The url; nil when there is no upload: no url, a scheme other than http and https, or no host.
  package var uploadURL: String? {
    let lowercased = url.lowercased()
    guard let scheme = ["http://", "https://"].first(where: lowercased.hasPrefix) else { return nil }
    // RFC 3986 §3.2: authority = [ userinfo "@" ] host [ ":" port ], up to the next "/", "?" or "#".
    let authority = url.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
    let hostAndPort = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
    return hostAndPort.isEmpty || hostAndPort.first == ":" ? nil : url
  }

  /// Whether a request can be sent to the url. No client accepts one with a space (RFC 3986 §2).
  package var isUsable: Bool { uploadURL != nil && !url.utf8.contains(UInt8(ascii: " ")) }
}

/// The methods with which a device uploads. A server accepts more.
package enum UploadMethod: String, CaseIterable, Sendable {
  case post = "POST"
  case put = "PUT"
  case patch = "PATCH"
}

/// The group `persistence`: which records are stored in the queue, in which form, and for how long (SDK §2.6).
package struct PersistenceSettings: Equatable, Sendable {
  /// Empty for the default schema.
  package var locationTemplate = ""
  /// Empty for the default schema.
  package var geofenceTemplate = ""
  package var timestampFormat = TimestampFormat.iso
  package var maxDaysToPersist = 1
  /// -1 for no limit, 0 to persist nothing.
  package var maxRecordsToPersist = -1
  package var locationsOrderDirection = LocationsOrder.ascending
  package var persistMode = PersistMode.all
  /// Added to every record when it is written. Always an object.
  package var extras = JSONValue.emptyObject
  package var disableProviderChangeRecord = false
}

/// The records that are stored in the queue.
package enum PersistMode: Int, CaseIterable, Sendable {
  case geofence = -1
  case none = 0
  case location = 1
  case all = 2
}

/// The order of insertion in which records are read and uploaded.
package enum LocationsOrder: String, CaseIterable, Sendable {
  case ascending = "ASC"
  case descending = "DESC"
}

/// The format of a record's `timestamp` and `recorded_at`.
package enum TimestampFormat: String, CaseIterable, Sendable {
  case iso
  /// Integer milliseconds since 1970.
  case epoch
}

/// The group `activity`: when the device counts as moving or still (SDK §2.7).
package struct ActivitySettings: Equatable, Sendable {
  package var activityRecognitionIntervalMilliseconds = 10_000.0
  /// In percent.
  package var minimumActivityRecognitionConfidence: Int
  package var disableStopDetection = false
  package var stopOnStationary = false
  /// As configured, in an uncertain unit; use `stopDetectionDelaySeconds`.
  package var stopDetectionDelay = 0.0
  package var motionTriggerDelayMilliseconds = 0.0
  /// Names joined by commas; empty when every moving activity triggers.
  package var triggerActivities = ""
  package var disableMotionActivityUpdates = false

  package init(platform: DevicePlatform) {
    minimumActivityRecognitionConfidence =
      switch platform {
      case .ios: 70
      case .android: 75
      }
  }
}

/// The group `authorization`: the token of uploads and how it is refreshed (SDK §2.8).
package struct AuthorizationSettings: Equatable, Sendable {
  package var strategy = AuthorizationStrategy.jwt
  /// The access token; nil when requests have no authorization header.
  package var accessToken: String?
  package var refreshToken: String?
  /// The url for refreshes; nil when a 401 cannot be resolved.
  package var refreshUrl: String?
  /// The fields of the refresh request; `{refreshToken}` in a value is replaced by the token. Always an object.
  package var refreshPayload = JSONValue.emptyObject
  /// The headers of the refresh request; `{accessToken}` in a value is replaced by the token. Always an object.
  package var refreshHeaders = JSONValue.object([
    HeaderName.authorization.description: .string(AuthorizationScheme.bearerPrefix + TokenPlaceholder.accessToken)
  ])
  /// As received; `TokenExpiry` determines the instant.
  package var expires = -1.0
}

extension AuthorizationSettings {
  /// The value of the `Authorization` header of uploads, which overrides a configured header of that name; nil without a
  /// token (SDK §11.1).
  package var headerValue: String? {
    switch strategy {
    case .jwt: accessToken.map { AuthorizationScheme.bearerPrefix + $0 }
    case .sas: accessToken
    }
  }
}

/// The form of the access token in the `Authorization` header.
package enum AuthorizationStrategy: String, CaseIterable, Sendable {
  /// After `Bearer `.
  case jwt = "JWT"
  /// Alone.
  case sas = "SAS"
}

/// The group `logger` (SDK §2.9).
package struct LoggerSettings: Equatable, Sendable {
  package var debug = false
  package var logLevel = LogLevel.off
  package var logMaxDays = 3
}

/// The least important level that the device's log keeps.
package enum LogLevel: Int, CaseIterable, Comparable, Sendable {
  case off, error, warning, info, debug, verbose

  package static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }
}
