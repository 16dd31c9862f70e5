import BackgroundGeolocation

/// From the first call to the last.
enum LifeCycle {
  static func begin(_ bgGeo: BGGeo) async throws {
    bgGeo.ready(reset: true) { config in config.app.schedule = ["2-6 08:00-18:00", "7 10:00-14:00 geofence"] }
    try await bgGeo.start()
    bgGeo.changePace(true)
    bgGeo.changePace(false)
    try await bgGeo.startGeofences()
    bgGeo.startSchedule()
    bgGeo.stopSchedule()
    if bgGeo.enabled { bgGeo.stop() }
    let state = bgGeo.state
    print(state.isMoving, state.schedulerEnabled, state.trackingMode, state.odometerError, state.toDictionary().count)
    print(state.isFirstBoot, state.didDeviceReboot, state.didLaunchInBackground)
  }

  static func work(_ bgGeo: BGGeo) async throws {
    let task = bgGeo.app.startBackgroundTask()
    bgGeo.app.stopBackgroundTask(task)
    print(bgGeo.app.isPowerSaveMode, bgGeo.deviceSettings.isPowerSaveMode)
    print(bgGeo.sensors.platform, bgGeo.sensors.hasAccelerometer, bgGeo.sensors.hasGyroscope)
    print(bgGeo.sensors.hasMagnetometer, bgGeo.sensors.hasSignificantMotion)
    print(bgGeo.authorization.getState().status, try await bgGeo.authorization.requestPermission())
    print(try await bgGeo.authorization.requestTemporaryFullAccuracy(purpose: "delivery"))
  }

  static func register(_ bgGeo: BGGeo) async throws {
    let token = try await bgGeo.findOrCreateToken(org: "org", username: "phone-1", url: "http://tracker.example")
    print(token.accessToken, token.refreshToken, token.expires, token.apiUrl, token.refreshUrl)
    bgGeo.ready(transistorAuthorizationToken: token) { config in config.http.autoSync = false }
    print(bgGeo.hasToken(forHost: "tracker.example"), token.toDictionary().count)
    bgGeo.destroyToken(url: "http://tracker.example")
  }

  /// A queue of the program's own: its listeners are called when the program says so, `BGGeo.shared`'s as well.
  static func callWhenThereIsTime(_ bgGeo: BGGeo) -> EventSubscription {
    let queue = CallbackQueue.emptiedByProgram()
    bgGeo.callbackQueue = queue
    let subscription = bgGeo.onProviderChange { print($0.status) }
    bgGeo.ready { _ in }
    queue.runPending()
    bgGeo.callbackQueue = CallbackQueue()
    return subscription
  }
}
