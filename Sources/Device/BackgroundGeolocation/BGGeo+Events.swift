/// Listeners. A subscription lives as long as the returned value; one that is not kept ends at once. A listener runs on
/// the actor on which it was added (for the main actor, on the main thread); one added on no actor runs in the
/// background, on the callback queue.
extension BGGeo {
  /// Every recorded location, and the intermediate samples, whose `sample` is true.
  @discardableResult
  public func onLocation(
    isolation: isolated (any Actor)? = #isolation, _ callback: @escaping (LocationEvent) -> Void
  ) -> EventSubscription {
    device.listeners.location.subscribe(isolation: isolation, callback)
  }

  /// The same, with a second function for the reasons why no position was available.
  @discardableResult
  public func onLocation(
    isolation: isolated (any Actor)? = #isolation, _ callback: @escaping (LocationEvent) -> Void,
    failure: @escaping (LocationError) -> Void
  ) -> EventSubscription {
    let locations = device.listeners.location.subscribe(isolation: isolation, callback)
    let errors = device.listeners.locationError.subscribe(isolation: isolation, failure)
    return EventSubscription {
      locations.remove()
      errors.remove()
    }
  }

  /// The device began to move, or came to rest; `isMoving` distinguishes them. The location is stored and uploaded
  /// regardless of the threshold.
  @discardableResult
  public func onMotionChange(
    isolation: isolated (any Actor)? = #isolation, _ callback: @escaping (LocationEvent) -> Void
  ) -> EventSubscription {
    device.listeners.motionChange.subscribe(isolation: isolation, callback)
  }

  /// The motion sensors report a new activity.
  @discardableResult
  public func onActivityChange(
    isolation: isolated (any Actor)? = #isolation, _ callback: @escaping (ActivityChangeEvent) -> Void
  ) -> EventSubscription {
    device.listeners.activityChange.subscribe(isolation: isolation, callback)
  }

  /// Permissions or location services have changed; also once after `ready`.
  @discardableResult
  public func onProviderChange(
    isolation: isolated (any Actor)? = #isolation, _ callback: @escaping (ProviderChangeEvent) -> Void
  ) -> EventSubscription {
    device.listeners.providerChange.subscribe(isolation: isolation, callback)
  }

  /// The device crossed the boundary of a geofence, or stayed inside for its loitering delay.
  @discardableResult
  public func onGeofence(
    isolation: isolated (any Actor)? = #isolation, _ callback: @escaping (GeofenceEvent) -> Void
  ) -> EventSubscription {
    device.listeners.geofence.subscribe(isolation: isolation, callback)
  }

  /// The set of watched geofences has changed. Both lists are empty when all were removed.
  @discardableResult
  public func onGeofencesChange(
    isolation: isolated (any Actor)? = #isolation, _ callback: @escaping (GeofencesChangeEvent) -> Void
  ) -> EventSubscription {
    device.listeners.geofencesChange.subscribe(isolation: isolation, callback)
  }

  /// The device is at rest, and `AppConfig.heartbeatInterval` has passed.
  @discardableResult
  public func onHeartbeat(
    isolation: isolated (any Actor)? = #isolation, _ callback: @escaping (HeartbeatEvent) -> Void
  ) -> EventSubscription {
    device.listeners.heartbeat.subscribe(isolation: isolation, callback)
  }

  /// An upload request has succeeded or failed.
  @discardableResult
  public func onHttp(
    isolation: isolated (any Actor)? = #isolation, _ callback: @escaping (HttpEvent) -> Void
  ) -> EventSubscription {
    device.listeners.http.subscribe(isolation: isolation, callback)
  }

  /// A token request has succeeded or failed.
  @discardableResult
  public func onAuthorization(
    isolation: isolated (any Actor)? = #isolation, _ callback: @escaping (AuthorizationEvent) -> Void
  ) -> EventSubscription {
    device.listeners.authorization.subscribe(isolation: isolation, callback)
  }

  /// The network became available or unavailable; also once at `start`.
  @discardableResult
  public func onConnectivityChange(
    isolation: isolated (any Actor)? = #isolation, _ callback: @escaping (ConnectivityChangeEvent) -> Void
  ) -> EventSubscription {
    device.listeners.connectivityChange.subscribe(isolation: isolation, callback)
  }

  /// Tracking was switched on or off.
  @discardableResult
  public func onEnabledChange(
    isolation: isolated (any Actor)? = #isolation, _ callback: @escaping (EnabledChangeEvent) -> Void
  ) -> EventSubscription {
    device.listeners.enabledChange.subscribe(isolation: isolation, callback)
  }

  /// Power saving was switched on or off.
  @discardableResult
  public func onPowerSaveChange(
    isolation: isolated (any Actor)? = #isolation, _ callback: @escaping (PowerSaveChangeEvent) -> Void
  ) -> EventSubscription {
    device.listeners.powerSaveChange.subscribe(isolation: isolation, callback)
  }

  /// The schedule has switched tracking on or off.
  @discardableResult
  public func onSchedule(
    isolation: isolated (any Actor)? = #isolation, _ callback: @escaping (ScheduleEvent) -> Void
  ) -> EventSubscription {
    device.listeners.schedule.subscribe(isolation: isolation, callback)
  }

  /// A position, or the crossing of a geofence, was rejected.
  @discardableResult
  public func onLocationFilter(
    isolation: isolated (any Actor)? = #isolation, _ callback: @escaping (LocationFilterEvent) -> Void
  ) -> EventSubscription {
    device.listeners.locationFilter.subscribe(isolation: isolation, callback)
  }

  /// Ends all subscriptions of this instance.
  public func removeListeners() { device.listeners.removeAll() }
}
