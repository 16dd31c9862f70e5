internal import Base
internal import JSON

/// Values that another key overrides (SDK §2). The state shows the configured values; engines use these.
extension Configuration {
  /// In Android's significant-change mode the stop timeout is never shorter, except for 0.
  package static let significantChangeStopTimeoutMinutes = 20.0
  package static let significantChangeMotionTriggerDelayMilliseconds = 60_000.0
  package static let significantChangeDistanceFilterMetres = 250.0
  /// Values of `stopDetectionDelay` from here on are taken for milliseconds (SDK §23).
  package static let leastDelayInMilliseconds = 1_000.0

  private var isAndroidSignificantChangeMode: Bool {
    platform == .android && geolocation.useSignificantChangesOnly
  }

  package var effectiveDistanceFilterMetres: Double {
    let configured = geolocation.distanceFilterMetres
    return isAndroidSignificantChangeMode ? max(configured, Self.significantChangeDistanceFilterMetres) : configured
  }

  package var effectiveStopTimeoutMinutes: Double {
    let configured = geolocation.stopTimeoutMinutes
    guard isAndroidSignificantChangeMode && configured != 0 else { return configured }
    return max(configured, Self.significantChangeStopTimeoutMinutes)
  }

  /// Android only; 0 on iOS.
  package var effectiveMotionTriggerDelayMilliseconds: Double {
    guard platform == .android else { return 0 }
    let configured = activity.motionTriggerDelayMilliseconds
    return geolocation.useSignificantChangesOnly
      ? max(configured, Self.significantChangeMotionTriggerDelayMilliseconds) : configured
  }

  /// iOS only; 0 on Android. Documents name minutes, seconds and milliseconds as the unit (SDK §23): this uses seconds, unless
  /// the number only makes sense in milliseconds.
  package var stopDetectionDelaySeconds: Double {
    guard platform == .ios else { return 0 }
    let configured = activity.stopDetectionDelay
    return configured >= Self.leastDelayInMilliseconds ? configured / 1_000 : configured
  }

  private var keepsLocationUpdatesRunning: Bool {
    platform == .ios && !geolocation.pausesLocationUpdatesAutomatically
  }

  package var isStopDetectionDisabled: Bool { activity.disableStopDetection || keepsLocationUpdatesRunning }

  /// Whether iOS keeps the app awake while location is off.
  package var preventsSuspend: Bool { platform == .ios && app.preventSuspend && !keepsLocationUpdatesRunning }

  /// Coarse accuracies relax the filter unless it was configured. A filter with all default values counts as not configured,
  /// because the persisted state cannot distinguish the two.
  package var effectiveFilterPolicy: FilterPolicy {
    let isUntouched = geolocation.filter == LocationFilterSettings()
    let isCoarse = !DesiredAccuracy(metres: geolocation.desiredAccuracy).usesSatellites
    return isUntouched && isCoarse ? .passThrough : geolocation.filter.policy
  }

  /// The activities that may start a trip; nil for every moving one.
  package var allowedTriggerActivities: [String]? {
    let names = activity.triggerActivities.split(separator: ",").map(String.init)
    return names.isEmpty ? nil : names
  }
}

extension Configuration {
  /// Returns warnings about values that are valid alone but not in combination, if a changed key is involved.
  func combinationWarnings(changed: [String]) -> [ConfigurationWarning] {
    var warnings: [ConfigurationWarning] = []
    func check(_ paths: String..., if isWrong: Bool, _ warning: ConfigurationWarning) {
      if isWrong && paths.contains(where: changed.contains) { warnings.append(warning) }
    }
    let (boot, terminate) = ("app.startOnBoot", "app.stopOnTerminate")
    check(boot, terminate, if: app.startOnBoot && app.stopOnTerminate, .withoutEffect(boot, because: terminate))

    let (url, refreshURL) = ("http.url", "authorization.refreshUrl")
    check(url, if: !http.url.isEmpty && http.uploadURL == nil, .unusableURL(url))
    check(url, if: http.url.utf8.contains(UInt8(ascii: " ")), .spaceInURL(url))

    let (stopOnStationary, stopDetection) = ("activity.stopOnStationary", "activity.disableStopDetection")
    let neverStops = activity.stopOnStationary && activity.disableStopDetection
    check(
      stopOnStationary, stopDetection, if: neverStops, .withoutEffect(stopOnStationary, because: stopDetection))

    let sendsNoToken = authorization.refreshUrl != nil && !authorization.sendsRefreshToken
    check(refreshURL, "authorization.refreshPayload", if: sendsNoToken, .refreshTokenNotSent)
    return warnings
  }
}

extension AuthorizationSettings {
  fileprivate var sendsRefreshToken: Bool {
    guard case .object(let payload) = refreshPayload else { return false }
    return payload.members.contains {
      if case .string(let text) = $0.value { text.contains(TokenPlaceholder.refreshToken) } else { false }
    }
  }
}
