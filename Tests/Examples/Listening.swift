import BackgroundGeolocation

/// A listener for each event, and the ways to keep one.
enum Listening {
  /// Every listener looks at all that its event says.
  static func toEverything(_ bgGeo: BGGeo, _ subscriptions: inout Set<EventSubscription>) {
    bgGeo.onLocation { location in
      print(location.timestampString, location.sample, location.isMoving, location.odometer ?? 0)
    }.store(in: &subscriptions)
    bgGeo.onMotionChange { location in print(location.isMoving ? "sets off" : "rests", location) }
      .store(in: &subscriptions)
    bgGeo.onActivityChange { change in print(change.activity, change.confidence) }.store(in: &subscriptions)
    bgGeo.onProviderChange { provider in
      switch provider.status {
      case .denied, .restricted: print("no positions", provider.enabled)
      default: print(provider.gps, provider.network, provider.accuracyAuthorization)
      }
    }.store(in: &subscriptions)
    bgGeo.onHeartbeat { beat in print(beat.location, beat.data.count) }.store(in: &subscriptions)
    bgGeo.onConnectivityChange { change in print(change.hasConnection, change.isConnected) }.store(in: &subscriptions)
    bgGeo.onEnabledChange { change in print(change.enabled) }.store(in: &subscriptions)
    bgGeo.onPowerSaveChange { change in print(change.isPowerSaveMode) }.store(in: &subscriptions)
    bgGeo.onSchedule { schedule in print(schedule.enabled, schedule.trackingMode, schedule.state.toJson()) }
      .store(in: &subscriptions)
    toUploads(bgGeo, &subscriptions)
    toFences(bgGeo, &subscriptions)
  }

  private static func toUploads(_ bgGeo: BGGeo, _ subscriptions: inout Set<EventSubscription>) {
    bgGeo.onHttp { answer in
      print(answer.isSuccess, answer.statusCode, answer.responseText, answer.error?.message ?? "", answer.description)
    }.store(in: &subscriptions)
    bgGeo.onAuthorization { event in
      if event.isSuccess { print(event.response?.count ?? 0) } else { print(event.status, event.error ?? "") }
    }.store(in: &subscriptions)
  }

  private static func toFences(_ bgGeo: BGGeo, _ subscriptions: inout Set<EventSubscription>) {
    bgGeo.onGeofence { crossing in
      print(crossing.identifier, crossing.action, crossing.timestamp, crossing.extras ?? [:], crossing.location)
      print(crossing.geofence.hits, crossing.triggerCoordinate.latitude, crossing.triggerHeading ?? 0)
    }.store(in: &subscriptions)
    bgGeo.onGeofencesChange { change in print(change.on.map(\.identifier), change.off) }.store(in: &subscriptions)
    bgGeo.onLocationFilter { rejected in
      print(rejected.reason, rejected.accuracy, rejected.trackingAccuracyThreshold, rejected.location)
      if let fence = rejected.geofence {
        print(fence.identifier, fence.action, fence.distance, fence.radius, fence.outsideBy)
      }
    }.store(in: &subscriptions)
  }

  /// A listener ends when it is told to, when its last reference goes, or with all the others.
  static func untilEnough(_ bgGeo: BGGeo) -> EventSubscription {
    let short = bgGeo.onLocation { _ in }
    short.remove()
    _ = bgGeo.onLocation { _ in print("never: nothing keeps this one") }
    let kept = bgGeo.onLocation({ _ in }, failure: { error in print(error.code, error.message) })
    bgGeo.removeListeners()
    return kept
  }

  /// All that a location says.
  static func describe(_ location: LocationEvent) {
    print(location.timestamp as Any, location.recordedAt as Any, location.uuid ?? "", location.age ?? 0)
    print(location.event ?? "tracking", location.odometerError ?? 0, location.mock ?? false, location.extras ?? [:])
    print(location.activity?.type ?? "", location.activity?.confidence ?? 0)
    print(location.battery?.level ?? -1, location.battery?.isCharging ?? false, location.data.count, "\(location)")
    if let crossing = location.geofence { print(crossing.identifier, crossing.action, crossing.timestamp) }
    guard let coords = location.coords else { return }
    print(coords.latitude, coords.longitude, coords.accuracy ?? -1, coords.floor ?? 0)
    print(coords.speed ?? -1, coords.speedAccuracy ?? -1, coords.heading ?? -1, coords.headingAccuracy ?? -1)
    print(coords.altitude ?? 0, coords.altitudeAccuracy ?? -1, coords.ellipsoidalAltitude ?? 0)
    print(location.location.distance(from: CLLocation(latitude: 45.5, longitude: -73.6)))
  }
}
